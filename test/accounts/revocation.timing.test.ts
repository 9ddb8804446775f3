// Two gateways on one database: what is revoked at one is worth nothing at the other, also when it cannot hear of it.
import { setTimeout } from 'node:timers/promises';
import { SignJWT, UnsecuredJWT } from 'jose';
import { test } from 'tap';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { JWT_SECRET, SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { OPEN, PASSWORD, refusal, lendAccounts, serveAt, sessionOf } from './people.ts';

const DEAFEN = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'rowgate listen'`;

test('a session that was ended at one gateway is over at the other', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const [here, there] = [await serveAt(t, url, OPEN), await serveAt(t, url, OPEN)];
  for (let round = 0; round < 10; round++) {
    const session = await here.register(`ada${round}@example.org`);
    t.equal((await there.request('/auth/me', { as: session.access })).status, 200);
    await here.post('/auth/logout', { refreshToken: session.refresh });
    t.same(refusal(await here.request('/auth/me', { as: session.access })), [401, 'SESSION_REVOKED'], 'at once where it was ended');
    await setTimeout(100);
    t.same(refusal(await there.request('/auth/me', { as: session.access })), [401, 'SESSION_REVOKED'],
      'within a tenth of a second elsewhere');
  }
});

test('a gateway that hears nothing trusts nothing that it knew', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const [here, there] = [await serveAt(t, url, OPEN), await serveAt(t, url, OPEN)];
  const sessions = await Promise.all(Array.from({ length: 8 }, (_, n) => here.register(`ada${n}@example.org`)));
  for (const { access, refresh } of sessions) {
    t.equal((await there.request('/auth/me', { as: access })).status, 200);
    await sql.unsafe(DEAFEN);
    await here.post('/auth/logout', { refreshToken: refresh });
    await setTimeout(100);
    t.same(refusal(await there.request('/auth/me', { as: access })), [401, 'SESSION_REVOKED']);
  }
});

test('a revocation is answered when every worker knows', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const gateway = startGateway(t, { DATABASE_URL: url, ...OPEN, SERVICE_WORKERS: '2', DB_POOL_MAX: '12', SERVICE_SOURCE: 'tables' });
  const address = await addressOf(gateway);
  const ask = (path: string, as?: string, body?: object) => fetch(`${address}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', 'connection': 'close', ...(as !== undefined && { authorization: `Bearer ${as}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  for (let round = 0; round < 5; round++) {
    const answer = await ask('/auth/register', undefined, { email: `ada${round}@example.org`, password: PASSWORD });
    const { tokens } = await answer.json() as { tokens: { accessToken: string; refreshToken: string } };
    const seen = async () =>
      new Set(await Promise.all(Array.from({ length: 12 }, async () => (await ask('/auth/me', tokens.accessToken)).status)));
    t.same([...await seen()], [200]);
    t.equal((await ask('/auth/logout', undefined, { refreshToken: tokens.refreshToken })).status, 200);
    t.same([...await seen()], [401], 'whichever worker answers');
  }
});

test('tokens that are not what they seem', async t => {
  const { register, request, post, sql } = await lendAccounts(t, { ...OPEN, ALLOW_ANONYMOUS: 'true' });
  const ada = await register('ada@example.org');
  const bob = await register('bob@example.org');
  const secret = new TextEncoder().encode(JWT_SECRET);
  const signed = (claims: Record<string, unknown>, header: object = {}, key = secret) =>
    new SignJWT({ uid: ada.uid, ...claims }).setProtectedHeader({ alg: 'HS256', ...header }).setIssuedAt().setExpirationTime('1h')
      .sign(key);
  const sessionId = async (uid: string) => (await sql`select id from service.sessions where uid = ${uid}`)[0]?.['id'] as string;
  const attacks: Record<string, [token: string, code: string]> = {
    'for another purpose': [await signed({ purpose: 'mfa-pending' }), 'UNAUTHORIZED'],
    'without a signature': [new UnsecuredJWT({ uid: ada.uid }).setIssuedAt().setExpirationTime('1h').encode(), 'UNAUTHORIZED'],
    'of another secret': [await signed({}, {}, new TextEncoder().encode('another secret that is long enough 0123456789')), 'UNAUTHORIZED'],
    'of a key that nobody has': [
      await signed({}, { kid: '../../dev/null' }, new TextEncoder().encode('')).catch(() => 'none'), 'UNAUTHORIZED',
    ],
    'in the session of somebody else': [await signed({ sid: await sessionId(bob.uid) }), 'SESSION_REVOKED'],
    'in no session at all': [await signed({ sid: '00000000-0000-0000-0000-000000000000' }), 'SESSION_REVOKED'],
    'in a session that is none': [await signed({ sid: '\'; drop table service.users' }), 'SESSION_REVOKED'],
    'of the service itself': [await tokenFor('service', ['admin']), 'UNAUTHORIZED'],
    'a refresh token': [ada.refresh, 'UNAUTHORIZED'],
  };
  for (const [name, [token, code]] of Object.entries(attacks)) t.same(refusal(await request('/auth/me', { as: token })), [401, code], name);
  t.same(refusal(await request('/admin/users', { as: await signed({ roles: ['admin'], uid: bob.uid, sid: await sessionId(bob.uid) }) })),
    [403, 'FORBIDDEN'], 'roles that a token claims');
  for (const refreshToken of [ada.access, SERVICE_KEY, '', 'x'.repeat(513)]) {
    t.ok([400, 401].includes((await post('/auth/refresh', { refreshToken })).status), 'no refresh token');
  }
  t.equal((await request('/auth/me', { as: sessionOf(await post('/auth/refresh', { refreshToken: ada.refresh })).access })).status, 200);
});
