import type postgres from 'postgres';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { createService, schema } from '../harness/service.ts';
import { migrate } from '../../gateway/start/migrate.ts';
import { addressOf, runCommand, startGateway } from './gateway.ts';

const tables = `
  create table bare (id integer primary key, owner_id text); insert into bare values (1, 'ann');
  create table silent (id integer primary key); alter table silent enable row level security;
  create table keyless (n integer);
  create table kept (id integer primary key); alter table kept enable row level security; create policy all_of_it on kept using (true);
  create view past as select id from bare;`;
const HOSTILE = 'x\n; drop table kept; --"\n\\! touch pwned';

/** A script with a transaction of its own. */
async function run(sql: postgres.Sql, script: string): Promise<void> {
  const connection = await sql.reserve();
  await connection.unsafe(script).simple();
  connection.release();
}

async function log(t: Parameters<typeof startGateway>[0], env: Record<string, string>): Promise<string> {
  const gateway = startGateway(t, env);
  await addressOf(gateway);
  gateway.process.kill('SIGTERM');
  return (await gateway.ended).output;
}

test('tables that are not served are one line, with the script that serves them', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(tables);
  await sql`create table ${sql(HOSTILE)} (id integer primary key)`;
  const told = (await log(t, { DATABASE_URL: url })).split('\n').filter(line => /WARN.*served/.test(line));
  t.equal(told.length, 1);
  t.match(told[0],
    /5 tables of public are not served: row security is off \(2\), .*no primary key \(1\).*rowgate policies --suggest prints a script/);
  const { code, output } = await runCommand(t, ['policies', '--suggest'], { DATABASE_URL: url });
  t.equal(code, 0);
  t.match(output, /^-- keyless: no primary key\.\n-- alter table public\.keyless add primary key \(…\);$/m);
  t.match(output, /^-- past: .*\n-- alter view public\.past set \(security_invoker = on\);$/m);
  t.match(output, /^-- Each row is for whom owner_id names: create policy bare_owner on public\.bare /m);
  await run(sql, output);
  t.same(await sql`select tablename, policyname, permissive, cmd from pg_policies where schemaname = 'public' and tablename <> ${HOSTILE}
    order by 1`, [
    { tablename: 'bare', policyname: 'bare_admin', permissive: 'PERMISSIVE', cmd: 'ALL' },
    { tablename: 'kept', policyname: 'all_of_it', permissive: 'PERMISSIVE', cmd: 'ALL' },
    { tablename: 'silent', policyname: 'silent_admin', permissive: 'PERMISSIVE', cmd: 'ALL' },
  ], 'a name ends no comment and no statement');
  t.match(await runCommand(t, ['policies', '--suggest'], { DATABASE_URL: url }),
    { code: 0, output: /^-- What follows is for you to decide\.\n/ });
  t.match(await log(t, { DATABASE_URL: url }), /2 tables of public are not served/);
});

test('the tables of the script are for admin until a policy says more', async t => {
  const { sql, request, database } = await createService(t, { template: 'served', setup: tables, env: { AUTH_REQUIRE: 'false' } });
  const [row] = await sql<{ script: string }[]>`select service.suggested_policies('public') as script`;
  await run(sql, row?.script ?? '');
  await database.catalog.refresh();
  t.same((await request('/data/bare')).body.data, [{ id: 1, ownerId: 'ann' }]);
  t.equal((await request('/data/silent', { method: 'POST', body: '{"id": 1}' })).status, 201);
  for (const slug of ['bare', 'silent']) t.same((await request(`/data/${slug}`, { as: null })).body.data, [], slug);
});

test('SERVICE_UNPROTECTED_TABLES=serve says who reads and writes what', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(tables);
  const env = { DATABASE_URL: url, SERVICE_UNPROTECTED_TABLES: 'serve' };
  t.match(await log(t, env),
    /WARN.*SERVICE_UNPROTECTED_TABLES=serve: every caller with a token or the service key reads and writes every row of bare\./);
  t.match(await log(t, { ...env, AUTH_REQUIRE: 'false' }), /WARN.*every caller, without a token too, reads and writes every row of bare\./);
});

test('a database without the schema is refused with a message, and nothing is changed', async t => {
  const { url, sql } = await createDatabase(t);
  t.match(await runCommand(t, ['policies', '--suggest'], { DATABASE_URL: url }),
    { code: 1, output: /^The database has not the schema of this version yet: rowgate migrate/ });
  t.same(await sql`select from pg_namespace where nspname = 'service'`, []);
  await migrate(sql, schema);
  t.match(await runCommand(t, ['policies', '--suggest'], { DATABASE_URL: url }), { code: 0, output: '-- Every table is served.\n' });
});
