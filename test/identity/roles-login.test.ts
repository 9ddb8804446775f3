import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { openService, storeTables, type TestService } from '../harness/service.ts';

const RESTRICTED = { role: 'service_user', default_transaction_read_only: 'on' };

test('boot refuses a read login that is not restricted', async t => {
  const { sql, url } = await createDatabase(t, { template: 'served_store' });
  const refuses = async (attributes: string, settings: Record<string, string>, message: RegExp) => {
    const reader = await login(t, sql, url, attributes, settings);
    await t.rejects(openService(url, { ...storeTables, DATABASE_READER_URL: reader }), { name: 'BootError', message },
      `${attributes} ${JSON.stringify(settings)}`);
  };
  await refuses('', {}, /runs as rowgate_test_\w+ .* not as service_user/);
  await refuses('', { role: 'service_user' }, /read-only off/);
  await refuses('', { default_transaction_read_only: 'on' }, /not as service_user/);
  await refuses('superuser', RESTRICTED, /rowgate_test_\w+ is a superuser/);
  await refuses('bypassrls', RESTRICTED, /rowgate_test_\w+ bypasses row security/);
});

test('boot takes a read login that is, and reads through it', async t => {
  const { sql, url } = await createDatabase(t, { template: 'served_store' });
  const reader = await login(t, sql, url, '', RESTRICTED);
  const service = await opened(t, url, { DATABASE_READER_URL: reader });
  t.equal((await service.request('/data/products/count')).status, 200);
  const users = await sql`select distinct usename from pg_stat_activity
    where application_name in ('rowgate point', 'rowgate scan') and datname = current_database()`;
  t.same(users.map(({ usename }) => usename as string), [new URL(reader).username]);
});

test('settings that would lift row security are named', async t => {
  const { sql } = await createDatabase(t, { template: 'served_store' });
  t.same(await faults(sql, ''), []);
  t.same(await faults(sql, 'alter role service_user bypassrls'), ['service_user bypasses row security']);
  t.match(await faults(sql, 'alter role service_user superuser'), ['service_user is a superuser']);
  t.same(await faults(sql, 'alter role service_user inherit; grant pg_read_all_data to service_user'),
    ['service_user has the privileges of pg_read_all_data']);
  t.same(await faults(sql, 'alter table products owner to service_user'),
    ['service_user owns public.products, whose policies therefore do not hold for it']);
  t.same(await faults(sql, 'alter table products owner to service_user; alter table products force row level security'), []);
});

test('a role that happens to have the name of ours keeps its password and its settings', async t => {
  const { sql, url, name } = await createDatabase(t, { template: 'served_store' });
  await sql.unsafe(`create role "${name}_reader" login password 'of somebody else'`);
  const before = await stored(sql, `${name}_reader`);
  await t.rejects(openService(url, storeTables),
    { name: 'BootError', message: new RegExp(`role ${name}_reader exists and is not one of this service.*DATABASE_READER_URL`) });
  t.same(await stored(sql, `${name}_reader`), before);
});

test('a login that is complete is left alone: gateways that start together do not collide', async t => {
  const { sql, url, name } = await createDatabase(t, { template: 'served_store' });
  const services = await Promise.all([1, 2, 3].map(() => opened(t, url)));
  const before = await stored(sql, `${name}_reader`);
  t.match(before, { member: ['service_user'], settings: [/role=service_user/] });
  await opened(t, url);
  t.same(await stored(sql, `${name}_reader`), before, 'not even written again');
  t.same(await Promise.all(services.map(async ({ request }) => (await request('/data/products/count')).status)), [200, 200, 200]);
});

/** A login role of this test's own, member of service_user. Its URL. */
async function login(
  t: Pick<Test, 'teardown'>, sql: postgres.Sql, url: string, attributes: string, settings: Record<string, string>,
): Promise<string> {
  const role = `rowgate_test_${randomBytes(6).toString('hex')}`;
  await sql.unsafe(`create role ${role} login password 'for this test' ${attributes}; grant service_user to ${role}`).simple();
  t.teardown(() => sql.unsafe(`drop role ${role}`));
  for (const [name, value] of Object.entries(settings)) await sql.unsafe(`alter role ${role} set ${name} = ${value}`);
  const named = new URL(url);
  named.username = role;
  named.password = 'for this test';
  return named.href;
}

async function opened(t: Pick<Test, 'teardown'>, url: string, env: Record<string, string> = {}): Promise<Omit<TestService, 'sql' | 'url'>> {
  const service = await openService(url, { ...storeTables, ...env });
  t.teardown(service.close);
  return service;
}

/** The faults after a change that is taken back: the role belongs to all databases of the server. */
async function faults(sql: postgres.Sql, change: string): Promise<string[]> {
  let found: string[] = [];
  await sql.begin(async transaction => {
    await transaction.unsafe(change).simple();
    found = (await transaction<{ fault: string }[]>`select fault from service_private.role_faults('nobody') fault`).map(({ fault }) =>
      fault);
    throw new TakeBack();
  }).catch((error: unknown) => { if (!(error instanceof TakeBack)) throw error; });
  return found;
}

class TakeBack extends Error {}

/** The server's record of a login, with the transaction that wrote it last. */
async function stored(sql: postgres.Sql, role: string): Promise<unknown> {
  const [row] = await sql`
    select r.rolpassword, r.rolsuper, r.rolinherit, r.xmin::text as written,
      array(select g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid) as member,
      (select array[s.xmin::text] from pg_db_role_setting s where s.setrole = r.oid) as settings_written,
      (select array_to_string(array(select c from unnest(s.setconfig) c order by c), E'\n')
        from pg_db_role_setting s where s.setrole = r.oid) as settings
    from pg_authid r where r.rolname = ${role}`;
  return { ...row, settings: row?.['settings'] === null ? [] : [row?.['settings']] };
}
