import { setTimeout } from 'node:timers/promises';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { test } from 'tap';
import { createPasswords } from '../../gateway/identity/passwords.ts';
import { createDatabase } from '../harness/database.ts';
import { OPEN, PASSWORD, refusal, lendAccounts, serveAccounts, serveAt, sessionOf } from './people.ts';

test('registering signs in', async t => {
  const { post, request } = await lendAccounts(t);
  const answer = await post('/auth/register',
    { email: ' Ada@Example.ORG', password: PASSWORD, displayName: 'Ada', roles: ['admin'], uid: 'x' });
  t.equal(answer.status, 201);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  const { user, tokens } = answer.body;
  t.match(user, { uid: /^[0-9a-f-]{36}$/, email: 'ada@example.org', displayName: 'Ada', photoURL: null, providerId: 'password',
    isAnonymous: false,
    emailVerified: false, roles: ['admin'], metadata: {} }, 'the first one outside production is an admin, whatever the body says');
  t.match(tokens.refreshToken, /^[0-9a-f]{80}$/);
  t.same(decodeProtectedHeader(tokens.accessToken), { alg: 'HS256' });
  const claims = decodeJwt(tokens.accessToken);
  t.match(claims, { uid: user.uid, sub: user.uid, roles: ['admin'], aal: 'aal1', isAnonymous: false, sid: /^[0-9a-f-]{36}$/ });
  t.equal(tokens.accessTokenExpiresAt, (claims.exp ?? 0) * 1000);
  t.equal((claims.exp ?? 0) - (claims.iat ?? 0), 3600);
  const second = await post('/auth/register', { email: 'bob@example.org', password: PASSWORD, roles: ['admin'] });
  t.same(second.body.user.roles, [], 'nobody else gives himself roles');
  t.same(refusal(await request('/admin/rls-audit', { as: second.body.tokens.accessToken })), [403, 'FORBIDDEN']);
  t.equal((await request('/admin/rls-audit', { as: tokens.accessToken })).status, 200);
});

test('bodies are refused field by field, in order', async t => {
  const { post, request } = await lendAccounts(t);
  const wrong: [body: object, message: string][] = [
    [{}, 'email: is required. password: is required.'],
    [
      { email: 1, password: null },
      'email: must be an email address of at most 255 characters. password: must be a text of 1 to 128 characters.',
    ],
    [{ email: 'nobody', password: PASSWORD }, 'email: must be an email address of at most 255 characters.'],
    [{ email: `${'a'.repeat(251)}@b.cc`, password: PASSWORD }, 'email: must be an email address of at most 255 characters.'],
    [{ email: 'a\u0000@b.cc', password: PASSWORD }, 'email: must be an email address of at most 255 characters.'],
    [{ email: 'a@b.cc', password: 'A1a'.repeat(43) }, 'password: must be a text of 1 to 128 characters.'],
    [{ email: 'a@b.cc', password: PASSWORD, displayName: 'x'.repeat(256) }, 'displayName: must be a text of at most 255 characters.'],
    [{ email: 'a@b.cc', password: PASSWORD, displayName: '\ud800' }, 'displayName: must be a text of at most 255 characters.'],
  ];
  for (const [body, message] of wrong) {
    const answer = await post('/auth/register', body);
    t.same([...refusal(answer), answer.body.error.message], [400, 'INVALID_INPUT', message], JSON.stringify(body).slice(0, 60));
  }
  const weak: [password: string, lacks: string][] = [
    ['aB1', 'at least 8 characters'], ['abcdefg1', 'a capital letter'], ['ABCDEFG1', 'a small letter'], ['abcdEFGH', 'a digit'],
    ['abc', 'at least 8 characters, a capital letter, and a digit'],
  ];
  for (const [password, lacks] of weak) {
    const answer = await post('/auth/register', { email: 'a@b.cc', password });
    t.same([...refusal(answer), answer.body.error.message], [400, 'WEAK_PASSWORD', `The password needs ${lacks}.`]);
  }
  await post('/auth/register', { email: 'ada@example.org', password: PASSWORD });
  t.same(refusal(await post('/auth/register', { email: 'ADA@example.org ', password: PASSWORD })), [409, 'EMAIL_EXISTS']);
  t.same(refusal(await post('/auth/register', { email: 'ada@example.org', password: 'weak' })), [400, 'WEAK_PASSWORD'],
    'before the address is looked at');
  t.same(refusal(await request('/auth/register', { method: 'POST', as: null, body: '[]' })), [400, 'BAD_REQUEST']);
});

test('an unknown address, a wrong password and an account without one get the same answer', async t => {
  const { post, register, sql } = await lendAccounts(t, { ...OPEN, ALLOW_ANONYMOUS: 'true' });
  await register('ada@example.org');
  await sql`insert into service.users (email) values ('passwordless@example.org')`;
  await sql`insert into service.users (email, password_hash) values ('broken@example.org', '$argon2id$nonsense')`;
  const answers = await Promise.all(['nobody@example.org', 'ada@example.org', 'passwordless@example.org', 'broken@example.org']
    .map(email => post('/auth/login', { email, password: 'Wrong-horse-1' })));
  for (const { status, body: { error } } of answers) {
    t.same([status, error.code, error.message], [401, 'INVALID_CREDENTIALS', 'The address or the password is wrong.']);
  }
  t.equal((await post('/auth/login', { email: ' ADA@example.org', password: PASSWORD })).status, 200);
  t.same(refusal(await post('/auth/login', { email: 'ada' })), [400, 'INVALID_INPUT']);
});

test('passwords are hashed by argon2id, tokens by SHA-256, and nothing of either is stored', async t => {
  const { register, sql } = await serveAccounts(t, OPEN, { passwords: createPasswords() });
  const { refresh, access } = await register('ada@example.org');
  const [user] = await sql`select password_hash from service.users`;
  t.match(user?.['password_hash'], /^\$argon2id\$v=19\$m=19456,[tp]=\d,[tp]=\d\$|^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  for (const table of ['users', 'sessions', 'refresh_tokens']) {
    const [row] = await sql`select coalesce(string_agg(t::text, ' '), '') as all from ${sql(`service.${table}`)} t`;
    for (const secret of [PASSWORD, refresh, access]) {
      t.notOk(String(row?.['all']).includes(secret), `${table} holds no ${secret.slice(0, 8)}`);
    }
  }
  const [token] = await sql`select token_hash = sha256(${refresh}::bytea) as hashed from service.refresh_tokens`;
  t.ok(token?.['hashed']);
});

test('a refresh token is exchanged for another', async t => {
  const { register, post, request } = await lendAccounts(t, { ...OPEN, JWT_ACCESS_EXPIRES_IN: '2m', JWT_REFRESH_EXPIRES_IN: '5 days' });
  const first = await register('ada@example.org');
  const second = sessionOf(await post('/auth/refresh', { refreshToken: first.refresh }));
  t.not(second.refresh, first.refresh);
  t.equal(second.uid, first.uid);
  const [before, after] = [decodeJwt(first.access), decodeJwt(second.access)];
  t.equal(after['sid'], before['sid'], 'it is the same session');
  t.equal((after.exp ?? 0) - (after.iat ?? 0), 120);
  t.equal((await request('/auth/me', { as: second.access })).status, 200);
  t.same(refusal(await post('/auth/refresh')), [401, 'NO_SESSION']);
  t.same(refusal(await request('/auth/refresh', { method: 'POST', as: null, body: 'no JSON' })), [401, 'NO_SESSION']);
  t.same(refusal(await post('/auth/refresh', { refreshToken: 'unknown' })), [401, 'INVALID_TOKEN']);
  t.same(refusal(await post('/auth/refresh', { refreshToken: first.access })), [401, 'INVALID_TOKEN'], 'an access token is none');
});

test('a token that comes again at once gets one of its own, later none', async t => {
  const { register, post, sql } = await lendAccounts(t);
  const { refresh } = await register('ada@example.org');
  const answers = await Promise.all(Array.from({ length: 4 }, () => post('/auth/refresh', { refreshToken: refresh })));
  t.same(answers.map(({ status }) => status), [200, 200, 200, 200]);
  t.equal(new Set(answers.map(answer => answer.body.tokens.refreshToken)).size, 4);
  await sql`update service.refresh_tokens set rotated_at = rotated_at - interval '11 seconds' where rotated_at is not null`;
  t.same(refusal(await post('/auth/refresh', { refreshToken: refresh })), [401, 'TOKEN_ALREADY_USED']);
  t.equal((await post('/auth/refresh', { refreshToken: answers[0]?.body.tokens.refreshToken })).status, 200, 'the session goes on');
  await sql`update service.refresh_tokens set expires_at = clock_timestamp() - interval '1 second'`;
  t.same(refusal(await post('/auth/refresh', { refreshToken: answers[1]?.body.tokens.refreshToken })), [401, 'TOKEN_EXPIRED']);
});

test('signing out ends the session everywhere', async t => {
  const { register, login, post, request } = await lendAccounts(t);
  const here = await register('ada@example.org');
  const there = await login('ada@example.org');
  const sibling = sessionOf(await post('/auth/refresh', { refreshToken: here.refresh }));
  t.equal((await request('/auth/me', { as: here.access })).status, 200);
  const out = await post('/auth/logout', { refreshToken: here.refresh });
  t.same([out.status, out.body], [200, { success: true }]);
  for (const as of [here.access, sibling.access]) t.same(refusal(await request('/auth/me', { as })), [401, 'SESSION_REVOKED']);
  for (const { refresh } of [here, sibling]) {
    t.same(refusal(await post('/auth/refresh', { refreshToken: refresh })), [401, 'SESSION_REVOKED']);
  }
  t.equal((await request('/auth/me', { as: there.access })).status, 200, 'another session goes on');
  t.equal((await post('/auth/logout', {}, there.access)).status, 200, 'by the access token alone');
  t.same(refusal(await request('/auth/me', { as: there.access })), [401, 'SESSION_REVOKED']);
  t.same(refusal(await post('/auth/logout')), [401, 'NO_SESSION']);
  t.equal((await post('/auth/logout', { refreshToken: 'unknown' })).status, 200);
});

test('registration is closed unless it is open, but for the first one outside production', async t => {
  const { post } = await lendAccounts(t, {});
  const race = await Promise.all(Array.from({ length: 6 },
    (_, n) => post('/auth/register', { email: `p${n}@example.org`, password: PASSWORD })));
  t.same(race.map(({ status }) => status).sort(), [201, 403, 403, 403, 403, 403], 'a race has one winner');
  t.same(race.find(({ status }) => status === 201)?.body.user.roles, ['admin']);
  t.same(refusal(await post('/auth/register', { email: 'late@example.org', password: PASSWORD })), [403, 'REGISTRATION_DISABLED']);
  const shut = await lendAccounts(t, { ...OPEN, DISABLE_SELF_REGISTRATION: 'true', ALLOW_ANONYMOUS: 'true' });
  t.same(refusal(await shut.post('/auth/register', { email: 'a@b.cc', password: PASSWORD })), [403, 'REGISTRATION_DISABLED']);
  t.same(refusal(await shut.post('/auth/anonymous')), [403, 'ANONYMOUS_AUTH_DISABLED']);
  t.match((await shut.request('/auth/config', { as: null })).body, { registrationEnabled: false, needsSetup: true, anonymousLogin: false });
});

test('in production the first account is no admin', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const production = { NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://app.example.com' };
  const closed = await serveAt(t, url, production);
  t.same(refusal(await closed.post('/auth/register', { email: 'a@b.cc', password: PASSWORD })), [403, 'SETUP_REQUIRED']);
  t.match((await closed.request('/auth/config', { as: null })).body, { registrationEnabled: false, needsSetup: false });
  const open = await serveAt(t, url, { ...production, ...OPEN, AUTH_DEFAULT_ROLE: 'member' });
  const first = await open.post('/auth/register', { email: 'a@b.cc', password: PASSWORD });
  t.same([first.status, first.body.user.roles], [201, ['member']]);
});

test('a guest has an account, and makes it his own', async t => {
  const { post, request, register } = await lendAccounts(t, { ...OPEN, ALLOW_ANONYMOUS: 'true', AUTH_DEFAULT_ROLE: 'visitor' });
  const answer = await post('/auth/anonymous');
  t.equal(answer.status, 201);
  t.match(answer.body.user,
    { email: /^anon_[0-9a-f]{32}@anonymous\.local$/, isAnonymous: true, providerId: 'anonymous', roles: ['visitor'] });
  const guest = sessionOf(answer);
  t.same(refusal(await post('/auth/anonymous/link', { email: 'a@b.cc', password: 'weak' }, guest.access)), [400, 'WEAK_PASSWORD']);
  t.same(refusal(await post('/auth/anonymous/link', {}, guest.access)), [400, 'INVALID_INPUT']);
  const { access } = await register('taken@example.org');
  t.same(refusal(await post('/auth/anonymous/link', { email: 'taken@example.org', password: PASSWORD }, guest.access)),
    [409, 'EMAIL_EXISTS']);
  t.same(refusal(await post('/auth/anonymous/link', { email: 'a@b.cc', password: PASSWORD }, access)), [400, 'NOT_ANONYMOUS']);
  t.same(refusal(await post('/auth/anonymous/link', { email: 'a@b.cc', password: PASSWORD })), [401, 'UNAUTHORIZED']);
  const linked = await post('/auth/anonymous/link', { email: 'Guest@Example.org', password: PASSWORD }, guest.access);
  t.equal(linked.status, 200);
  t.match(linked.body.user, { uid: guest.uid, email: 'guest@example.org', isAnonymous: false, providerId: 'password', roles: ['visitor'] });
  t.match((await request('/auth/me', { as: guest.access })).body, { user: { isAnonymous: false } }, 'his older session knows it too');
  t.same(refusal(await post('/auth/anonymous/link', { email: 'b@b.cc', password: PASSWORD }, linked.body.tokens.accessToken)),
    [400, 'NOT_ANONYMOUS']);
  const without = await lendAccounts(t);
  t.same(refusal(await without.post('/auth/anonymous')), [403, 'ANONYMOUS_AUTH_DISABLED']);
});

test('a browser keeps its refresh token in a cookie that scripts cannot read', async t => {
  const { post } = await lendAccounts(t,
    { ...OPEN, AUTH_COOKIE: 'true', AUTH_COOKIE_SAME_SITE: 'Strict', CORS_ORIGINS: 'https://app.example.com' });
  const answer = await post('/auth/register', { email: 'ada@example.org', password: PASSWORD });
  t.equal(answer.body.tokens.refreshToken, '');
  const written = answer.headers.get('set-cookie') ?? '';
  t.match(written, /^__service_refresh=[0-9a-f]{80}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/);
  const cookie = written.split(';', 1)[0] ?? '';
  const next = await post('/auth/refresh', {}, null, { cookie: `theme=dark; ${cookie}`, origin: 'https://app.example.com' });
  t.equal(next.status, 200);
  t.match(next.headers.get('set-cookie'), /^__service_refresh=[0-9a-f]{80};/);
  for (const path of ['/auth/refresh', '/auth/logout']) {
    t.same(refusal(await post(path, {}, null, { cookie, origin: 'https://evil.example.com' })), [403, 'FORBIDDEN'],
      `${path} of another origin`);
  }
  const out = await post('/auth/logout', {}, null, { cookie });
  t.match(out.headers.get('set-cookie'), /^__service_refresh=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict; Secure$/);
  const over = await post('/auth/refresh', {}, null, { cookie });
  t.same(refusal(over), [401, 'SESSION_REVOKED']);
  t.match(over.headers.get('set-cookie'), /Max-Age=0/);
  const unknown = await post('/auth/refresh', {}, null, { cookie: `__service_refresh=${'0'.repeat(80)}` });
  t.same([...refusal(unknown), unknown.headers.get('set-cookie')], [401, 'INVALID_TOKEN', null], 'it may be another service\'s');
});

test('sign-ins beyond what the machine hashes are asked to come again', async t => {
  const { post, register } = await serveAccounts(t, OPEN, { passwords: createPasswords({ atOnce: 1, waiting: 8 }) });
  await register('ada@example.org');
  const flood = Array.from({ length: 60 }, (_, n) => post('/auth/login', { email: `n${n}@example.org`, password: 'Wrong-horse-1' }));
  await setTimeout(50);
  t.same(refusal(await post('/auth/refresh', { refreshToken: 'unknown' })), [401, 'INVALID_TOKEN'], 'others are answered meanwhile');
  const answers = await Promise.all(flood);
  const refused = answers.filter(({ status }) => status === 503);
  t.ok(refused.length > 0);
  t.equal(refused.length + answers.filter(({ status }) => status === 401).length, flood.length);
  t.match(refused[0]?.headers.get('retry-after'), /^\d+$/);
  t.same(refused.slice(0, 1).map(refusal), [[503, 'SERVICE_UNAVAILABLE']]);
});
