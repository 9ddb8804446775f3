import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { validateAuthResponse } from 'oauth4webapi';
import { test, type Test } from 'tap';
import { SERVICE_KEY, type Answer } from '../harness/service.ts';
import { CHALLENGE, ISSUER, REDIRECT, requestOf, serveOAuth, VERIFIER, type OAuthService } from './clients.ts';

function refusal({ status, body }: Answer): [number, string] {
  return [status, body.error];
}

async function served(t: Test) {
  const service = await serveOAuth(t);
  const ada = await service.register('ada@example.org');
  return { service, ada, client: await service.registerClient() };
}

/** Whether the family of an access token still counts. */
async function counts({ sql }: OAuthService, accessToken: string): Promise<boolean> {
  const { sid } = decodeJwt<{ sid: string }>(accessToken);
  const [row] = await sql`select from service.oauth_families where id = ${sid} and revoked_at is null`;
  return row !== undefined;
}

test('a code works once, and a second use takes back what it gave', async t => {
  const { service, ada, client } = await served(t);
  const code = await service.codeFor(client, ada);
  const { body } = await service.redeem(client, code);
  t.equal(await counts(service, body.access_token), true);
  t.same(refusal(await service.redeem(client, code)), [400, 'invalid_grant']);
  t.equal(await counts(service, body.access_token), false);
  t.same(refusal(await service.refresh(client, body.refresh_token)), [400, 'invalid_grant']);
});

test('of a hundred that race for a code, one wins', async t => {
  const { service, ada, client } = await served(t);
  const code = await service.codeFor(client, ada);
  const answers = await Promise.all(Array.from({ length: 100 }, () => service.redeem(client, code)));
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  t.same(new Set(answers.filter(({ status }) => status !== 200).map(answer => refusal(answer).join(' '))), new Set(['400 invalid_grant']));
  const [row] = await service.sql`select count(*)::int as families from service.oauth_families`;
  t.equal(row?.['families'], 1);
});

test('an exchange that fails spends the code', async t => {
  const { service, ada, client } = await served(t);
  const other = await service.registerClient();
  const secretive = await service.registerClient({ token_endpoint_auth_method: 'client_secret_basic' });
  const cases: [string, Record<string, string | undefined>, [number, string]][] = [
    ['no verifier', { code_verifier: undefined }, [400, 'invalid_grant']],
    ['another verifier', { code_verifier: 'x'.repeat(43) }, [400, 'invalid_grant']],
    ['the challenge as the verifier', { code_verifier: CHALLENGE }, [400, 'invalid_grant']],
    ['a short verifier', { code_verifier: VERIFIER.slice(0, 42) }, [400, 'invalid_grant']],
    ['no redirect_uri', { redirect_uri: undefined }, [400, 'invalid_grant']],
    ['another redirect_uri', { redirect_uri: `${REDIRECT}/` }, [400, 'invalid_grant']],
    ['another resource', { resource: 'https://other.example.com/mcp' }, [400, 'invalid_target']],
    ['another client', { ...other }, [400, 'invalid_grant']],
    ['another client with its secret', { ...secretive }, [400, 'invalid_grant']],
  ];
  for (const [name, extra, expected] of cases) {
    const code = await service.codeFor(client, ada);
    t.same(refusal(await service.redeem(client, code, extra)), expected, name);
    t.same(refusal(await service.redeem(client, code)), [400, 'invalid_grant'], `${name}, then rightly`);
  }
});

test('a client that does not prove itself spends nothing', async t => {
  const { service, ada } = await served(t);
  const client = await service.registerClient({ token_endpoint_auth_method: 'client_secret_post' });
  const { client_id, client_secret = '' } = client;
  const code = await service.codeFor(client, ada);
  t.same(refusal(await service.redeem({ client_id }, code)), [401, 'invalid_client'], 'without its secret');
  t.same(refusal(await service.redeem({ client_id, client_secret: 'f'.repeat(64) }, code)), [401, 'invalid_client'], 'with another');
  t.same(refusal(await service.redeem({ client_id: 'mcp_unknown' }, code)), [401, 'invalid_client'], 'unknown');
  const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}` });
  const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: VERIFIER };
  const wrong = await service.form('/oauth/token', fields, basic('wrong'));
  t.same(refusal(wrong), [401, 'invalid_client']);
  t.match(wrong.headers.get('www-authenticate'), /^Basic /);
  t.same(refusal(await service.form('/oauth/token', { ...fields, client_secret }, basic(client_secret))), [400, 'invalid_request']);
  t.equal((await service.form('/oauth/token', fields, basic(client_secret))).status, 200);
});

test('a public client that names a secret is refused', async t => {
  const { service, ada, client } = await served(t);
  t.same(refusal(await service.redeem(client, await service.codeFor(client, ada), { client_secret: 'x' })), [401, 'invalid_client']);
});

test('an expired code is refused', async t => {
  const { service, ada, client } = await served(t);
  const code = await service.codeFor(client, ada);
  await service.sql`update service.oauth_codes set expires_at = clock_timestamp() - interval '1 second'`;
  t.same(refusal(await service.redeem(client, code)), [400, 'invalid_grant']);
});

test('a refresh token that comes twice ends its family', async t => {
  const { service, ada, client } = await served(t);
  const first = await service.letIn(client, ada);
  const { body: second } = await service.refresh(client, first.refresh_token);
  t.same(refusal(await service.refresh(client, first.refresh_token)), [400, 'invalid_grant']);
  t.same(refusal(await service.refresh(client, second.refresh_token)), [400, 'invalid_grant']);
  t.equal(await counts(service, second.access_token), false);
});

test('of fifty that race with a refresh token, one wins, and the family ends', async t => {
  const { service, ada, client } = await served(t);
  const { refresh_token, access_token } = await service.letIn(client, ada);
  const answers = await Promise.all(Array.from({ length: 50 }, () => service.refresh(client, refresh_token)));
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  t.equal(await counts(service, access_token), false);
});

test('another client\'s refresh token ends the family', async t => {
  const { service, ada, client } = await served(t);
  const { refresh_token } = await service.letIn(client, ada);
  t.same(refusal(await service.refresh(await service.registerClient(), refresh_token)), [400, 'invalid_grant']);
  t.same(refusal(await service.refresh(client, refresh_token)), [400, 'invalid_grant']);
});

test('a refused refresh leaves the token usable, and a narrowed scope stays narrow', async t => {
  const { service, ada, client } = await served(t);
  const { refresh_token } = await service.letIn(client, ada, 'data:read data:write');
  t.same(refusal(await service.refresh(client, refresh_token, { scope: 'data:delete' })), [400, 'invalid_scope']);
  const { body: narrow } = await service.refresh(client, refresh_token, { scope: 'data:read:posts data:delete' });
  t.equal(narrow.scope, 'data:read:posts');
  t.same(refusal(await service.refresh(client, narrow.refresh_token, { scope: 'data:read' })), [400, 'invalid_scope']);
  const { body: next } = await service.refresh(client, narrow.refresh_token);
  t.equal(next.scope, 'data:read:posts');
  t.equal(decodeJwt(next.access_token)['scope'], 'data:read:posts');
});

test('refresh tokens of sessions and of clients open their own doors only, and none is spent by it', async t => {
  const { service, ada, client } = await served(t);
  const { refresh_token } = await service.letIn(client, ada);
  t.same(refusal(await service.refresh(client, ada.refresh)), [400, 'invalid_grant']);
  const elsewhere = await service.post('/auth/refresh', { refreshToken: refresh_token });
  t.same([elsewhere.status, elsewhere.body.error.code], [401, 'INVALID_TOKEN']);
  t.equal((await service.post('/auth/refresh', { refreshToken: ada.refresh })).status, 200);
  t.equal((await service.refresh(client, refresh_token)).status, 200);
});

test('redirects that are not exactly the client\'s get a page and go nowhere', async t => {
  const service = await serveOAuth(t);
  const client = await service.registerClient({
    redirect_uris: [REDIRECT, 'http://127.0.0.1/cb?a=1', 'http://localhost:7777/cb', 'http://[::1]/cb', 'com.example.app:/cb'],
  });
  const wrong = [
    '', 'https://client.example.com', 'https://client.example.com/callback/', 'https://client.example.com/Callback',
    'https://CLIENT.example.com/callback', 'HTTPS://client.example.com/callback', 'https://client.example.com:443/callback',
    'https://client.example.com.evil.example/callback', 'https://client.example.com@evil.example/callback',
    'https://evil.example/callback', 'https://client.example.com/x/../callback', 'https://client.example.com/./callback',
    'https://client.example.com/%63allback', 'https://client.example.com/%2563allback', 'https://client.example.com/callback%00',
    'https://client.example.com./callback', 'https://client.example.com%2eevil.example/callback', 'https:client.example.com/callback',
    'https://client.example.com/callback?', 'https://client.example.com//callback', 'https://client.example.com/callback;x',
    'https://xn--clint-fsa.example.com/callback', 'https://client\u3002example.com/callback', 'https://client.example.com/callback\t',
    'https://client.example.com/callback#x',
    'https://client.example.com/callback?x=1', 'https://client.example.com\\callback', ' https://client.example.com/callback',
    'http://client.example.com/callback', 'javascript:alert(1)', 'data:text/html,x', 'com.example.app:/other', 'com.example.app:/cb/',
    'http://127.0.0.1:1/cb', 'http://127.0.0.1:1/cb?a=2', 'http://127.0.0.1:99999/cb?a=1', 'http://127.0.0.1:1@evil.example/cb?a=1',
    'http://127.1:1/cb?a=1', 'http://localhost:1/cb?a=1', 'http://127.0.0.1:7777/cb', 'http://localhost.evil.example/cb',
    'https://localhost/cb', 'http://localhost/cb/', 'http://[::2]/cb', 'http://user@localhost/cb',
  ];
  for (const redirect_uri of wrong) {
    const { status, location, headers } = await service.authorize({ ...requestOf(client), redirect_uri });
    t.same([status, location], [400, undefined], redirect_uri);
    t.match(headers.get('content-type'), /^text\/html/);
  }
  const right = [
    REDIRECT, 'http://127.0.0.1:50000/cb?a=1', 'http://127.0.0.1/cb?a=1', 'http://localhost:1/cb', 'http://localhost/cb',
    'http://[::1]:3000/cb', 'com.example.app:/cb',
  ];
  for (const redirect_uri of right) t.equal((await service.authorize({ ...requestOf(client), redirect_uri })).status, 200, redirect_uri);
});

test('repeated parameters get a page', async t => {
  const { service, client } = await served(t);
  for (const [name, value] of Object.entries({ ...requestOf(client), other: '1' })) {
    const twice = new URLSearchParams(requestOf(client));
    twice.append(name, value);
    twice.append(name, value);
    const { status, location } = await service.authorize(twice);
    t.same([status, location], [400, undefined], name);
  }
  const fields = new URLSearchParams({ grant_type: 'refresh_token', ...client, refresh_token: 'x' });
  fields.append('refresh_token', 'y');
  t.same(refusal(await service.form('/oauth/token', fields)), [400, 'invalid_request']);
});

test('requests that are wrong otherwise go back to the client with their error', async t => {
  const { service, client } = await served(t);
  const cases: [Record<string, string | undefined>, string][] = [
    [{ response_type: undefined }, 'unsupported_response_type'], [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'invalid_request'], [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'], [{ code_challenge: 'short' }, 'invalid_request'],
    [{ resource: 'https://other.example.com/mcp' }, 'invalid_target'], [{ resource: 'https://api.example.com/' }, 'invalid_target'],
    [{ resource: 'https://api.example.com/mcpx' }, 'invalid_target'], [{ resource: 'https://api.example.com/mcp#x' }, 'invalid_target'],
  ];
  for (const [extra, error] of cases) {
    const { status, location } = await service.authorize({ ...requestOf(client), ...extra });
    t.equal(status, 302);
    const answer = Object.fromEntries(location?.searchParams ?? []);
    t.match(answer, { error, state: 'a state', iss: 'https://api.example.com' }, JSON.stringify(extra));
    t.equal(location?.origin, new URL(REDIRECT).origin);
  }
  for (const resource of [undefined, 'https://api.example.com/mcp', 'https://API.example.com/mcp', 'https://api.example.com/mcp/x']) {
    t.equal((await service.authorize({ ...requestOf(client), resource })).status, 200, resource ?? 'none');
  }
});

test('a request token is decided once, and only a person\'s session decides it', async t => {
  const { service, ada, client } = await served(t);
  const ask = () => service.ask(requestOf(client));
  const used = await ask();
  const first = await service.decide({ request_token: used, session_token: ada.access, decision: 'allow' });
  t.equal(first.location?.searchParams.has('code'), true);
  for (const decision of ['allow', 'deny']) {
    const again = await service.decide({ request_token: used, session_token: ada.access, decision });
    t.same([again.status, again.location], [400, undefined], `${decision} once more`);
  }
  const raced = await ask();
  const answers = await Promise.all(Array.from({ length: 20 }, () =>
    service.decide({ request_token: raced, session_token: ada.access, decision: 'allow' })));
  t.equal(answers.filter(({ location }) => location?.searchParams.has('code')).length, 1);
  const { access_token } = await service.letIn(client, ada);
  const gone = await service.register('gone@example.org');
  await service.sql`update service.users set disabled = true where uid = ${gone.uid}`;
  const people: Record<string, string> = {
    'none': '', 'nonsense': 'x', 'two words': 'a b', 'a client\'s token': access_token, 'the service key': SERVICE_KEY,
    'a refresh token': ada.refresh, 'a disabled account': gone.access,
  };
  for (const [name, session_token] of Object.entries(people)) {
    const { location } = await service.decide({ request_token: await ask(), session_token, decision: 'allow' });
    t.equal(location?.searchParams.get('error'), 'access_denied', name);
  }
  const forged = (await ask()).replace(/.$/, last => last === 'A' ? 'B' : 'A');
  for (const request_token of ['', 'x', ada.access, access_token, forged]) {
    const { status, location } = await service.decide({ request_token, session_token: ada.access, decision: 'allow' });
    t.same([status, location], [400, undefined]);
  }
  const framed = await service.decide(
    { request_token: await ask(), session_token: ada.access, decision: 'allow' }, { 'sec-fetch-site': 'cross-site' });
  t.same([framed.status, framed.location], [400, undefined]);
});

test('no page is shown in a frame, and none runs what is not its own', async t => {
  const { service, client } = await served(t);
  const pages = {
    consent: await service.authorize(requestOf(client)), refusal: await service.authorize({}),
    callback: await fetch(`${service.address}/api/oauth/authorize/callback?code=<script>&state=x&error_description=<b>`),
  };
  for (const [name, { headers }] of Object.entries(pages)) {
    t.equal(headers.get('x-frame-options'), 'DENY', name);
    const directives = (headers.get('content-security-policy') ?? '').split('; ');
    const policy = new Map(directives.map(part => part.split(/ (.*)/s) as [string, string]));
    t.match(Object.fromEntries(policy), { 'default-src': "'none'", 'frame-ancestors': "'none'", 'base-uri': "'none'" }, name);
    t.match(policy.get('script-src') ?? "'nonce-", /^'nonce-[^ ]*$/, name);
    t.equal(policy.get('form-action'), name === 'consent' ? "'self' https://client.example.com" : "'none'", name);
    t.same([headers.get('cache-control'), headers.get('referrer-policy')], ['no-store', 'no-referrer'], name);
  }
  t.notMatch(await pages.callback.text(), /<b>|&lt;/, 'an answer of a provider is not part of the page');
});

test('every answer names its issuer, so that it counts at no other', async t => {
  const { service, ada, client } = await served(t);
  const decide = async (decision: string) => (await service.decide({
    request_token: await service.ask(requestOf(client)), session_token: ada.access, decision,
  })).location;
  const answers = [
    await decide('allow'), await decide('deny'), (await service.authorize({ ...requestOf(client), response_type: 'token' })).location,
  ];
  for (const answer of answers) {
    t.equal(answer?.searchParams.getAll('iss').join(), ISSUER);
    const attacker = { issuer: 'https://evil.example', authorization_response_iss_parameter_supported: true };
    t.throws(() => validateAuthResponse(attacker, client, answer ?? new URL(ISSUER), 'a state'), /iss/, 'a client that asked another one');
  }
  // A code of this server is worth nothing at one that has the same client and secret of tokens, but not the request.
  const other = await serveOAuth(t);
  const code = answers[0]?.searchParams.get('code') ?? '';
  t.same(refusal(await other.redeem(client, code)), [401, 'invalid_client']);
  t.same(refusal(await other.redeem(await other.registerClient(), code)), [400, 'invalid_grant']);
});

test('forms of other sites decide nothing, not even those of a sibling', async t => {
  const { service, ada, client } = await served(t);
  const request_token = await service.ask(requestOf(client));
  for (const site of ['cross-site', 'same-site', 'none']) {
    const { status, location } = await service.decide(
      { request_token, session_token: ada.access, decision: 'allow' }, { 'sec-fetch-site': site });
    t.same([status, location], [400, undefined], site);
  }
  const own = await service.decide({ request_token, session_token: ada.access, decision: 'allow' }, { 'sec-fetch-site': 'same-origin' });
  t.equal(own.location?.searchParams.has('code'), true, 'and leave the request as it was');
});

test('an answer of a provider that is posted goes to the page, with each field once, and to no other place', async t => {
  const { service } = await served(t);
  const post = async (body: string, type = 'application/x-www-form-urlencoded') => {
    const { status, headers } = await fetch(`${service.address}/api/oauth/authorize/callback`, {
      method: 'POST', redirect: 'manual', body, headers: { 'content-type': type },
    });
    return [status, headers.get('location')];
  };
  t.same(await post('code=c%26x%3D1&state=s%0d%0aSet-Cookie:x'),
    [303, '/api/oauth/authorize/callback?code=c%26x%3D1&state=s%0D%0ASet-Cookie%3Ax']);
  t.same(await post('code=a&code=b'), [400, null]);
  t.same(await post('{"code": "c"}', 'application/json'), [400, null]);
});

test('guests let no client in', async t => {
  const service = await serveOAuth(t, { ALLOW_ANONYMOUS: 'true' });
  const client = await service.registerClient();
  const { body } = await service.post('/auth/anonymous');
  const { location } = await service.decide({
    request_token: await service.ask(requestOf(client)), session_token: body.tokens.accessToken, decision: 'allow',
  });
  t.equal(location?.searchParams.get('error'), 'access_denied');
});

test('names of clients are text on the page', async t => {
  const service = await serveOAuth(t);
  const names = [
    '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '\u202eevil', '${constructor}', '</title><script>', '&lt;b&gt;',
  ];
  for (const client_name of names) {
    const { html } = await service.authorize(requestOf(await service.registerClient({ client_name })));
    t.equal(html.match(/<script/g)?.length, 1, client_name);
    t.notMatch(html, /<img|\u202e|<b>/, client_name);
  }
});

test('secrets, codes and refresh tokens are stored as hashes', async t => {
  const { service, ada } = await served(t);
  const client = await service.registerClient({ token_endpoint_auth_method: 'client_secret_post' });
  const code = await service.codeFor(client, ada);
  const { refresh_token } = (await service.redeem(client, code)).body;
  const rows = await service.sql<{ row: string }[]>`
    select to_jsonb(c)::text as row from service.oauth_clients c union all select to_jsonb(c)::text from service.oauth_codes c
    union all select to_jsonb(f)::text from service.oauth_families f
    union all select to_jsonb(r)::text from service.oauth_refresh_tokens r`;
  const stored = rows.map(({ row }) => row).join('\n');
  for (const secret of [client.client_secret ?? '', code, refresh_token]) {
    t.notMatch(stored, secret);
    t.match(stored, createHash('sha256').update(secret).digest('hex'));
  }
});
