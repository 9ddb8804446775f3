// OpenID Connect, which is there with a private key alone.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { test, type Test } from 'tap';
import { refusal, type Session } from '../accounts/people.ts';
import { connect } from '../harness/socket.ts';
import { ecKey, pem, rsaKey } from '../identity/token-samples.ts';
import { browse, through } from './browser.ts';
import { ISSUER, REDIRECT, requestOf, serveOAuth, type OAuthService, type Registered } from './clients.ts';

const KEYS = { ES256: ecKey('key 1'), RS256: rsaKey('key 1') };
const ALL = 'openid email profile';

async function served(t: Test, algorithm: keyof typeof KEYS = 'ES256', env: Record<string, string> = {}, setup?: string) {
  const keys = { JWT_PRIVATE_KEY: pem(KEYS[algorithm].privateKey), JWT_KEY_ID: 'key 1' };
  const service = await serveOAuth(t, { ...keys, ...env }, setup === undefined ? {} : { setup });
  await service.register('first@example.org'); // the admin
  const ada = await service.register('ada@example.org');
  await service.sql`update service.users set display_name = 'Ada', photo_url = 'https://example.org/ada.png' where uid = ${ada.uid}`;
  return { service, ada };
}

type IdTokens = { id_token: string; access_token: string; refresh_token: string; scope: string };

async function idTokens(service: OAuthService, client: Registered, person: Session, scope = ALL): Promise<IdTokens> {
  return await service.letIn(client, person, scope) as IdTokens;
}

for (const algorithm of ['ES256', 'RS256'] as const) {
  test(`openid-client signs a person in, and checks each signature: ${algorithm}`, async t => {
    const { service, ada } = await served(t, algorithm);
    const options = { [openid.customFetch]: through(service), execute: [openid.enableNonRepudiationChecks] };
    const metadata = { redirect_uris: [REDIRECT] };
    const config = await openid.dynamicClientRegistration(new URL(ISSUER), metadata, openid.ClientSecretPost(), options);
    const [verifier, state, nonce] = [openid.randomPKCECodeVerifier(), openid.randomState(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT, scope: `${ALL} data:read`, state, nonce, max_age: '3600',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
    });
    const tokens = await openid.authorizationCodeGrant(config, await browse(service, ada, url), {
      pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, maxAge: 3600, idTokenExpected: true,
    });
    const claims = tokens.claims();
    t.match(claims, { iss: ISSUER, sub: ada.uid, aud: config.clientMetadata().client_id, nonce, purpose: 'id', auth_time: Number });
    t.match(decodeProtectedHeader(tokens.id_token ?? ''), { alg: algorithm, kid: 'key 1' });
    t.same(await openid.fetchUserInfo(config, tokens.access_token, ada.uid), {
      sub: ada.uid, email: 'ada@example.org', email_verified: false, name: 'Ada', picture: 'https://example.org/ada.png',
    });
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    t.match(next.claims(), { iss: ISSUER, sub: ada.uid, aud: claims?.aud, auth_time: claims?.auth_time, nonce: undefined });
    const narrowed = await openid.refreshTokenGrant(config, next.refresh_token ?? '', { scope: 'data:read' });
    t.equal(narrowed.id_token, undefined);
    const lacking = { cause: [{ parameters: { error: 'insufficient_scope' } }] };
    await t.rejects(openid.fetchUserInfo(config, narrowed.access_token, ada.uid), lacking);
  });

  test(`oauth4webapi signs a person in: ${algorithm}`, async t => {
    const { service, ada } = await served(t, algorithm);
    const options = { [oauth.customFetch]: through(service) };
    const issuer = new URL(ISSUER);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options)); // openid-configuration
    const registered = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(as, { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' }, options));
    t.equal(registered['id_token_signed_response_alg'], algorithm);
    const client: oauth.Client = { client_id: registered.client_id, id_token_signed_response_alg: algorithm, require_auth_time: true };
    const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState(), oauth.generateRandomNonce()];
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id: client.client_id, redirect_uri: REDIRECT, response_type: 'code', scope: 'openid profile', state, nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
    }).toString();
    const answer = oauth.validateAuthResponse(as, client, await browse(service, ada, url), state);
    const response = await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), answer, REDIRECT, verifier, options);
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: nonce, requireIdToken: true });
    await oauth.validateApplicationLevelSignature(as, response, options);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    const of = await oauth.processUserInfoResponse(
      as, client, claims?.sub ?? '', await oauth.userInfoRequest(as, client, tokens.access_token, options));
    t.same(of, { sub: ada.uid, name: 'Ada', picture: 'https://example.org/ada.png' });
  });
}

test('without a private key nothing of it is there, and its scopes are as unknown as any', async t => {
  const service = await serveOAuth(t);
  const ada = await service.register('ada@example.org');
  t.equal((await fetch(`${service.address}/.well-known/openid-configuration`)).status, 404);
  const { body } = await service.request('/../.well-known/oauth-authorization-server', { as: null });
  t.same(body.scopes_supported, ['data:read', 'data:write', 'data:delete']);
  t.notMatch(Object.keys(body).join(), /jwks|userinfo|id_token|subject/);
  const client = await service.registerClient();
  const tokens = await idTokens(service, client, ada, `${ALL} data:write`);
  t.match(tokens, { scope: 'data:write', id_token: undefined });
  t.equal((await idTokens(service, client, ada)).scope, 'data:read', 'the default');
  for (const method of ['GET', 'POST']) {
    t.equal((await service.request('/oauth/userinfo', { method, as: tokens.access_token })).status, 404);
  }
  const { html, location } = await service.authorize({ ...requestOf(client), scope: 'openid', prompt: 'none', max_age: 'x', request: 'x' });
  t.same([location, html.includes('Read rows')], [undefined, true]);
});

test('the configuration is that of the server, whatever the paths', async t => {
  const { service } = await served(t, 'RS256', { SERVICE_PUBLIC_URL: `${ISSUER}/some/path`, SERVICE_BASE_PATH: '/v2' });
  const [configuration, server, resource] = await Promise.all(
    ['openid-configuration', 'oauth-authorization-server', 'oauth-protected-resource'].map(async name => {
      const response = await fetch(`${service.address}/.well-known/${name}`, { headers: { origin: 'https://any.example' } });
      t.equal(response.headers.get('access-control-allow-origin'), '*');
      return await response.json() as Record<string, unknown>;
    }));
  t.same(configuration, server);
  t.match(configuration, {
    issuer: ISSUER, userinfo_endpoint: `${ISSUER}/v2/oauth/userinfo`, jwks_uri: `${ISSUER}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: ['RS256'], subject_types_supported: ['public'], request_uri_parameter_supported: false,
    scopes_supported: ['data:read', 'data:write', 'data:delete', 'openid', 'email', 'profile'],
  });
  t.same(resource?.['scopes_supported'], ['data:read', 'data:write', 'data:delete'], 'agents ask for all that it names');
  const keys = await fetch(`${service.address}/.well-known/jwks.json`, { headers: { origin: 'https://any.example' } });
  t.equal(keys.headers.get('access-control-allow-origin'), '*');
});

test('the page says it in plain words, and fills in the address that the client knows', async t => {
  const { service } = await served(t);
  const client = await service.registerClient();
  const { html } = await service.authorize({ ...requestOf(client), scope: ALL, login_hint: '"><script>ada@example.org' });
  for (const words of ['Know your account when you come back', 'See your email address', 'See your name and picture']) t.match(html, words);
  t.match(html, 'value="&quot;&gt;&lt;script&gt;ada@example.org"');
});

test('userinfo answers what the scopes give, and says what a token lacks as RFC 6750 does', async t => {
  const { service, ada } = await served(t);
  const client = await service.registerClient();
  const about = async (scope: string, method = 'GET') =>
    service.request('/oauth/userinfo', { method, as: (await idTokens(service, client, ada, scope)).access_token });
  t.same((await about('openid')).body, { sub: ada.uid });
  t.same((await about('openid email', 'POST')).body, { sub: ada.uid, email: 'ada@example.org', email_verified: false });
  await service.sql`
    update service.users set display_name = null, photo_url = null, email = 'x@a.placeholder.example' where uid = ${ada.uid}`;
  t.same((await about(ALL)).body, { sub: ada.uid }, 'an address that stands for none');
  const lacking = await about('email profile data:read');
  t.same([lacking.status, lacking.body.error], [403, 'insufficient_scope']);
  t.match(lacking.headers.get('www-authenticate'), /^Bearer error="insufficient_scope", scope="openid"$/);
  const none = await service.request('/oauth/userinfo', { as: null, headers: { origin: 'https://any.example' } });
  t.same([none.status, none.headers.get('www-authenticate'), none.headers.get('access-control-allow-origin')],
    [401, 'Bearer scope="openid"', '*']);
  const { access_token } = await idTokens(service, client, ada);
  await service.sql`select service.end_all_sessions(${ada.uid})`;
  for (const as of [access_token, ada.access, 'x', `${access_token.slice(0, -4)}AAAA`]) {
    const answer = await service.request('/oauth/userinfo', { as });
    t.same([answer.status, answer.body.error], [401, 'invalid_token']);
    t.match(answer.headers.get('www-authenticate'), /error="invalid_token"/);
  }
});

test('openid alone opens no data', async t => {
  const setup = `create table notes (id integer primary key); alter table notes enable row level security;
    create policy everybody on notes using (true)`;
  const { service, ada } = await served(t, 'ES256', {}, setup);
  const { access_token } = await idTokens(service, await service.registerClient(), ada);
  const mcp = (method: string, params: object = {}) => fetch(`${service.address}/mcp`, {
    method: 'POST', headers: { 'authorization': `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  t.match(await (await mcp('tools/list')).json(), { result: { tools: [] } });
  const refused = await mcp('tools/call', { name: 'query_collection', arguments: { collection: 'notes' } });
  t.equal(refused.status, 403);
});

test('a client may ask for a sign-in that is new, and is told when it cannot be had', async t => {
  const { service, ada } = await served(t, 'ES256', { AUTH_COOKIE: 'true' });
  const client = await service.registerClient();
  const ask = (parameters: Record<string, string>) => service.authorize({ ...requestOf(client), scope: 'openid', ...parameters });
  const cases: [Record<string, string>, string][] = [
    [{ prompt: 'none' }, 'interaction_required'], [{ prompt: 'none login' }, 'interaction_required'],
    [{ max_age: '-1' }, 'invalid_request'], [{ max_age: 'soon' }, 'invalid_request'], [{ nonce: 'x'.repeat(1025) }, 'invalid_request'],
    [{ request: 'x' }, 'request_not_supported'], [{ request_uri: 'https://x.example' }, 'request_uri_not_supported'],
    [{ registration: '{}' }, 'registration_not_supported'],
  ];
  for (const [parameters, error] of cases) {
    const { status, location } = await ask(parameters);
    const told = Object.fromEntries(location?.searchParams ?? []);
    t.match({ status, ...told }, { status: 302, error, iss: ISSUER, state: 'a state' }, error);
  }
  await service.sql`update service.sessions set started_at = started_at - interval '1 hour' where uid = ${ada.uid}`;
  const decided = async (parameters: Record<string, string>, { access }: Session) => {
    const request_token = await service.ask({ ...requestOf(client), scope: 'openid', ...parameters });
    const { location } = await service.decide({ request_token, session_token: access, decision: 'allow' });
    return location?.searchParams.get('error') ?? 'none';
  };
  for (const parameters of [{ prompt: 'login' }, { max_age: '0' }, { max_age: '1800' }, { prompt: 'consent login', max_age: '7200' }]) {
    t.match((await ask(parameters)).html, 'data-cookie="off"', 'a session of the browser is not used');
    t.equal(await decided(parameters, ada), 'login_required', JSON.stringify(parameters));
  }
  for (const parameters of [{}, { max_age: '7200' }, { prompt: 'consent' }]) t.equal(await decided(parameters, ada), 'none');
  t.match((await ask({})).html, 'data-cookie="on"');
  const request_token = await service.ask({ ...requestOf(client), scope: 'openid', prompt: 'login' });
  const again = await service.login('ada@example.org');
  const { location } = await service.decide({ request_token, session_token: again.access, decision: 'allow' });
  t.ok(location?.searchParams.get('code'), 'who has signed in since');
});

test('an ID token opens no door', async t => {
  const setup = `create table notes (id integer primary key); alter table notes enable row level security;
    create policy everybody on notes using (true)`;
  const { service, ada } = await served(t, 'ES256', { AUTH_REQUIRE: 'false' }, setup);
  const client = await service.registerClient();
  const { id_token: as, refresh_token } = await idTokens(service, client, ada);
  t.match(decodeJwt(as), { sub: ada.uid, purpose: 'id' });
  const doors: [string, string][] = [
    ['GET', '/data/notes'], ['POST', '/data/notes'], ['GET', '/admin/users'], ['GET', '/storage/list'], ['GET', '/storage/file/x'],
    ['POST', '/functions/x'], ['GET', '/auth/me'], ['GET', '/auth/sessions'], ['POST', '/auth/logout'], ['GET', '/auth/scopes'],
    ['POST', '/auth/change-password'], ['GET', '/auth/mfa/factors'], ['POST', '/auth/mfa/challenge'], ['GET', '/cron'], ['GET', '/logs'],
    ['GET', '/oauth/grants'], ['DELETE', `/oauth/grants/${client.client_id}`], ['GET', '/oauth/userinfo'], ['POST', '/oauth/userinfo'],
    ['POST', '/../mcp'], ['GET', '/../mcp'],
  ];
  for (const [method, path] of doors) {
    const { status } = await service.request(path, { method, as, ...(method === 'POST' && { body: '{}' }) });
    t.equal(status, 401, `${method} ${path}`);
  }
  t.same(refusal(await service.post('/auth/refresh', { refreshToken: as })), [401, 'INVALID_TOKEN']);
  t.equal((await service.refresh(client, as)).body.error, 'invalid_grant');
  t.equal((await service.redeem(client, as)).body.error, 'invalid_grant');
  const { location } = await service.decide({
    request_token: await service.ask(requestOf(client)), session_token: as, decision: 'allow',
  });
  t.equal(location?.searchParams.get('error'), 'access_denied');
  t.equal((await service.request(`/storage/file/x?token=${as}`, { as: null })).status, 401);
  t.equal((await service.form('/oauth/revoke', { ...client, token: as })).status, 200);
  t.equal((await service.refresh(client, refresh_token)).status, 200, 'it revoked nothing');
  const socket = await connect(t, service);
  t.equal((await socket.request('AUTHENTICATE', { token: as })).type, 'AUTH_ERROR');
});
