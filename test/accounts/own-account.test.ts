import { test } from 'tap';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { OPEN, PASSWORD, refusal, lendAccounts } from './people.ts';

test('people see and change what their account says of them', async t => {
  const { register, request } = await lendAccounts(t);
  const { access: as, uid } = await register('ada@example.org');
  const me = await request('/auth/me', { as });
  t.same(me.body, { user: { uid, email: 'ada@example.org', displayName: null, photoURL: null, providerId: 'password', isAnonymous: false,
    emailVerified: false,
    roles: ['admin'], metadata: {}, pendingEmail: null } });
  const patch = (body: object) => request('/auth/me', { as, method: 'PATCH', body: JSON.stringify(body) });
  t.match((await patch({ displayName: 'Ada', roles: [], email: 'x@y.zz' })).body.user,
    { displayName: 'Ada', photoURL: null, email: 'ada@example.org', roles: ['admin'] });
  t.match((await patch({ photoURL: 'https://example.org/a.png' })).body.user,
    { displayName: 'Ada', photoURL: 'https://example.org/a.png' });
  for (const body of [
    { displayName: null }, { photoURL: 'a.png' }, { photoURL: 'javascript:alert(1)' }, { photoURL: `https://${'x'.repeat(2050)}` },
  ]) {
    t.same(refusal(await patch(body)), [400, 'INVALID_INPUT'], JSON.stringify(body).slice(0, 50));
  }
  t.same(refusal(await request('/auth/me', { as: null })), [401, 'UNAUTHORIZED']);
  t.same(refusal(await request('/auth/me', { as: SERVICE_KEY })), [404, 'NOT_FOUND']);
});

test('every session is listed, and each can be ended', async t => {
  const { register, login, post, request } = await lendAccounts(t);
  const phone = await register('ada@example.org');
  const laptop = await login('ada@example.org');
  const tablet = await login('ada@example.org');
  const mallory = await register('mallory@example.org');
  const list = async (as: string) => (await request('/auth/sessions', { as })).body.sessions as { id: string; isCurrentSession: boolean }[];
  const sessions = await list(laptop.access);
  t.equal(sessions.length, 3);
  t.same(sessions.map(({ isCurrentSession }) => isCurrentSession), [false, true, false], 'the newest first');
  t.match(sessions[0], { id: /^[0-9a-f-]{36}$/, userAgent: 'node', ipAddress: '127.0.0.1', createdAt: /^\d{4}-.*Z$/ });
  const end = (id: string, as: string) => request(`/auth/sessions/${id}`, { as, method: 'DELETE' });
  t.equal((await end(sessions[0]?.id ?? '', mallory.access)).status, 200, 'what is not hers she is told nothing of');
  t.equal((await request('/auth/me', { as: tablet.access })).status, 200, 'and it goes on');
  for (const id of ['unknown', '00000000-0000-0000-0000-000000000000']) t.equal((await end(id, laptop.access)).status, 200);
  t.equal((await end(sessions[0]?.id ?? '', laptop.access)).status, 200);
  t.same(refusal(await request('/auth/me', { as: tablet.access })), [401, 'SESSION_REVOKED']);
  t.equal((await list(laptop.access)).length, 2);
  t.equal((await request('/auth/sessions', { as: laptop.access, method: 'DELETE' })).status, 200);
  t.same(refusal(await request('/auth/me', { as: phone.access })), [401, 'SESSION_REVOKED']);
  t.equal((await request('/auth/me', { as: laptop.access })).status, 200, 'the one that asked goes on');
  t.equal((await post('/auth/refresh', { refreshToken: laptop.refresh })).status, 200);
});

test('a changed password ends every session', async t => {
  const { register, login, post, request, sql } = await lendAccounts(t);
  const { access, refresh, uid } = await register('ada@example.org');
  const change = (oldPassword: string, newPassword: string, as: string | null = access) =>
    post('/auth/change-password', { oldPassword, newPassword }, as);
  t.same(refusal(await change('Wrong-horse-1', 'weak')), [401, 'INVALID_CREDENTIALS'], 'before the new one is looked at');
  t.same(refusal(await change(PASSWORD, 'weak')), [400, 'WEAK_PASSWORD']);
  t.same(refusal(await change(PASSWORD, 'New-horse-22', null)), [401, 'UNAUTHORIZED']);
  t.equal((await change(PASSWORD, 'New-horse-22')).status, 200);
  t.same(refusal(await request('/auth/me', { as: access })), [401, 'SESSION_REVOKED']);
  t.same(refusal(await post('/auth/refresh', { refreshToken: refresh })), [401, 'SESSION_REVOKED']);
  t.same(refusal(await post('/auth/login', { email: 'ada@example.org', password: PASSWORD })), [401, 'INVALID_CREDENTIALS']);
  const { access: again } = await login('ada@example.org', 'New-horse-22');
  await sql`update service.users set password_hash = null where uid = ${uid}`;
  t.same(refusal(await change('New-horse-22', 'Other-horse-3', again)), [400, 'INVALID_ACCOUNT']);
});

test('people are found by their address where that is allowed', async t => {
  const { register, post } = await lendAccounts(t, { ...OPEN, AUTH_ALLOW_USER_LOOKUP: 'true' });
  const { access, uid } = await register('ada@example.org');
  t.same((await post('/auth/find-user', { email: 'ADA@example.org' }, access)).body, { user: { uid, displayName: null, photoURL: null } });
  t.same((await post('/auth/find-user', { email: 'nobody@example.org' }, access)).body, { user: null });
  t.same(refusal(await post('/auth/find-user', { email: 'ada@example.org' })), [401, 'UNAUTHORIZED']);
  const without = await lendAccounts(t);
  const answer = await without.post('/auth/find-user', { email: 'ada@example.org' }, (await without.register('ada@example.org')).access);
  t.same([...refusal(answer), answer.body.error.details.setting], [501, 'FEATURE_DISABLED', 'AUTH_ALLOW_USER_LOOKUP']);
});

test('a token stands for an account: its roles are those of now, and without one it is nothing', async t => {
  const { register, request, sql, address } = await lendAccounts(t);
  const { access, uid } = await register('ada@example.org');
  const audit = () => request('/admin/rls-audit', { as: access });
  const changed = (status: number, what: string) => until(what, async () => (await audit()).status === status);
  t.equal((await audit()).status, 200);
  await sql`update service.users set roles = '{editor}' where uid = ${uid}`;
  await changed(403, 'the roles that a DBA changed are heard of');
  await sql`update service.users set disabled = true where uid = ${uid}`;
  await changed(401, 'that the account is disabled is heard of');
  t.same(refusal(await audit()), [401, 'UNAUTHORIZED']);
  await sql`update service.users set disabled = false where uid = ${uid}`;
  await changed(403, 'that it is no longer disabled is heard of');
  await sql`delete from service.users where uid = ${uid}`;
  await changed(401, 'that the account is deleted is heard of');
  const unknown = await fetch(`${address}/api/auth/me`, { headers: { authorization: `Bearer ${await tokenFor('nobody', ['admin'])}` } });
  t.equal(unknown.status, 401, 'a token that is right and of nobody');
});

test('an account that cannot be looked up is refused', async t => {
  const { register, request, sql } = await lendAccounts(t);
  const { access } = await register('ada@example.org');
  await sql`alter function service_private.account_standing(text, text, numeric) rename to away`;
  t.same(refusal(await request('/auth/me', { as: access })), [503, 'ROLE_LOOKUP_FAILED']);
  await sql`alter function service_private.away(text, text, numeric) rename to account_standing`;
  t.equal((await request('/auth/me', { as: access })).status, 200, 'which is not remembered');
});
