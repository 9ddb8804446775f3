import { decodeJwt } from 'jose';
import postgres from 'postgres';
import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { answerNew, codeOf, withSecondFactor } from './authenticator.ts';
import { linked } from './mails.ts';
import { OPEN, PASSWORD, refusal, serveAccounts, serveAt, sessionOf, type Accounts } from './people.ts';
import { settingsFile } from './settings-file.ts';

/** Refuses each kind of event for an address that names it. */
const SQL = `
  create schema app;
  create table app.heard (id serial, hook text, subject jsonb);
  create function app.before_user_create(account jsonb) returns jsonb language plpgsql as $$
  begin
    if account ->> 'email' like '%@forbidden.example' then raise exception 'Nobody of % may come in.', account ->> 'email'; end if;
    if account ->> 'email' like 'late@%' then perform service.fail(429, 'RATE_LIMITED', 'Come again.', '{"retryAfter": 7}'); end if;
    if account ->> 'email' like 'plain@%' then return null; end if;
    return account || jsonb_build_object('roles', account -> 'roles' || '"welcome"', 'metadata', '{"plan": "free"}'::jsonb,
      'displayName', coalesce(account ->> 'displayName', 'Somebody'), 'uid', 'smuggled', 'email',
      'smuggled@example.org', 'emailVerified', true);
  end $$;
  create function app.before_login(email text, method text) returns void language plpgsql as $$
  begin
    insert into app.heard (hook, subject) values ('before_login', jsonb_build_array(email, method));
    if email like 'locked@%' then raise exception 'This account is locked.'; end if;
  end $$;
  create function app.customize_claims(claims jsonb, uid text) returns jsonb language sql stable as $$
    select case when claims ->> 'uid' <> uid then null else jsonb_build_object('plan', u.metadata -> 'plan',
      'had', claims -> 'aal', 'uid', 'eve', 'sub', 'eve',
      'roles', '["admin"]'::jsonb, 'aal', 'aal2', 'sid', 'x', 'isAnonymous', true, 'exp', 1,
      'purpose', 'file-read', 'size', u.metadata ->> 'size')
    end from service.users u where u.uid = customize_claims.uid $$;
  create function app.after_user_create(account jsonb) returns void language plpgsql as $$
  begin
    insert into app.heard (hook, subject) values ('after_user_create', account);
    if account ->> 'email' like 'broken@%' then raise exception 'The mailing list is away.'; end if;
  end $$;
  create function app.before_user_delete(uid text, by_uid text) returns void language plpgsql as $$
  begin
    if exists (select from service.users u where u.uid = before_user_delete.uid and u.email like 'kept@%')
    then raise exception '% may not delete this.', by_uid; end if;
  end $$`;

const ALL = Object.fromEntries(['before_user_create', 'before_login', 'customize_claims', 'after_user_create', 'before_user_delete']
  .map(hook => [hook, `app.${hook}`]));

function serveHooked(t: Pick<Test, 'teardown'>, hooks: object = ALL): Promise<Accounts> {
  return serveAccounts(t, { ...OPEN, ALLOW_ANONYMOUS: 'true', ...settingsFile(t, { hooks }) }, { setup: SQL });
}

async function heard({ sql }: Accounts, hook: string): Promise<unknown[]> {
  return (await sql`delete from app.heard where hook = ${hook} returning id, subject`).sort((a, b) => a['id'] - b['id'])
    .map(({ subject }) => subject as unknown);
}

test('before_user_create changes and refuses accounts from any source', async t => {
  const people = await serveHooked(t);
  const { post, register, request, sql } = people;
  const register2 = (email: string) => post('/auth/register', { email, password: PASSWORD });
  const ada = await register2('ada@example.org');
  t.match(ada.body.user,
    { email: 'ada@example.org', displayName: 'Somebody', roles: ['admin', 'welcome'], metadata: { plan: 'free' }, emailVerified: false });
  t.match((await register2('plain@example.org')).body.user, { displayName: null, roles: [], metadata: {} }, 'null changes nothing');
  const refused = await register2('eve@forbidden.example');
  t.same([...refusal(refused), refused.body.error.message], [403, 'FORBIDDEN', 'Nobody of eve@forbidden.example may come in.']);
  const later = await register2('late@example.org');
  t.same([...refusal(later), later.body.error.details], [429, 'RATE_LIMITED', { retryAfter: 7 }], 'a class of its own stays as it is');
  const made = await request('/admin/users', {
    method: 'POST',
    body: JSON.stringify({ email: 'bob@example.org', password: PASSWORD, roles: ['editor'], displayName: 'Bob', metadata: { a: 1 } }),
  });
  t.match(made.body.user, { displayName: 'Bob', roles: ['editor', 'welcome'] });
  t.same(refusal(await request('/admin/users', { method: 'POST', body: JSON.stringify({ email: 'x@forbidden.example' }) })),
    [403, 'FORBIDDEN']);
  const guest = await post('/auth/anonymous');
  t.match(guest.body.user, { isAnonymous: true, roles: ['welcome'], email: /^anon_/ });
  const link = (email: string) => post('/auth/anonymous/link', { email, password: PASSWORD }, sessionOf(guest).access);
  t.same(refusal(await link('guest@forbidden.example')), [403, 'FORBIDDEN']);
  t.match((await link('guest@example.org')).body.user,
    { uid: guest.body.user.uid, email: 'guest@example.org', isAnonymous: false, roles: ['welcome', 'welcome'] });
  t.same(await sql`select from service.users where uid = 'smuggled' or email like 'smuggled%'
    or email like '%forbidden%' or email like 'late%'`, []);
  await register('cyd@example.org');
});

test('before_login is asked about every address, and before a password is looked at', async t => {
  const people = await serveHooked(t);
  const { post } = people;
  await people.register('ada@example.org');
  await people.register('locked@example.org');
  t.same(await heard(people, 'before_login'), [], 'who registers was looked at already');
  for (const password of [PASSWORD, 'Wrong-horse-1']) {
    const answer = await post('/auth/login', { email: ' Locked@example.org', password });
    t.same([...refusal(answer), answer.body.error.message], [403, 'FORBIDDEN', 'This account is locked.']);
  }
  for (const path of ['/auth/magic-link', '/auth/otp']) {
    for (const email of ['locked@example.org', 'locked@nowhere.example']) {
      t.same(refusal(await post(path, { email })), [403, 'FORBIDDEN'], `${path} ${email}`);
    }
  }
  t.same(await heard(people, 'before_login'), [], 'what it wrote went with its refusal');
  await post('/auth/login', { email: 'nobody@example.org', password: PASSWORD });
  await post('/auth/login', { email: 'ada@example.org', password: PASSWORD });
  await post('/auth/magic-link', { email: 'ada@example.org' });
  await post('/auth/magic-link/verify', { token: await linked(people, 'ada@example.org', /sign-in link/) });
  await post('/auth/otp', { email: 'Nobody@example.org' });
  await post('/auth/forgot-password', { email: 'ada@example.org' });
  t.same(await heard(people, 'before_login'), [
    ['nobody@example.org', 'login'], ['ada@example.org', 'login'], ['ada@example.org', 'magic-link'], ['ada@example.org', 'magic-link'],
    ['nobody@example.org', 'otp'],
  ]);
  const confirmation = await post('/auth/verify-email',
    { token: await linked(people, 'locked@example.org', /Confirm/), password: PASSWORD });
  t.same(refusal(confirmation), [403, 'FORBIDDEN'], 'no way around it');
  const bob = await withSecondFactor(people, 'bob@example.org');
  await answerNew(people, bob.factorId, codeOf(bob.secret), bob.access);
  t.same(await heard(people, 'before_login'), [['bob@example.org', 'mfa']]);
});

test('customize_claims adds to tokens, and changes nothing of what the service says', async t => {
  const people = await serveHooked(t);
  const { register, post, sql, request } = people;
  await register('first@example.org');
  const ada = await register('ada@example.org');
  const { exp = 0, iat = 0, ...claims } = decodeJwt(ada.access);
  t.match(claims,
    { uid: ada.uid, sub: ada.uid, roles: ['welcome'], aal: 'aal1', isAnonymous: false, plan: 'free', had: 'aal1', sid: /^[0-9a-f-]{36}$/ });
  t.notOk('purpose' in claims);
  t.equal(exp - iat, 3600);
  t.equal((await request('/auth/me', { as: ada.access })).status, 200);
  await sql`update service.users set metadata = '{"plan": "paid"}'`;
  const refreshed = sessionOf(await post('/auth/refresh', { refreshToken: ada.refresh }));
  t.equal(decodeJwt(refreshed.access)['plan'], 'paid', 'they are asked for again');
  await sql`update service.users set metadata = jsonb_build_object('size', repeat('x', 5000))`;
  const large = await post('/auth/refresh', { refreshToken: refreshed.refresh });
  t.same(refusal(large), [500, 'INTERNAL_ERROR'], 'a token has its bounds');
  t.match(large.body.error.details.dbMessage, /customize_claims has to return an object of at most 4096 bytes/, 'who develops is told');
  await sql`drop function app.customize_claims(jsonb, text)`;
  t.same(refusal(await post('/auth/login', { email: 'ada@example.org', password: PASSWORD })), [500, 'INTERNAL_ERROR'],
    'a hook that is gone is not passed over');
});

test('after_user_create is notified, and its failure changes nothing', async t => {
  const people = await serveHooked(t);
  const { uid } = await people.register('ada@example.org');
  await people.register('broken@example.org');
  t.match(await heard(people, 'after_user_create'),
    [{ uid, email: 'ada@example.org', displayName: 'Somebody', roles: ['admin', 'welcome'] }], 'what failed is undone');
  const warnings: string[] = [];
  const dba = postgres(people.url, { max: 1, onnotice: ({ severity, message }) => { warnings.push(`${severity}: ${message}`); } });
  const [row] = await dba`select service_private.create_account('broken@example.com', null, null, '{}') as uid`;
  await dba.end();
  t.match(warnings, [`WARNING: The hook after_user_create failed for the account ${row?.['uid']}: The mailing list is away.`]);
});

test('before_user_delete refuses', async t => {
  const { register, request, sql } = await serveHooked(t);
  await register('ada@example.org');
  const kept = await register('kept@example.org');
  const bob = await register('bob@example.org');
  const remove = (uid: string) => request(`/admin/users/${uid}`, { method: 'DELETE', as: SERVICE_KEY });
  const answer = await remove(kept.uid);
  t.same([...refusal(answer), answer.body.error.message], [403, 'FORBIDDEN', 'service may not delete this.']);
  t.equal((await remove(bob.uid)).status, 200);
  t.same((await sql`select email from service.users order by email`).map(({ email }) => String(email)),
    ['ada@example.org', 'kept@example.org']);
});

test('a function that is not there as it has to be stops the start, and the last start says which take part', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(SQL).simple();
  await sql`create function app.wrong(email text, method text) returns boolean language sql as 'select true'`;
  const start = (hooks: object) => serveAt(t, url, { ...OPEN, ...settingsFile(t, { hooks }) });
  await t.rejects(start({
    before_login: 'app.wrong', customize_claims: 'nowhere.at_all', before_user_delete: 'app.before_user_delete',
  }), { message: [
    'auth.hooks.before_login of the settings file: there is no function app.wrong(text, text) returns void.',
    'auth.hooks.customize_claims of the settings file: there is no function nowhere.at_all(jsonb, text) returns jsonb.',
  ].join('\n') });
  t.same(await sql`select from service.account_hooks`, []);
  await start(ALL);
  await start({ before_login: 'app.before_login' });
  t.same([...await sql`select hook, function from service.account_hooks`], [{ hook: 'before_login', function: 'app.before_login' }]);
  await start({});
  t.same(await sql`select from service.account_hooks`, []);
});

test('how long a used refresh token is taken again is a setting', async t => {
  const { register, post } = await serveAccounts(t, { ...OPEN, ...settingsFile(t, { refreshTokenReuseIntervalSeconds: 0 }) });
  const { refresh } = await register('ada@example.org');
  t.equal((await post('/auth/refresh', { refreshToken: refresh })).status, 200);
  t.same(refusal(await post('/auth/refresh', { refreshToken: refresh })), [401, 'TOKEN_ALREADY_USED']);
});
