import type postgres from 'postgres';
import { test } from 'tap';
import { createDatabase, type TestDatabase } from '../harness/database.ts';
import { clientsOf } from '../harness/pgbouncer.ts';
import { requestsUrl } from '../harness/server.ts';
import { createService, openService, storeTables } from '../harness/service.ts';
import { addressOf, runGateway, startGateway } from './gateway.ts';

/**
 * The youngest transaction that wrote anything of this database: its tables, functions, triggers, grants, roles and their settings, the
 * service's rows.
 */
async function lastWrite(sql: postgres.Sql, name: string): Promise<unknown> {
  const tables = await sql<{ name: string }[]>`select oid::regclass::text as name from pg_class
    where relkind = 'r' and (relnamespace = 'service'::regnamespace
    or oid in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_namespace'::regclass, 'pg_event_trigger'::regclass,
      'pg_attribute'::regclass, 'pg_description'::regclass))`;
  const newest = tables.map(table => `select '${table.name}' as place, max(xmin::text::bigint), count(*) from ${table.name}`);
  return sql.unsafe(`${newest.join(' union all ')}
    union all select 'roles', max(xmin::text::bigint), count(*) from pg_authid where starts_with(rolname, '${name}')
    union all select 'memberships', max(xmin::text::bigint), count(*) from pg_auth_members
    where starts_with(member::regrole::text, '${name}')
    union all select 'settings', max(s.xmin::text::bigint), count(*) from pg_db_role_setting s
    join pg_database d on d.oid = s.setdatabase where d.datname = '${name}'
    order by 1`).then(rows => Array.from(rows));
}

const roles = async ({ sql, name }: Pick<TestDatabase, 'sql' | 'name'>): Promise<string[]> =>
  (await sql<{ rolname: string }[]>`select rolname from pg_roles where starts_with(rolname, ${name}) order by 1`).map(({ rolname }) =>
    rolname.slice(name.length));

test('ten services open one empty database at once, and all serve', async t => {
  const { url, sql, name } = await createDatabase(t);
  await sql`create table note (id int primary key, text text)`;
  const services = await Promise.all(Array.from({ length: 10 },
    () => openService(url, { DB_POOL_MAX: '5', SERVICE_UNPROTECTED_TABLES: 'serve' })));
  try {
    for (const { request } of services) t.match(await request('/data/note'), { status: 200, body: { data: [], meta: { total: 0 } } });
    t.same(await roles({ sql, name }), ['_reader', '_writer']);
    t.equal((await sql`select from pg_event_trigger where evtname like 'service%'`).length, 2);
  } finally {
    await Promise.all(services.map(({ close }) => close()));
  }
});

test('a service that starts on a database that is up to date writes nothing', async t => {
  const { url, sql, name } = await createDatabase(t, { template: 'served_store' });
  await (await openService(url, storeTables)).close();
  const before = await lastWrite(sql, name);
  await (await openService(url, storeTables)).close();
  t.same(await lastWrite(sql, name), before);
  await (await openService(url, { ...storeTables, SERVICE_MIGRATE_ON_BOOT: 'none' })).close();
  t.same(await lastWrite(sql, name), before);
  await sql`comment on table products is 'changed'`;
  t.notSame(await lastWrite(sql, name), before, 'a write would be seen');
});

test('SERVICE_MIGRATE_ON_BOOT=none gives no grant and says which is missing', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served_store' });
  await (await openService(url, storeTables)).close();
  await sql`revoke insert on products from service_user`;
  const service = await openService(url, { ...storeTables, SERVICE_MIGRATE_ON_BOOT: 'none' });
  t.teardown(service.close);
  t.same((await service.database.report()).missingGrants, ['grant select, insert, update, delete on public.products to service_user;']);
  t.equal((await sql`select has_table_privilege('service_user', 'products', 'insert') as has`)[0]?.['has'], false);
  t.equal((await service.request('/data/products/count')).status, 200);
});

test('SERVICE_MIGRATE_ON_BOOT=none refuses an empty database and leaves it empty', async t => {
  const { url, sql, name } = await createDatabase(t);
  const { code, stderr } = await runGateway(t, { DATABASE_URL: url, SERVICE_MIGRATE_ON_BOOT: 'none' });
  t.equal(code, 1);
  t.match(stderr, /^The database lacks 000001\.sql.* and SERVICE_MIGRATE_ON_BOOT=none forbids applying them\.\n$/);
  t.equal((await sql`select from pg_namespace where nspname = 'service'`).length, 0);
  t.same(await roles({ sql, name }), []);
});

test('SERVICE_PROVISION_ONLY brings the database up to date and ends without listening', async t => {
  const { url, sql, name } = await createDatabase(t);
  const { code, output } = await runGateway(t, { DATABASE_URL: url, SERVICE_PROVISION_ONLY: 'true' });
  t.equal(code, 0);
  t.notMatch(output, /serving|Address/);
  t.same(await roles({ sql, name }), ['_reader', '_writer']);
  t.not((await sql`select from service.migrations`).length, 0);
});

test('the gateway serves, and SIGTERM ends it with 0', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const gateway = startGateway(t, { DATABASE_URL: url, ...storeTables });
  const address = await addressOf(gateway);
  t.equal((await fetch(address.replace(/\/api$/, '/health'))).status, 200);
  gateway.process.kill('SIGTERM');
  t.equal((await gateway.ended).code, 0);
});

/** The connections of gateways to a database: at the server, or at a pooler, which connects to the server as it likes. */
async function connectionsOf(sql: postgres.Sql, url: string): Promise<number> {
  const requests = requestsUrl(url);
  const names = requests === url
    ? (await sql<{ name: string }[]>`select application_name as name from pg_stat_activity where datname = current_database()`)
      .map(({ name }) => name)
    : await clientsOf(requests, new URL(url).pathname.slice(1));
  return names.filter(name => name.startsWith('rowgate ')).length;
}

test('a process has no more connections than DB_POOL_MAX', async t => {
  for (const size of [5, 6, 8, 12]) {
    const { request, sql, url, close } = await createService(t, { env: { DB_POOL_MAX: String(size) } });
    const answers = await Promise.all(Array.from({ length: 200 },
      (_, n) => request(n % 2 === 0 ? '/data/products/1' : `/data/products?limit=${n}&include=category`)));
    t.same([...new Set(answers.map(({ status }) => status))], [200]);
    const count = await connectionsOf(sql, url);
    t.ok(count > 1 && count <= size, `${count} of ${size}`);
    await close();
  }
});
