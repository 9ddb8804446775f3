import { createHash } from 'node:crypto';
import { exportSPKI, exportJWK, generateKeyPair } from 'jose';
import { test, type Test } from 'tap';
import { JWT_SECRET } from '../harness/service.ts';
import { linked } from './mails.ts';
import { CLIENT, listen, madeIssuer, realIssuer } from './issuer.ts';
import { OPEN, refusal, serveAccounts, serveAt, type Accounts } from './people.ts';
import { settingsFile } from './settings-file.ts';

const ADA = 'ada@example.org';

function issuerAt(url: string, secret = CLIENT.secret): Record<string, string> {
  return { ...OPEN, SERVICE_OIDC_ACME_ISSUER: url, SERVICE_OIDC_ACME_CLIENT_ID: CLIENT.id, SERVICE_OIDC_ACME_CLIENT_SECRET: secret };
}

function otherAt(url: string): Record<string, string> {
  return { SERVICE_OIDC_OTHER_ISSUER: url, SERVICE_OIDC_OTHER_CLIENT_ID: CLIENT.id };
}

async function served(t: Pick<Test, 'teardown'>, env: Record<string, string>): Promise<Accounts> {
  const people = await serveAccounts(t, env);
  await people.sql`select service_private.create_first_admin('admin@example.org', 'hash')`;
  return people;
}

for (const conform of [false, true]) test(`a code signs in, the address ${conform ? 'at userinfo' : 'in the ID token'}`, async t => {
  const issuer = await realIssuer(t, { conform });
  const { post, request } = await served(t, issuerAt(issuer.url));
  issuer.people.set('ada-1', { email: ADA, email_verified: true, name: 'Ada', picture: 'https://example.org/a.png' });
  const code = await issuer.codeFor('ada-1');
  const { status, body } = await post('/auth/acme', code);
  t.match([status, body.user], [200, {
    email: ADA, displayName: 'Ada', photoURL: 'https://example.org/a.png', providerId: 'acme', emailVerified: true, roles: [] }]);
  t.match((await request('/auth/me', { as: body.tokens.accessToken })).body.user, { providerId: 'acme' });
  t.same(refusal(await post('/auth/acme', code)), [401, 'OAUTH_ERROR'], 'once');
  const again = await post('/auth/acme', await issuer.codeFor('ada-1'));
  t.equal(again.body.user.uid, body.user.uid);
});

test('codes of another client, redirect or verifier do not sign in', async t => {
  const issuer = await realIssuer(t);
  const { post, sql } = await served(t, issuerAt(issuer.url));
  const wrong: [says: string, (code: Awaited<ReturnType<typeof issuer.codeFor>>) => object][] = [
    ['another verifier', code => ({ ...code, codeVerifier: 'x'.repeat(43) })],
    ['no verifier', ({ code, redirectUri }) => ({ code, redirectUri })],
    ['another redirect', code => ({ ...code, redirectUri: 'https://app.example/other' })],
    ['another issuer\'s answer', code => ({ ...code, iss: 'https://evil.example' })],
    ['another nonce', code => ({ ...code, nonce: 'another' })],
  ];
  for (const [says, change] of wrong) {
    t.same(refusal(await post('/auth/acme', change(await issuer.codeFor('ada-1')))), [401, 'OAUTH_ERROR'], says);
  }
  t.same(refusal(await post('/auth/acme', await issuer.codeFor('ada-1', { client_id: 'other' }))), [401, 'OAUTH_ERROR'], 'another client');
  const foreign = { ...await (await realIssuer(t)).codeFor('ada-1'), iss: undefined };
  t.same(refusal(await post('/auth/acme', foreign)), [401, 'OAUTH_ERROR'], 'another issuer\'s code');
  t.same(await sql`select from service.user_identities`, []);
  t.equal((await post('/auth/acme', { ...await issuer.codeFor('ada-1', { nonce: 'n-1' }), nonce: 'n-1' })).status, 200);
});

test('a code that another issuer\'s answer brought is not sent to this one', async t => {
  const [evil, honest] = [await madeIssuer(t), await madeIssuer(t)];
  const { post } = await served(t, { ...issuerAt(evil.url), ...otherAt(honest.url) });
  const sent = { code: 'of the honest one', redirectUri: CLIENT.redirectUri, codeVerifier: 'v', iss: honest.url };
  t.same(refusal(await post('/auth/acme', sent)), [401, 'OAUTH_ERROR']);
  t.same(evil.asked, ['/.well-known/openid-configuration']);
  t.same(refusal(await post('/auth/acme', { idToken: await honest.idToken() })), [401, 'OAUTH_ERROR'], 'an ID token of the other');
  t.equal((await post('/auth/other', { idToken: await honest.idToken() })).status, 200);
});

test('a body is exactly one credential that the provider takes; an unknown provider is not there', async t => {
  const { post } = await served(t, { ...OPEN, GOOGLE_CLIENT_ID: 'app', TWITTER_CLIENT_ID: 'app', TWITTER_CLIENT_SECRET: 'secret',
    AUTH_ALLOWED_REDIRECT_URIS: 'https://app.example/back/,com.example.app:/back' });
  const redirectUri = 'https://app.example/back';
  const wrong: [provider: string, body: object][] = [
    ['google', {}], ['google', { idToken: 'a', accessToken: 'b' }], ['google', { idToken: '' }], ['google', { idToken: 1 }],
    ['google', { code: 'x', redirectUri }], ['twitter', { idToken: 'x' }], ['twitter', { accessToken: 'x' }],
    ['twitter', { code: 'x', codeVerifier: 'y' }], ['twitter', { code: 'x', redirectUri }],
    ['twitter', { code: 'x', redirectUri: '/back', codeVerifier: 'y' }],
  ];
  for (const [name, body] of wrong) {
    t.same(refusal(await post(`/auth/${name}`, body)), [400, 'INVALID_INPUT'], `${name} ${JSON.stringify(body)}`);
  }
  for (const uri of [
    'https://app.example/back/more', 'http://app.example/back', 'https://app.example:444/back', 'https://app.example.evil/back',
    'https://user@app.example/back', 'https://app.example/Back', 'https://app.example/back/%2e%2e/x', 'com.example.app://back',
  ]) {
    const sent = { code: 'x', redirectUri: uri, codeVerifier: 'y' };
    t.same(refusal(await post('/auth/twitter', sent)), [400, 'REDIRECT_URI_NOT_ALLOWED'], uri);
  }
  const { status, body } = await post('/auth/github', {});
  t.match([status, body.error], [501, { code: 'FEATURE_DISABLED', details: { setting: 'GITHUB_CLIENT_ID' } }]);
  for (const name of ['acme', 'constructor', 'GITHUB']) t.same(refusal(await post(`/auth/${name}`, {})), [404, 'NOT_FOUND'], name);
});

test('the callback of the consent page is no other address, and is allowed where that page is', async t => {
  const env = {
    ...OPEN, TWITTER_CLIENT_ID: 'app', TWITTER_CLIENT_SECRET: 'secret', AUTH_ALLOWED_REDIRECT_URIS: 'https://app.example/back',
    SERVICE_PUBLIC_URL: 'https://api.example/below',
  };
  const callback = 'https://api.example/api/oauth/authorize/callback';
  const without = await served(t, env);
  const { post } = await serveAt(t, without.url, { ...env, SERVICE_MCP_ENABLED: 'true' });
  const sent = (redirectUri: string) => ({ code: 'x', redirectUri, codeVerifier: 'y' });
  t.same(refusal(await without.post('/auth/twitter', sent(callback))), [400, 'REDIRECT_URI_NOT_ALLOWED'], 'there is no such page');
  for (const uri of [
    `${callback}/`, `${callback}?x=1`, `${callback}/../x`, callback.replace('https', 'http'), callback.replace('.example', '.example:444'),
    callback.replace('/callback', ''), callback.replace('/api/', '/below/api/'), callback.replace('https://', 'https://u@'),
  ]) t.same(refusal(await post('/auth/twitter', sent(uri))), [400, 'REDIRECT_URI_NOT_ALLOWED'], uri);
  const { body } = await post('/auth/twitter', { code: 'x', redirectUri: callback });
  t.match(body.error, { code: 'INVALID_INPUT', message: /codeVerifier/ });
  t.same(refusal(await post('/auth/link/twitter', sent(callback))), [401, 'UNAUTHORIZED']);
});

test('an ID token is judged by its signature and by every claim', async t => {
  const issuer = await madeIssuer(t);
  const people = await served(t, issuerAt(issuer.url));
  const { post, sql } = people;
  const { privateKey: foreign } = await generateKeyPair('RS256');
  const { privateKey: elliptic } = await generateKeyPair('ES256');
  const bytes = (text: string) => new TextEncoder().encode(text);
  const now = Math.floor(Date.now() / 1000);
  const plain = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { iss: issuer.url, aud: CLIENT.id, sub: 'eve', iat: now, exp: now + 300 };
  const wrong: [says: string, idToken: string | Promise<string>][] = [
    ['no token', 'x.y.z'],
    ['alg none', `${plain({ alg: 'none', kid: 'one' })}.${plain(claims)}.`],
    ['HS256 with the public key', issuer.idToken({ alg: 'HS256', key: bytes(await exportSPKI(issuer.publicKey)) })],
    ['HS256 with the client secret', issuer.idToken({ alg: 'HS256', key: bytes(CLIENT.secret.padEnd(32, 'x')) })],
    ['HS256 with the service\'s secret', issuer.idToken({ alg: 'HS256', key: bytes(JWT_SECRET) })],
    ['a foreign key under a known kid', issuer.idToken({ key: foreign })],
    ['an algorithm that is not listed', issuer.idToken({ alg: 'ES256', key: elliptic })],
    ...(['iss', 'aud', 'sub', 'exp', 'iat'] as const).map(claim => [`no ${claim}`, issuer.idToken({ claims: { [claim]: undefined } })] as
      [string, Promise<string>]),
    ['another issuer', issuer.idToken({ claims: { iss: 'https://evil.example' } })],
    ['another audience', issuer.idToken({ claims: { aud: 'other' } })],
    ['several audiences without azp', issuer.idToken({ claims: { aud: [CLIENT.id, 'other'] } })],
    ['another azp', issuer.idToken({ claims: { azp: 'other' } })],
    ['over', issuer.idToken({ claims: { exp: now - 60 } })],
    ['not yet good', issuer.idToken({ claims: { nbf: now + 120 } })],
    ['a blank sub', issuer.idToken({ claims: { sub: ' ' } })],
    ['a sub that is a number', issuer.idToken({ claims: { sub: 7 } })],
  ];
  for (const [says, idToken] of wrong) t.same(refusal(await post('/auth/acme', { idToken: await idToken })), [401, 'OAUTH_ERROR'], says);
  for (const nonce of [undefined, 'another', ['n']]) {
    const sent = { idToken: await issuer.idToken({ claims: { nonce } }), nonce: 'n' };
    t.same(refusal(await post('/auth/acme', sent)), [401, 'OAUTH_ERROR'], `nonce ${JSON.stringify(nonce)}`);
  }
  const iss = 'https://evil.example';
  t.same(refusal(await post('/auth/acme', { idToken: await issuer.idToken(), iss })), [401, 'OAUTH_ERROR'], 'an answer of another issuer');
  t.same(await sql`select from service.user_identities`, []);
  const good: [says: string, claims: object, more?: object][] = [
    ['as it is', {}], ['within the leeway', { exp: now - 10, nbf: now + 10 }],
    ['of several audiences', { aud: [CLIENT.id, 'o'], azp: CLIENT.id }],
    ['with a nonce', { nonce: 'n' }, { nonce: 'n' }],
    ['with a hashed one', { nonce: createHash('sha256').update('n').digest('hex') }, { nonce: 'n' }],
    ['with one that is not sent', { nonce: 'n' }], ['with iss', {}, { iss: issuer.url }], ['as a text', { email_verified: 'true' }],
  ];
  for (const [says, claims, more] of good) {
    const { status, body } = await post('/auth/acme', { idToken: await issuer.idToken({ claims: { ...claims } }), ...more });
    t.match([status, body.user], [200, { email: ADA, emailVerified: true }], says);
  }
  for (const email_verified of ['yes', 1, undefined, null, 'false']) {
    const { body } = await post('/auth/acme', { idToken: await issuer.idToken({ claims: {
      sub: `u-${String(email_verified)}`, email: `u-${String(email_verified)}@example.org`, email_verified } }) });
    t.match(body.user, { emailVerified: false }, `email_verified ${String(email_verified)} is no word`);
  }
});

test('keys rotate: an unknown kid fetches them anew, once for all', async t => {
  const issuer = await madeIssuer(t);
  const { post } = await served(t, issuerAt(issuer.url));
  const tokens = await Promise.all(Array.from({ length: 8 }, () => issuer.idToken()));
  const ends = await Promise.all(tokens.map(idToken => post('/auth/acme', { idToken })));
  t.same(ends.map(({ status }) => status), tokens.map(() => 200));
  t.equal(new Set(ends.map(({ body }) => body.user.uid)).size, 1);
  t.same(issuer.asked, ['/.well-known/openid-configuration', '/keys'], 'simultaneous sign-ins share one fetch');
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  issuer.answers['/keys'] = issuer.json({ keys: [{ ...await exportJWK(publicKey), kid: 'two', alg: 'RS256' }] });
  const rotated = { idToken: await issuer.idToken({ kid: 'two', key: privateKey }) };
  t.same(refusal(await post('/auth/acme', rotated)), [401, 'OAUTH_ERROR'], 'within five seconds they are not fetched again');
  t.equal(issuer.asked.length, 2);
  const { now } = Date;
  t.teardown(() => { Date.now = now; });
  Date.now = () => now() + 5_000;
  t.equal((await post('/auth/acme', rotated)).status, 200, 'after them they are');
  t.same(refusal(await post('/auth/acme', { idToken: tokens[0] })), [401, 'OAUTH_ERROR'], 'the old key is gone');
  t.same(issuer.asked.slice(2), ['/keys']);
});

test('an issuer that is down, lies, redirects or says too much is OAUTH_ERROR, and stops neither the start nor others', async t => {
  const cases: [says: string, spoil: (issuer: Awaited<ReturnType<typeof madeIssuer>>) => void][] = [
    ['down', ({ answers }) => { answers['/.well-known/openid-configuration'] = (_, response) => { response.writeHead(503).end(); }; }],
    ['another issuer', ({ answers, json, metadata }) => {
      answers['/.well-known/openid-configuration'] = json({ ...metadata, issuer: 'https://evil.example' });
    }],
    ['no JSON', ({ answers }) => { answers['/keys'] = (_, response) => { response.end('<html>'); }; }],
    ['no keys', ({ answers, json }) => { answers['/keys'] = json({ keys: 'none' }); }],
    ['redirecting at once', ({ answers, url }) => {
      answers['/.well-known/openid-configuration'] = (_, response) => { response.writeHead(301, { location: `${url}/metadata` }).end(); };
    }],
    ['http elsewhere', ({ answers, json, metadata }) => {
      answers['/.well-known/openid-configuration'] = json({ ...metadata, jwks_uri: 'http://keys.example/keys' });
    }],
    ['no key set', ({ answers, json }) => { answers['/keys'] = json(null); }],
    ['keys that are none', ({ answers, json }) => { answers['/keys'] = json({ keys: [null, 7, { kid: 'one' }] }); }],
    ['redirecting', ({ answers, url }) => {
      answers['/keys'] = (_, response) => { response.writeHead(302, { location: `${url}/real` }).end(); };
    }],
    ['too large', ({ answers, json }) => { answers['/keys'] = json({ keys: [], more: 'x'.repeat(1024 * 1024) }); }],
  ];
  const healthy = await madeIssuer(t);
  for (const [says, spoil] of cases) await t.test(says, async t => {
    const issuer = await madeIssuer(t);
    spoil(issuer);
    issuer.answers['/real'] = issuer.json({ keys: issuer.keys });
    issuer.answers['/metadata'] = issuer.json(issuer.metadata);
    const { post } = await served(t, { ...issuerAt(issuer.url), ...otherAt(healthy.url) });
    for (let n = 0; n < 3; n++) t.same(refusal(await post('/auth/acme', { idToken: await issuer.idToken() })), [401, 'OAUTH_ERROR']);
    if (says === 'down') t.equal(issuer.asked.length, 1, 'it is not asked again at once');
    t.equal((await post('/auth/other', { idToken: await healthy.idToken() })).status, 200, 'another issuer goes on');
  });
});

test('GitHub: the primary address counts, an id is text, an error with 200 is one', async t => {
  const asked: { path: string; body: string; authorization: string | undefined }[] = [];
  let emails: unknown = [
    { email: 'other@example.org', primary: false, verified: true }, { email: ADA, primary: true, verified: true, visibility: null },
  ];
  const { url } = await listen(t, (request, response) => {
    let body = '';
    request.on('data', piece => { body += String(piece); }).on('end', () => {
      const path = request.url ?? '';
      asked.push({ path, body, authorization: request.headers.authorization });
      const answer = path === '/token'
        ? body.includes('code=good') ? { access_token: 'gho_1', scope: 'user:email', token_type: 'bearer' }
          : { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }
        : path === '/user' ? { id: 583231, login: 'ada', name: null, email: null, avatar_url: 'https://example.org/a.png' } : emails;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  const providers = { github: { tokenUrl: `${url}/token`, profileUrl: `${url}/user`, emailsUrl: `${url}/emails` } };
  const { post, sql } = await served(t, {
    ...OPEN, GITHUB_CLIENT_ID: CLIENT.id, GITHUB_CLIENT_SECRET: CLIENT.secret, ...settingsFile(t, { providers }),
  });
  const sent = { code: 'good', redirectUri: CLIENT.redirectUri, codeVerifier: 'v' };
  const { status, body } = await post('/auth/github', sent);
  t.match([status, body.user], [200, { email: ADA, emailVerified: true, displayName: 'ada', photoURL: 'https://example.org/a.png' }]);
  t.match(await sql`select provider_id from service.user_identities`, [{ provider_id: '583231' }]);
  t.same(Object.fromEntries(new URLSearchParams(asked[0]?.body)), { grant_type: 'authorization_code', code: 'good',
    redirect_uri: CLIENT.redirectUri, code_verifier: 'v', client_id: CLIENT.id, client_secret: CLIENT.secret });
  t.same(asked.slice(1).map(({ authorization }) => authorization), ['Bearer gho_1', 'Bearer gho_1']);
  t.same(refusal(await post('/auth/github', { ...sent, code: 'bad' })), [401, 'OAUTH_ERROR']);
  t.same(refusal(await post('/auth/github', { ...sent, iss: 'https://evil.example' })), [401, 'OAUTH_ERROR']);
  emails = [{ email: 'eve@example.org', primary: false, verified: true }];
  t.match((await post('/auth/github', sent)).body.user, { email: ADA }, 'without a primary address the last one stays');
});

test('Google\'s access tokens are judged by their audience', async t => {
  let told: object = {};
  const { url } = await listen(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told));
  });
  const providers = { google: { tokenInfoUrl: url } };
  const { post } = await served(t, { ...OPEN, GOOGLE_CLIENT_ID: CLIENT.id, ...settingsFile(t, { providers }) });
  const sent = { accessToken: 'ya29' };
  for (told of [{ aud: 'other', sub: 'ada' }, { sub: 'ada' }, { aud: CLIENT.id }, []]) {
    t.same(refusal(await post('/auth/google', sent)), [401, 'OAUTH_ERROR'], JSON.stringify(told));
  }
  told = { aud: CLIENT.id, sub: 'ada', email: ADA, email_verified: 'true' };
  t.match((await post('/auth/google', sent)).body.user, { email: ADA, emailVerified: true });
});

test('confirm-first: an address that the provider does not vouch for is mailed its link, and signs in after it', async t => {
  const issuer = await madeIssuer(t);
  const people = await served(t, { ...issuerAt(issuer.url), AUTH_REQUIRE_EMAIL_VERIFICATION: 'true' });
  const sent = async () => people.post('/auth/acme', { idToken: await issuer.idToken({ claims: { email_verified: false } }) });
  t.same(refusal(await sent()), [403, 'EMAIL_NOT_CONFIRMED']);
  const token = await linked(people, ADA, /./);
  t.same(refusal(await sent()), [403, 'EMAIL_NOT_CONFIRMED']);
  t.equal((await people.request(`/auth/verify-email?token=${token}`, { as: null })).status, 200);
  t.match((await sent()).body.user, { emailVerified: true, providerId: 'acme' });
});

test('policy over HTTP: an account of a stranger is not shared, closed registration, addresses that stand for none', async t => {
  const issuer = await madeIssuer(t);
  const { post, register } = await served(t, issuerAt(issuer.url));
  await register(ADA);
  const { status, body } = await post('/auth/acme', { idToken: await issuer.idToken() });
  t.match([status, body.error], [403, { code: 'EMAIL_NOT_VERIFIED', details: { reason: 'local-account-unverified', provider: 'acme' } }]);
  const none = await post('/auth/acme', { idToken: await issuer.idToken({ claims: { sub: 'x', email: undefined } }) });
  t.match(none.body.user.email, /^[0-9a-f]{32}@acme\.placeholder\.service$/);
  const registered = await post('/auth/register', { email: 'me@acme.placeholder.service', password: 'Correct-horse-1' });
  t.same(refusal(registered), [409, 'UNDELIVERABLE_ADDRESS']);
  const closed = await served(t, { ...issuerAt(issuer.url), ALLOW_REGISTRATION: 'false' });
  t.same(refusal(await closed.post('/auth/acme', { idToken: await issuer.idToken() })), [403, 'REGISTRATION_DISABLED']);
});

test('the configuration has all that a page needs to begin, and waits for no issuer', async t => {
  const issuer = await madeIssuer(t);
  const silent = await listen(t, () => undefined);
  const { request } = await served(t, {
    ...issuerAt(issuer.url), GITHUB_CLIENT_ID: 'app', GITHUB_CLIENT_SECRET: 'secret', GOOGLE_CLIENT_ID: 'app',
    ...settingsFile(t, { providers: { google: { issuer: silent.url }, github: { authorizationUrl: 'https://git.example/login' } } }),
  });
  const { body } = await request('/auth/config', { as: null });
  t.same(body.enabledProviders, ['acme', 'github', 'google']);
  t.match(body.providers, [
    { name: 'acme', clientId: CLIENT.id, authorizationUrl: `${issuer.url}/auth`, scopes: ['openid', 'email', 'profile'] },
    { name: 'github', clientId: 'app', authorizationUrl: 'https://git.example/login', scopes: ['read:user', 'user:email'] },
    { name: 'google', clientId: 'app', authorizationUrl: null, scopes: ['openid', 'email', 'profile'] },
  ]);
  t.notMatch(JSON.stringify(body), /secret/);
});
