// One SQL function decides which account a sign-in by a provider is for.
import postgres from 'postgres';
import { test, type Test } from 'tap';
import { createDatabase, type TestDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // its template

type Told = {
  provider?: string; id?: string; email?: string | null; vouches?: boolean; name?: string | null; photo?: string | null;
  role?: string | null; open?: boolean; closed?: boolean; production?: boolean; unlinks?: boolean;
};
type Resolved = { uid: string; is_new: boolean; was_proven: boolean; must_confirm: boolean; may_remind: boolean };
type Account = {
  uid: string; email: string; display_name: string | null; photo_url: string | null; roles: string[]; email_verified: boolean;
  password_hash: string | null;
};

const ADA = 'ada@example.org';
const PHOTO = 'https://example.org/ada.png';

/** A database with an admin, so that who comes is not the first. */
async function people(t: Pick<Test, 'teardown'>, { admin = true } = {}) {
  const database = await createDatabase(t, { template: 'served' });
  const { sql } = database;
  if (admin) await sql`select service_private.create_first_admin('admin@example.org', 'hash')`;
  return { ...database, ...actions(sql) };
}

function actions(sql: postgres.Sql) {
  return {
    resolve: (told: Told = {}) => resolve(sql, told),
    account: async (uid: string): Promise<Account> => one(await sql<Account[]>`select * from service.users where uid = ${uid}`),
    identities: (uid: string) => sql`
      select provider, provider_id as id, email, email_verified as vouches, is_proven as proven
      from service.user_identities where uid = ${uid} order by provider, provider_id`,
    register: async (email: string) => one(await sql<{ uid: string }[]>`
      select service_private.register(${email}, 'hash', null, null, true, false, true) as uid`).uid,
    prove: (uid: string) => sql`select service_private.prove_address(${uid}, true, true)`,
  };
}

async function resolve(sql: postgres.Sql, told: Told): Promise<Resolved> {
  const { provider = 'google', id = 'ada-1', email = ADA, vouches = true, name = null, photo = null } = told;
  const { role = null, open = true, closed = false, production = false, unlinks = true } = told;
  return one(await sql<Resolved[]>`
    select * from service_private.resolve_identity(${provider}, ${id}, ${email}, ${vouches},
      ${sql.json({ displayName: name, photoURL: photo })}, ${role}, ${open}, ${closed}, ${production}, ${unlinks})`);
}

function one<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('There is no row.');
  return row;
}

/** Class, code and details of a refusal. */
async function refused(work: Promise<unknown>): Promise<[state: string, code: string, details?: unknown]> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    const { code, hint = '', detail = '' } = error;
    return detail.startsWith('{') ? [code, hint, JSON.parse(detail)] : [code, hint];
  }
  throw new Error('It was not refused.');
}

test('a first sign-in makes an account, verified and proven as the provider vouches for its address', async t => {
  const { resolve, account, identities, sql } = await people(t);
  const made = await resolve({ email: ' ADA@Example.org', name: 'Ada', photo: PHOTO, role: 'member' });
  t.match(made, { is_new: true, was_proven: false, must_confirm: false });
  t.match(await account(made.uid), {
    email: ADA, display_name: 'Ada', photo_url: PHOTO, roles: ['member'], email_verified: true, password_hash: null });
  t.same(await identities(made.uid), [{ provider: 'google', id: 'ada-1', email: ADA, vouches: true, proven: true }]);
  t.same(await sql`select service_private.has_unproven(u) as unproven from service.users u where uid = ${made.uid}`, [{ unproven: false }]);
  const other = await resolve({ provider: 'spotify', email: 'bob@example.org', vouches: false });
  t.match(other, { is_new: true, must_confirm: true, may_remind: true });
  t.match(await account(other.uid), { email: 'bob@example.org', email_verified: false, roles: [] });
  t.same(await identities(other.uid), [{ provider: 'spotify', id: 'ada-1', email: 'bob@example.org', vouches: false, proven: false }]);
});

test('a provider that tells no usable address gives one that stands for none, by the exact subject', async t => {
  const { resolve, account, identities } = await people(t);
  const told = [null, 'no address', 'anon_1@anonymous.local', 'ada-1@github.placeholder.service'];
  const made = await Promise.all(told.map((email, n) => resolve({ provider: 'github', id: `${n}`, email })));
  for (const { uid } of made) {
    t.match(await account(uid), { email: /^[0-9a-f]{32}@github\.placeholder\.service$/, email_verified: false });
    t.match(await identities(uid), [{ email: null, vouches: false, proven: false }]);
  }
  const [lower, upper] = [await resolve({ id: 'abc', email: null }), await resolve({ id: 'aBc', email: null })];
  t.not(lower.uid, upper.uid, 'subjects that differ by case are two people');
  t.equal((await account((await resolve({ provider: 'twitter', id: '42', email: null })).uid)).email, '42@twitter.placeholder.service');
  t.same((await resolve({ provider: 'twitter', id: '42', email: null })).is_new, false);
});

test('an account that has such an address already is not signed in to', async t => {
  const { resolve, sql } = await people(t);
  await sql`select service_private.create_account('42@twitter.placeholder.service', 'hash', null, '{}', true)`;
  t.same(await refused(resolve({ provider: 'twitter', id: '42', email: null })), ['GW409', 'EMAIL_EXISTS']);
});

test('registration is closed to providers as to any; the first account outside production is an admin', async t => {
  const { resolve, account } = await people(t, { admin: false });
  t.same(await refused(resolve({ open: false, closed: true })), ['GW403', 'REGISTRATION_DISABLED']);
  t.same(await refused(resolve({ open: false, production: true })), ['GW403', 'SETUP_REQUIRED']);
  const first = await resolve({ open: false, role: 'member' });
  t.same((await account(first.uid)).roles, ['member', 'admin']);
  t.same(await refused(resolve({ id: 'bob', email: 'bob@example.org', open: false })), ['GW403', 'REGISTRATION_DISABLED']);
  t.equal((await resolve({ open: false, closed: true })).uid, first.uid, 'who has an account signs in');
});

test('a known identity signs in: what it tells is kept, and the account follows where its person has not chosen', async t => {
  const { resolve, account, identities, sql } = await people(t);
  const { uid } = await resolve({ name: 'Ada', photo: PHOTO });
  const again = await resolve({ email: 'countess@example.org', name: 'Ada L.', photo: `${PHOTO}?2` });
  t.match(again, { uid, is_new: false, was_proven: false });
  t.match(await account(uid), { email: ADA, display_name: 'Ada L.', photo_url: `${PHOTO}?2` }, 'the address never follows');
  t.match(await identities(uid), [{ email: 'countess@example.org', vouches: true }]);
  await sql`update service.users set display_name = 'Countess', photo_url = null where uid = ${uid}`;
  await resolve({ name: 'Ada Lovelace', photo: PHOTO, email: 'countess@example.org', vouches: false });
  t.match(await account(uid), { display_name: 'Countess', photo_url: PHOTO }, 'a blank part follows, one that was chosen stays');
  t.match(await identities(uid), [{ vouches: false }]);
  await resolve({ email: null, name: null, photo: null });
  t.match(await account(uid), { display_name: 'Countess', photo_url: PHOTO });
  t.match(await identities(uid), [{ email: 'countess@example.org', vouches: false }], 'silence takes nothing back');
});

test('a provider that comes to vouch for the account\'s own address proves it, as a magic link does', async t => {
  const { resolve, account, identities, sql } = await people(t);
  const { uid } = await resolve({ vouches: false });
  await sql`update service.users set password_hash = 'of another' where uid = ${uid}`;
  await sql`select service_private.add_identity(${uid}, 'discord', 'eve', 'eve@example.org', true, false)`;
  const begin = (hash: string) => sql`
    select service_private.begin_session(${uid}, 'google', ${Buffer.from(hash)}, '1 day', 'agent', '::1')`;
  await begin('before');
  t.match(await resolve({ email: 'eve@example.org' }), { was_proven: false, must_confirm: true }, 'of another address it proves nothing');
  t.same(await refused(resolve({ unlinks: false })), ['GW409', 'UNVERIFIED_IDENTITIES', { providers: ['discord'] }]);
  t.match(await account(uid), { email_verified: false });
  t.match(await resolve(), { uid, was_proven: true, must_confirm: false });
  t.match(await account(uid), { email_verified: true, password_hash: null });
  t.same(await identities(uid), [{ provider: 'google', id: 'ada-1', email: ADA, vouches: true, proven: true }]);
  t.same(await sql`select from service.sessions where uid = ${uid} and revoked_at is null`, []);
  t.match(await resolve(), { was_proven: false }, 'once');
});

test('the first proof keeps an identity that vouches for the address beside one of the same provider that does not', async t => {
  const { register, identities, sql } = await people(t);
  const uid = await register(ADA);
  const add = (id: string, email: string, vouches: boolean) => sql`
    select service_private.add_identity(${uid}, 'google', ${id}, ${email}, ${vouches}, false)`;
  await add('ada-1', ADA, true);
  await add('ada-2', ADA, false);
  await add('eve', 'eve@example.org', true);
  await sql`select service_private.prove_address(${uid})`;
  t.same(await identities(uid), [{ provider: 'google', id: 'ada-1', email: ADA, vouches: true, proven: true }]);
});

test('an account with the address is linked when nothing of it is unproven and the provider vouches', async t => {
  const { resolve, account, identities, register, prove, sql } = await people(t);
  const uid = await register(ADA);
  await prove(uid);
  await sql`update service.users set photo_url = 'https://example.org/own.png' where uid = ${uid}`;
  t.match(await resolve({ name: 'Ada', photo: PHOTO, open: false, closed: true }), { uid, is_new: false, must_confirm: false });
  t.match(await account(uid), { display_name: 'Ada', photo_url: 'https://example.org/own.png', password_hash: 'hash' });
  t.same(await identities(uid), [{ provider: 'google', id: 'ada-1', email: ADA, vouches: true, proven: true }]);
  await resolve({ name: 'Countess', photo: `${PHOTO}?2` });
  t.match(await account(uid), { display_name: 'Countess', photo_url: 'https://example.org/own.png' }, 'what it gave last follows');
});

test('an account with the address is refused otherwise, the provider\'s side first', async t => {
  const { resolve, identities, register, prove, sql } = await people(t);
  const uid = await register(ADA);
  const refusal = (reason: string, provider = 'google') => ['GW403', 'EMAIL_NOT_VERIFIED', { reason, provider }];
  t.same(await refused(resolve({ vouches: false })), refusal('provider-email-unverified'));
  t.same(await refused(resolve()), refusal('local-account-unverified'));
  await sql`update service.users set email_verified = true where uid = ${uid}`;
  t.same(await refused(resolve()), refusal('local-account-unverified'), 'a scanner that followed the link proves nothing');
  await sql`update service.users set password_hash = null, email_verified = false where uid = ${uid}`;
  t.same(await refused(resolve({ provider: 'acme' })), refusal('local-account-unverified-passwordless', 'acme'));
  await prove(uid);
  await sql`insert into service.mfa_factors (uid, factor_type, sealed_secret, next_recovery_codes) values (${uid}, 'totp', 'x', '{}')`;
  t.same(await refused(resolve()), refusal('local-account-unverified-passwordless'), 'a factor that was not proven counts as well');
  t.same(await identities(uid), []);
  await prove(uid);
  t.equal((await resolve()).uid, uid);
  t.same(await refused(resolve({ provider: 'spotify', vouches: false })), refusal('provider-email-unverified', 'spotify'));
});

test('hooks judge an account that a provider makes as any other', async t => {
  const { resolve, account, sql } = await people(t);
  await sql.unsafe(`
    create schema app;
    create table app.once (email text primary key);
    create function app.judge(account jsonb) returns jsonb language plpgsql as $$
    begin
      if account ->> 'email' like 'eve@%' then raise exception 'Not you.'; end if;
      if account ->> 'email' like 'twice@%' then insert into app.once select account ->> 'email' from generate_series(1, 2); end if;
      if account ->> 'email' like 'taken@%' then perform service.fail(409, 'TEAM_FULL', 'Full.'); end if;
      return jsonb_build_object('displayName', 'Chosen', 'roles', account -> 'roles' || '"guest"');
    end $$`);
  await sql`select service_private.use_account_hooks('{"before_user_create": "app.judge"}')`;
  t.same(await refused(resolve({ email: 'eve@example.org' })), ['GW403', 'FORBIDDEN']);
  t.same(await refused(resolve({ email: 'taken@example.org' })), ['GW409', 'TEAM_FULL'], 'and is not asked for ever');
  t.same((await refused(resolve({ email: 'twice@example.org' })))[0], '23505');
  const { uid } = await resolve({ name: 'Ada' });
  t.match(await account(uid), { display_name: 'Chosen', roles: ['guest'] });
  await resolve({ name: 'Ada' });
  t.match(await account(uid), { display_name: 'Chosen' });
});

test('a disabled account is not asked to confirm its address', async t => {
  const { resolve, sql } = await people(t);
  const { uid } = await resolve({ vouches: false });
  await sql`update service.users set disabled = true where uid = ${uid}`;
  t.match(await resolve({ vouches: false }), { uid, must_confirm: false });
});

/** Connections that work at the same time. */
async function together<T>(
  t: Test, { url }: TestDatabase, works: ((sql: postgres.Sql) => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const sql = postgres(url, { max: works.length, onnotice: () => undefined });
  t.teardown(() => sql.end());
  await Promise.all(works.map(() => sql`select pg_sleep(0.05)`)); // each has its connection
  return Promise.allSettled(works.map(work => work(sql)));
}

test('many first sign-ins at once, through two providers, make one account with both', async t => {
  const database = await people(t);
  const { sql, identities } = database;
  for (let round = 0; round < 5; round++) {
    const email = `ada${round}@example.org`;
    const ends = await together(t, database, Array.from({ length: 12 }, (_, n) => (sql: postgres.Sql) =>
      resolve(sql, { provider: n % 2 === 0 ? 'google' : 'microsoft', id: `ada-${round}`, email })));
    const uids = new Set(ends.map(end => end.status === 'fulfilled' ? end.value.uid : String(end.reason)));
    t.equal(uids.size, 1, [...uids].join());
    const [uid = ''] = uids;
    t.match(await identities(uid), [{ provider: 'google', proven: true }, { provider: 'microsoft', proven: true }]);
    t.same(await sql`select uid from service.users where email = ${email}`, [{ uid }]);
    t.equal(ends.filter(end => end.status === 'fulfilled' && end.value.is_new).length, 1);
  }
});

test('one identity that tells two addresses at once has one account', async t => {
  const database = await people(t);
  for (let round = 0; round < 5; round++) {
    const ends = await together(t, database, Array.from({ length: 8 }, (_, n) => (sql: postgres.Sql) =>
      resolve(sql, { id: `ada-${round}`, email: `${n % 2 === 0 ? 'a' : 'b'}${round}@example.org` })));
    t.equal(new Set(ends.map(end => end.status === 'fulfilled' ? end.value.uid : String(end.reason))).size, 1);
    t.equal((await database.sql`select from service.users where email ~ ${`^[ab]${round}@`}`).length, 1, 'no other is left behind');
  }
});

test('the first account of all is one admin, though both of its providers come at once and registration is closed', async t => {
  const database = await people(t, { admin: false });
  const ends = await together(t, database, Array.from({ length: 8 }, (_, n) => (sql: postgres.Sql) =>
    resolve(sql, { provider: `p${n % 2}`, open: false })));
  t.same(ends.filter(({ status }) => status === 'rejected'), []);
  t.match(await database.sql`select email, roles from service.users`, [{ email: ADA, roles: ['admin'] }]);
});

test('beside a registration there is one account, and the provider does not come into a stranger\'s', async t => {
  const database = await people(t);
  const { sql, identities } = database;
  for (let round = 0; round < 8; round++) {
    const email = `ada${round}@example.org`;
    const [registered, ...signedIn] = await together<string | Resolved>(t, database, [
      sql => actions(sql).register(email),
      ...['google', 'microsoft'].map(provider => (sql: postgres.Sql) => resolve(sql, { provider, id: email, email })),
    ]);
    const [account, ...others] = await sql<Account[]>`select * from service.users where email = ${email}`;
    t.same(others, []);
    const linked = await identities(account?.uid ?? '');
    if (registered?.status === 'fulfilled') {
      t.same(linked, []);
      for (const end of signedIn) {
        t.match(end, { status: 'rejected', reason: { code: 'GW403', hint: 'EMAIL_NOT_VERIFIED', detail: /"local-account-unverified"/ } });
      }
    } else {
      t.match(registered?.reason, { code: 'GW409', hint: 'EMAIL_EXISTS' });
      t.match([account?.password_hash, linked.length], [null, 2]);
    }
  }
});

test('a DBA sees identities, takes them away, and asks what a sign-in would do and why', async t => {
  const { sql, resolve, register, prove } = await people(t);
  const { uid } = await resolve();
  t.match(await sql`select * from service.identities(${uid})`, [{ provider: 'google', provider_id: 'ada-1', email: ADA, is_proven: true }]);
  const taken = await register('bob@example.org');
  const asks = async (id: string, email: string | null, vouches: boolean | null) => one(await sql<object[]>`
    select outcome, uid, reason, explanation from service.sign_in_outcome('google', ${id}, ${email}, ${vouches})`);
  const explanation = /\.$/;
  t.match(await asks('ada-1', null, null), { outcome: 'known', uid, reason: null, explanation });
  t.match(await asks('bob', 'BOB@example.org', true), { outcome: 'refused', uid: taken, reason: 'local-account-unverified', explanation });
  t.match(await asks('bob', 'bob@example.org', null), { outcome: 'refused', uid: taken, reason: 'provider-email-unverified', explanation });
  await prove(taken);
  t.match(await asks('bob', 'bob@example.org', true), { outcome: 'linked', uid: taken, reason: null, explanation });
  t.match(await asks('eve', 'eve@example.org', true), { outcome: 'new', uid: null, reason: null, explanation: /No account/ });
  t.match(await asks('eve', 'no address', true), { outcome: 'new', uid: null, reason: null, explanation: /tells no address/ });
  t.same(await sql`select service.delete_identities(${uid}, 'google', 'other') as one, service.delete_identities(${uid}, 'google') as two`,
    [{ one: false, two: true }]);
  t.same(await sql`select * from service.identities(${uid})`, []);
});
