import { test } from 'tap';
import { SERVICE_KEY } from '../harness/service.ts';
import { createDatabase } from '../harness/database.ts';
import { OPEN, PASSWORD, refusal, lendAccounts, serveAt } from './people.ts';

test('admins make, change and delete accounts', async t => {
  const { request, login, post } = await lendAccounts(t);
  const admin = (path: string, method = 'GET', body?: object, as = SERVICE_KEY) =>
    request(`/admin/users${path}`, { method, as, ...(body && { body: JSON.stringify(body) }) });
  const made = await admin('', 'POST', {
    email: 'Ada@example.org', password: PASSWORD, displayName: 'Ada', photoUrl: 'https://example.org/a.png', metadata: { team: 7 },
    roles: ['editor', 'editor'],
  });
  t.equal(made.status, 201);
  t.match(made.body, { user: { uid: /^[0-9a-f-]{36}$/, email: 'ada@example.org', displayName: 'Ada', photoURL: 'https://example.org/a.png',
    providerId: 'custom',
    roles: ['editor'], disabled: false, createdAt: /^\d{4}-.*Z$/, updatedAt: /Z$/ }, invitationSent: false });
  t.notOk('temporaryPassword' in made.body);
  const { uid } = made.body.user;
  const { access, refresh } = await login('ada@example.org');
  t.match((await request('/auth/me', { as: access })).body.user, { emailVerified: true, metadata: { team: 7 } });
  t.same(refusal(await admin('', 'POST', { email: 'ada@EXAMPLE.org' })), [409, 'EMAIL_EXISTS']);
  t.same((await admin(`/${uid}`)).body.user.uid, uid);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    t.same(refusal(await admin('/nobody', method, method === 'PUT' ? {} : undefined)), [404, 'USER_NOT_FOUND'], method);
  }

  const changed = await admin(`/${uid}`, 'PUT', { email: 'countess@example.org', displayName: 'Ada L.', roles: ['author'] });
  t.match(changed.body.user, { email: 'countess@example.org', displayName: 'Ada L.', roles: ['author'] });
  t.match((await request('/auth/me', { as: access })).body.user, { roles: ['author'] }, 'her token is of now');
  t.same((await admin(`/${uid}`, 'PUT', { roles: [] })).body.user.roles, []);
  t.equal((await admin(`/${uid}`, 'PUT', {})).body.user.displayName, 'Ada L.', 'what is not sent stays');
  await admin('', 'POST', { email: 'taken@example.org' });
  t.same(refusal(await admin(`/${uid}`, 'PUT', { email: 'taken@example.org' })), [409, 'EMAIL_EXISTS']);

  t.equal((await admin(`/${uid}`, 'PUT', { disabled: true })).body.user.disabled, true);
  t.same(refusal(await request('/auth/me', { as: access })), [401, 'UNAUTHORIZED']);
  t.same(refusal(await post('/auth/refresh', { refreshToken: refresh })), [401, 'SESSION_REVOKED']);
  t.same(refusal(await post('/auth/login', { email: 'countess@example.org', password: PASSWORD })), [403, 'FORBIDDEN'],
    'only to who knows the password');
  t.same(refusal(await post('/auth/login', { email: 'countess@example.org', password: 'Wrong-horse-1' })), [401, 'INVALID_CREDENTIALS']);
  t.equal((await admin(`/${uid}`, 'PUT', { disabled: false, password: 'Other-horse-2' })).status, 200);
  const again = await login('countess@example.org', 'Other-horse-2');
  t.same((await admin(`/${uid}`, 'DELETE')).body, { success: true });
  t.same(refusal(await request('/auth/me', { as: again.access })), [401, 'UNAUTHORIZED']);
  t.same(refusal(await post('/auth/refresh', { refreshToken: again.refresh })), [401, 'INVALID_TOKEN']);
});

test('an account that exists elsewhere keeps its uid', async t => {
  const { request } = await lendAccounts(t);
  const make = (body: object) => request('/admin/users', { method: 'POST', body: JSON.stringify(body) });
  t.equal((await make({ uid: 'ada.lovelace', email: 'ada@example.org' })).body.user.uid, 'ada.lovelace');
  t.same(refusal(await make({ uid: 'ada.lovelace', email: 'other@example.org' })), [409, 'EMAIL_EXISTS']);
  for (const uid of ['service', 'anonymous', 'anon', 'api-key:1', ' x', '', 'x'.repeat(129), 7]) {
    t.same(refusal(await make({ uid, email: 'x@example.org' })), [400, 'INVALID_INPUT'], String(uid).slice(0, 20));
  }
});

test('without mail a password is made up, and told once', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const { request, login, post } = await serveAt(t, url,
    { NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://app.example.com' });
  const made = await request('/admin/users', { method: 'POST', body: JSON.stringify({ email: 'ada@example.org' }) });
  t.match(made.body.temporaryPassword, /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-HJ-NP-Za-km-z2-9]{16}$/);
  const session = await login('ada@example.org', made.body.temporaryPassword);
  const reset = await request(`/admin/users/${session.uid}/reset-password`, { method: 'POST' });
  t.match(reset.body, {
    user: { uid: session.uid, email: 'ada@example.org', displayName: null, roles: [] }, invitationSent: false,
    temporaryPassword: /^\w{16}$/,
  });
  t.same(refusal(await request('/auth/me', { as: session.access })), [401, 'SESSION_REVOKED'], 'every session is ended');
  t.same(refusal(await post('/auth/refresh', { refreshToken: session.refresh })), [401, 'SESSION_REVOKED']);
  await login('ada@example.org', reset.body.temporaryPassword);
  const chosen = await request(`/admin/users/${session.uid}/reset-password`,
    { method: 'POST', body: JSON.stringify({ password: PASSWORD }) });
  t.notOk('temporaryPassword' in chosen.body);
  await login('ada@example.org');
  for (const [path, method] of [['', 'POST'], [`/${session.uid}`, 'PUT'], [`/${session.uid}/reset-password`, 'POST']] as const) {
    const weak = await request(`/admin/users${path}`, { method, body: JSON.stringify({ email: 'x@example.org', password: 'weak' }) });
    t.same(refusal(weak), [400, 'WEAK_PASSWORD'], `${method} ${path}`);
  }
  t.same(refusal(await request('/admin/users/nobody/reset-password', { method: 'POST' })), [404, 'USER_NOT_FOUND']);
});

test('accounts are listed, looked for and sorted', async t => {
  const { request, sql } = await lendAccounts(t);
  for (const [n, name] of ['Ada', 'bob', 'Cyd', 'dan'].entries()) {
    await sql`insert into service.users (uid, email, display_name, roles, created_at)
      values (${name}, ${`${name.toLowerCase()}@example.org`}, ${name.toUpperCase()},
      ${n < 2 ? '{editor}' : '{}'}::text[], ${`2026-01-0${n + 1}`})`;
  }
  const list = async (query = '') => (await request(`/admin/users${query}`)).body;
  const uids = async (query: string) => ((await list(query)).users as { uid: string }[]).map(({ uid }) => uid);
  t.match(await list(), { total: 4, limit: 25, offset: 0, users: [{ uid: 'dan' }, { uid: 'Cyd' }, { uid: 'bob' }, { uid: 'Ada' }] });
  t.match(await list('?limit=2&offset=1'), { total: 4, limit: 2, offset: 1, users: [{ uid: 'Cyd' }, { uid: 'bob' }] });
  t.same(await uids('?orderBy=displayName&orderDir=asc'), ['Ada', 'bob', 'Cyd', 'dan']);
  t.same(await uids('?orderBy=email&orderDir=desc'), ['dan', 'Cyd', 'bob', 'Ada']);
  t.same(await uids('?orderBy=updatedAt&limit=1'), ['Ada']);
  t.same(await uids('?search=A'), ['dan', 'Cyd', 'bob', 'Ada'], 'every address has one');
  t.same(await uids('?search=yD'), ['Cyd']);
  t.same(await uids('?search=%25'), [], 'nothing in it is a pattern');
  t.same(await uids('?role=editor'), ['bob', 'Ada']);
  t.match(await list('?ids=dan,nobody,Ada'), { total: 2, limit: 3, offset: 0, users: [{ uid: 'dan' }, { uid: 'Ada' }] });
  const refused: [query: string, code: string][] = [
    ['?limit=1001', 'INVALID_LIMIT'], ['?limit=0', 'INVALID_LIMIT'], ['?offset=-1', 'INVALID_OFFSET'],
    ['?orderBy=password_hash', 'INVALID_PARAM'], ['?orderDir=up', 'INVALID_PARAM'], ['?wanted=1', 'INVALID_PARAM'],
    [`?ids=${Array.from({ length: 101 }, (_, n) => n).join(',')}`, 'INVALID_PARAM'],
  ];
  for (const [query, code] of refused) t.same(refusal(await request(`/admin/users${query}`)), [400, code], query.slice(0, 30));
});

test('bodies of accounts are refused field by field', async t => {
  const { request } = await lendAccounts(t);
  const wrong: [body: object, field: string][] = [
    [{}, 'email'], [{ email: 'a@b.cc', roles: 'admin' }, 'roles'], [{ email: 'a@b.cc', roles: ['a,b'] }, 'roles'],
    [{ email: 'a@b.cc', roles: ['service'] }, 'roles'], [{ email: 'a@b.cc', roles: [''] }, 'roles'],
    [{ email: 'a@b.cc', metadata: [] }, 'metadata'], [{ email: 'a@b.cc', metadata: { a: '\u0000' } }, 'metadata'],
    [{ email: 'a@b.cc', metadata: JSON.parse('{"a":'.repeat(200) + '1' + '}'.repeat(200)) }, 'metadata'],
    [{ email: 'a,b@b.cc' }, 'email'],
    [{ email: 'a@b.cc', photoUrl: 'x' }, 'photoUrl'], [{ email: 'a@b.cc', displayName: 7 }, 'displayName'],
  ];
  for (const [body, field] of wrong) {
    const answer = await request('/admin/users', { method: 'POST', body: JSON.stringify(body) });
    t.same(refusal(answer), [400, 'INVALID_INPUT']);
    t.match(answer.body.error.message, new RegExp(`^${field}: `));
  }
});

test('the last admin stays', async t => {
  const { register, request, sql } = await lendAccounts(t);
  const { access: as, uid } = await register('ada@example.org');
  const { uid: bob } = await register('bob@example.org');
  const admin = (path: string, method: string, body?: object, by = as) =>
    request(`/admin/users${path}`, { method, as: by, ...(body && { body: JSON.stringify(body) }) });
  t.same(refusal(await admin(`/${uid}`, 'DELETE')), [400, 'SELF_DELETE']);
  for (const body of [{ roles: [] }, { disabled: true }]) t.same(refusal(await admin(`/${uid}`, 'PUT', body)), [403, 'LAST_ADMIN']);
  t.same(refusal(await admin(`/${uid}`, 'DELETE', undefined, SERVICE_KEY)), [403, 'LAST_ADMIN']);
  t.equal((await admin(`/${bob}`, 'PUT', { roles: ['admin'] })).status, 200);
  const both = await Promise.all([
    admin(`/${uid}`, 'PUT', { roles: [] }, SERVICE_KEY), admin(`/${bob}`, 'PUT', { disabled: true }, SERVICE_KEY),
  ]);
  t.same(both.map(({ status }) => status).sort(), [200, 403], 'also when two go at once');
  const [row] = await sql`select count(*)::int as admins from service.users where 'admin' = any (roles) and not disabled`;
  t.equal(row?.['admins'], 1);
});

test('callers without rights manage no account', async t => {
  const { register, request, post } = await lendAccounts(t, { ...OPEN, ALLOW_ANONYMOUS: 'true' });
  await register('ada@example.org');
  const { access } = await register('bob@example.org');
  const guest = (await post('/auth/anonymous')).body.tokens.accessToken;
  for (const [method, path] of [
    ['GET', ''], ['POST', ''], ['GET', '/x'], ['PUT', '/x'], ['DELETE', '/x'], ['POST', '/x/reset-password'],
  ] as const) {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
    for (const as of [access, guest]) {
      t.same(refusal(await request(`/admin/users${path}`, { method, as, ...body })), [403, 'FORBIDDEN'], `${method} ${path}`);
    }
    t.same(refusal(await request(`/admin/users${path}`, { method, as: null, ...body })), [401, 'UNAUTHORIZED'], `${method} ${path}`);
  }
});

test('the first registered account can become the first admin', async t => {
  const { register, request, sql, post } = await lendAccounts(t, { ...OPEN, ALLOW_ANONYMOUS: 'true' });
  const bootstrap = async (as: string | null) => request('/admin/bootstrap', { method: 'POST', as });
  const guest = (await post('/auth/anonymous')).body.tokens.accessToken;
  const { access, uid } = await register('ada@example.org');
  t.same(refusal(await bootstrap(access)), [403, 'BOOTSTRAP_COMPLETED'], 'she is one already');
  await sql`update service.users set roles = '{}'`;
  const { access: second } = await register('bob@example.org');
  t.same(refusal(await bootstrap(null)), [403, 'BOOTSTRAP_ANONYMOUS']);
  t.same(refusal(await bootstrap(guest)), [403, 'BOOTSTRAP_ANONYMOUS']);
  t.same(refusal(await bootstrap(second)), [403, 'BOOTSTRAP_NOT_FIRST_USER']);
  t.same(refusal(await bootstrap(SERVICE_KEY)), [404, 'USER_NOT_FOUND']);
  const done = await bootstrap(access);
  t.match(done.body, { success: true, message: /\w/, user: { uid, roles: ['admin'] } });
  t.equal((await request('/admin/users', { as: access })).status, 200, 'the token of before is an admin\'s');
  t.same(refusal(await bootstrap(access)), [403, 'BOOTSTRAP_COMPLETED']);
});
