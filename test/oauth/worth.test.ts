import { decodeJwt, SignJWT } from 'jose';
import { test, type Test } from 'tap';
import { withSecondFactor, codeOf } from '../accounts/authenticator.ts';
import { PASSWORD, sessionOf } from '../accounts/people.ts';
import { settingsFile } from '../accounts/settings-file.ts';
import { JWT_SECRET, SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { connect } from '../harness/socket.ts';
import { until } from '../harness/until.ts';
import { clientDoor } from './client-door.ts';
import { ISSUER, RESOURCE, serveOAuth, type OAuthService } from './clients.ts';

async function letIn(t: Test, service?: OAuthService) {
  const own = service ?? await serveOAuth(t);
  await own.register('first@example.org'); // the admin
  const ada = await own.register('ada@example.org');
  const client = await own.registerClient();
  const tokens = await own.letIn(client, ada);
  return { service: own, ada, client, tokens, door: await clientDoor(t, own, ISSUER) };
}

test('an access token is its account, within its scopes, and asks nothing once it is known', async t => {
  const { ada, client, tokens, door } = await letIn(t);
  const caller = await door.caller(tokens.access_token);
  t.match(caller, {
    uid: ada.uid, kind: 'user', roles: [], isGuest: false, session: { aal: 'aal1' },
    client: { id: client.client_id, scopes: ['data:read', 'data:write'] },
  });
  const claims = JSON.parse(caller?.claims[3] ?? '{}') as object;
  t.same(claims, {
    sub: ada.uid, roles: [], is_anonymous: false, aal: 'aal1', client_id: client.client_id, scope: 'data:read data:write',
  });
  t.equal(door.asked(), 1);
  t.equal(await door.caller(tokens.access_token), caller);
  t.equal(door.asked(), 1);
});

test('no other token opens the door of clients', async t => {
  const { ada, tokens, door } = await letIn(t);
  const { sid, client_id, scope } = decodeJwt<{ sid: string; client_id: string; scope: string }>(tokens.access_token);
  const signed = (changes: Record<string, unknown>, typ = 'at+jwt', secret = JWT_SECRET, alg = 'HS256') => new SignJWT({
    uid: ada.uid, sub: ada.uid, roles: [], aal: 'aal1', sid, client_id, scope, purpose: 'mcp', iss: ISSUER, aud: RESOURCE,
    iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 60, ...changes,
  }).setProtectedHeader({ alg, typ }).sign(new TextEncoder().encode(secret));
  t.ok(await door.caller(await signed({})), 'the pattern is right');
  const other = { 'sid': await signed({ sid: '5f1e2b1c-7d5c-4b0e-9d53-5a7f0d3c2b1a' }), 'no sid': await signed({ sid: undefined }) };
  const tokensThatAreNone: Record<string, string> = {
    'nothing': '', 'nonsense': 'x', 'an API key': `rk_live_${'a'.repeat(32)}`, 'the service key': SERVICE_KEY, 'a session': ada.access,
    'a token without a session': await tokenFor(ada.uid), 'a refresh token': tokens.refresh_token,
    'another issuer': await signed({ iss: 'https://other.example.com' }), 'another audience': await signed({ aud: `${RESOURCE}/x` }),
    'another purpose': await signed({ purpose: 'file-read' }), 'no purpose': await signed({ purpose: undefined }),
    'another type': await signed({}, 'JWT'), 'another secret': await signed({}, 'at+jwt', `${JWT_SECRET}x`),
    'another algorithm': await signed({}, 'at+jwt', JWT_SECRET, 'HS384'), 'expired': await signed({ exp: 1 }),
    'no end': await signed({ exp: undefined }), 'another account': await signed({ uid: 'u2', sub: 'u2' }), ...other,
  };
  for (const [name, token] of Object.entries(tokensThatAreNone)) t.equal(await door.caller(token), undefined, name);
});

test('an access token opens no other door', async t => {
  const setup = `create table notes (id integer primary key); alter table notes enable row level security;
    create policy everybody on notes using (true)`;
  const { service, tokens: { access_token: as } } = await letIn(t, await serveOAuth(t, {}, { setup }));
  const doors: [string, string][] = [
    ['GET', '/data/notes'], ['POST', '/data/notes'], ['GET', '/admin/users'], ['GET', '/storage/list'], ['GET', '/storage/file/x'],
    ['POST', '/functions/x'], ['GET', '/auth/me'], ['GET', '/auth/sessions'], ['GET', '/oauth/grants'], ['GET', '/cron'],
    ['DELETE', '/oauth/grants/x'], ['GET', '/auth/mfa/factors'], ['POST', '/auth/mfa/challenge'], ['GET', '/logs'],
  ];
  for (const [method, path] of doors) {
    const { status } = await service.request(path, { method, as, ...(method === 'POST' && { body: '{}' }) });
    t.equal(status, 401, `${method} ${path}`);
  }
  const socket = await connect(t, service);
  t.equal((await socket.request('AUTHENTICATE', { token: as })).type, 'AUTH_ERROR');
});

test('what ends an account\'s sessions ends its clients, at once', async t => {
  const ends: [string, (service: OAuthService, uid: string, access: string) => Promise<unknown>][] = [
    ['disabled', ({ sql }, uid) => sql`update service.users set disabled = true where uid = ${uid}`],
    ['deleted', ({ sql }, uid) => sql`delete from service.users where uid = ${uid}`],
    ['end_all_sessions', ({ sql }, uid) => sql`select service.end_all_sessions(${uid})`],
    ['a changed password', ({ post }, _, access) =>
      post('/auth/change-password', { oldPassword: PASSWORD, newPassword: 'Another-horse-2' }, access)],
    ['a password that an admin sets', ({ request }, uid) =>
      request(`/admin/users/${uid}`, { method: 'PUT', body: JSON.stringify({ password: 'Another-horse-2' }) })],
    ['a DBA\'s own statement', ({ sql }, uid) => sql`update service.oauth_families set revoked_at = now() where uid = ${uid}`],
    ['a deleted client', ({ sql }) => sql`delete from service.oauth_clients`],
  ];
  for (const [name, end] of ends) {
    const { service, ada, client, tokens, door } = await letIn(t);
    const waiting = await service.codeFor(client, ada);
    t.ok(await door.caller(tokens.access_token), name);
    await end(service, ada.uid, ada.access);
    await until(`the end is heard: ${name}`, async () => await door.caller(tokens.access_token) === undefined);
    const refreshed = await service.refresh(client, tokens.refresh_token);
    t.equal(refreshed.status, name === 'a deleted client' ? 401 : 400, `${name}: ${refreshed.text}`);
    if (name !== 'a DBA\'s own statement') t.not((await service.redeem(client, waiting)).status, 200, `${name}: a code of before`);
  }
});

test('signing out leaves clients in, and roles count as they are', async t => {
  const { service, ada, client, tokens, door } = await letIn(t);
  t.same((await door.caller(tokens.access_token))?.roles, []);
  t.equal((await service.post('/auth/logout', {}, ada.access)).status, 200);
  await service.sql`update service.users set roles = '{editor}' where uid = ${ada.uid}`;
  await until('the role is heard of', async () => (await door.caller(tokens.access_token))?.roles.includes('editor') === true);
  t.same(decodeJwt((await service.refresh(client, tokens.refresh_token)).body.access_token)['roles'], ['editor']);
});

test('a disabled account\'s refresh token works again when the account does', async t => {
  const { service, ada, client, tokens } = await letIn(t);
  await service.sql`update service.users set disabled = true where uid = ${ada.uid}`;
  t.equal((await service.refresh(client, tokens.refresh_token)).status, 400);
  await service.sql`update service.users set disabled = false where uid = ${ada.uid}`;
  t.equal((await service.refresh(client, tokens.refresh_token)).status, 200);
});

test('people see the clients that they let in, and withdraw', async t => {
  const { service, ada, client, tokens, door } = await letIn(t);
  const bob = await service.register('bob@example.org');
  const { status, body } = await service.request('/oauth/grants', { as: ada.access });
  t.equal(status, 200);
  t.match(body, { grants: [{
    clientId: client.client_id, clientName: 'A client', scope: 'data:read data:write', grantedAt: /^\d{4}-.*Z$/, activeTokens: 1,
  }] });
  t.same((await service.request('/oauth/grants', { as: bob.access })).body, { grants: [] });
  for (const as of [null, SERVICE_KEY, tokens.access_token]) {
    const refused = await service.request('/oauth/grants', { as });
    t.same([refused.status, refused.body.error], [401, 'unauthorized']);
  }
  const withdraw = (as: string) => service.request(`/oauth/grants/${client.client_id}`, { method: 'DELETE', as });
  t.same([(await withdraw(bob.access)).status, (await withdraw(bob.access)).body.error], [404, 'not_found']);
  t.ok(await door.caller(tokens.access_token));
  const waiting = await service.codeFor(client, ada);
  t.match((await withdraw(ada.access)).body, { revoked: true, note: String });
  await until('the withdrawal is heard of', async () => await door.caller(tokens.access_token) === undefined);
  t.equal((await service.refresh(client, tokens.refresh_token)).body.error, 'invalid_grant');
  t.equal((await service.redeem(client, waiting)).body.error, 'invalid_grant');
  t.equal((await withdraw(ada.access)).status, 404);
  await service.letIn(client, ada);
  await service.sql`delete from service.oauth_clients`;
  const { body: after } = await service.request('/oauth/grants', { as: ada.access });
  t.match(after, { grants: [{ clientName: 'A client that is gone', activeTokens: 0 }] });
});

test('customize_claims is asked at issue and at refresh, and changes nothing of the service\'s own', async t => {
  const hooked = settingsFile(t, { hooks: { customize_claims: 'app.claims' } });
  const { service, ada, client, tokens, door } = await letIn(t, await serveOAuth(t, hooked, {
    setup: `create schema app; create table app.team (name text); insert into app.team values ('red');
      create function app.claims(claims jsonb, uid text) returns jsonb language plpgsql as $$ begin
        if (select name from app.team) = 'none' then raise exception 'no team'; end if;
        return jsonb_build_object('team', (select name from app.team), 'aal_seen', claims ->> 'aal', 'scope', 'data:delete',
          'client_id', 'other', 'purpose', 'x', 'iss', 'x', 'aud', 'x', 'sid', 'x');
      end $$;`,
  }));
  const own = {
    team: 'red', aal_seen: 'aal1', scope: 'data:read data:write', client_id: client.client_id, purpose: 'mcp', iss: ISSUER, aud: RESOURCE,
  };
  t.match(decodeJwt(tokens.access_token), own);
  t.match(JSON.parse((await door.caller(tokens.access_token))?.claims[3] ?? ''), { team: 'red', client_id: client.client_id });
  await service.sql`update app.team set name = 'blue'`;
  const { body } = await service.refresh(client, tokens.refresh_token);
  t.match(decodeJwt(body.access_token), { ...own, team: 'blue' });
  const code = await service.codeFor(client, ada);
  await service.sql`update app.team set name = 'none'`;
  const refused = await service.refresh(client, body.refresh_token);
  t.same([refused.status, refused.body], [400, { error: 'invalid_grant', error_description: 'no team' }]);
  t.same((await service.redeem(client, code)).body, { error: 'invalid_grant', error_description: 'no team' });
  await service.sql`update app.team set name = 'red'`;
  t.equal((await service.redeem(client, code)).body.error, 'invalid_grant', 'the code is spent');
  t.equal((await service.refresh(client, body.refresh_token)).status, 200, 'the refresh token is not');
});

test('a client has the factors of the session that let it in', async t => {
  const service = await serveOAuth(t);
  const { access, uid, secret } = await withSecondFactor(service, 'ada@example.org');
  const client = await service.registerClient();
  t.equal(decodeJwt((await service.letIn(client, { access, uid, refresh: '' })).access_token)['aal'], 'aal1');
  const { body } = await service.post('/auth/login', { email: 'ada@example.org', password: PASSWORD });
  const { mfaToken, factors } = body.error.details;
  const { body: challenge } = await service.post('/auth/mfa/challenge', { factorId: factors[0].id }, mfaToken);
  const answer = { challengeId: challenge.challengeId, code: codeOf(secret) };
  const session = sessionOf(await service.post('/auth/mfa/challenge/verify', answer, mfaToken));
  const tokens = await service.letIn(client, session);
  t.equal(decodeJwt(tokens.access_token)['aal'], 'aal2');
  t.equal(decodeJwt((await service.refresh(client, tokens.refresh_token)).body.access_token)['aal'], 'aal2');
});
