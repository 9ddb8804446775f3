import { readdirSync, readFileSync, truncateSync, writeFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { test } from 'tap';
import { ownedDatabase } from '../boot/owned-database.ts';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, SERVICE_KEY, storeFiles } from '../harness/service.ts';
import { connect } from '../harness/socket.ts';
import { until } from '../harness/until.ts';
import { settings } from '../storage/asked.ts';
import { backup, dumpIn, folder, programs, restoreInto, script, skip } from './backups.ts';

const PERSON = { email: 'ann@example.com', password: 'a long enough Passw0rd' };

const MAIL = `create function app.mail(job jsonb) returns jsonb language sql as $$ select job -> 'payload' $$`;

test('a service starts on a restored database: people sign in, rows are there and change, jobs wait for a retry', { skip }, async t => {
  const service = await createService(t, { setup: MAIL });
  const registered = await service.request('/auth/register', { method: 'POST', as: null, body: JSON.stringify(PERSON) });
  t.equal(registered.status, 201, registered.text);
  const rows = (await service.request('/data/products?limit=1000')).text;
  await service.sql`select service.enqueue('mail', '{"to": "ann"}')`;
  const to = folder(t);
  const { code, output } = await backup(t, service.url, to);
  t.equal(code, 0, output);

  const { url, sql } = await createDatabase(t);
  const restored = await restoreInto(t, url, [dumpIn(to)]);
  t.equal(restored.code, 0, restored.output);
  t.same((await sql`select task, status, last_error from service.jobs where task = 'mail'`).map(row => ({ ...row })),
    [{ task: 'mail', status: 'failed', last_error: 'restored' }]);
  const again = await openService(url, { ...storeFiles, ...settings(t, { jobs: { tasks: { mail: { function: 'app.mail' } } } }) });
  t.teardown(again.close);
  t.equal((await again.request('/data/products?limit=1000')).text, rows);
  const signedIn = await again.request('/auth/login', { method: 'POST', as: null, body: JSON.stringify(PERSON) });
  t.equal(signedIn.status, 200, signedIn.text);
  t.equal((await sql`select from pg_event_trigger where evtname = 'service_ddl'`).length, 1, 'the start made the event triggers');
  const socket = await connect(t, again, { token: SERVICE_KEY });
  socket.send({ type: 'subscribe_collection', payload: { subscriptionId: 'tags', path: 'tags', limit: 100 } });
  await socket.next({ subscriptionId: 'tags' });
  await sql`insert into public.tags (name, color) values ('after-restore', '#102030')`;
  const { rows: tags } = await socket.next({ subscriptionId: 'tags' });
  t.ok((tags as { name: string }[]).some(({ name }) => name === 'after-restore'), 'realtime tells of the change');
  const job = async () => (await sql<{ id: string; status: string; result: unknown }[]>`
    select id, status, result from service.jobs where task = 'mail'`)[0];
  t.equal((await job())?.status, 'failed');
  await sql`select service.job_retry(${(await job())?.id ?? ''})`;
  await until('the job is run', async () => (await job())?.status === 'succeeded');
  t.same((await job())?.result, { to: 'ann' });
});

test('a database with tables is refused, but with --clean, which leaves nothing of before', { skip }, async t => {
  const source = await createDatabase(t, { template: 'served' });
  await source.sql.unsafe(`create table public.kept (n integer); insert into public.kept values (1);
    select service.enqueue('mail', '{}')`).simple();
  const to = folder(t);
  t.equal((await backup(t, source.url, to)).code, 0);
  const { url, sql } = await createDatabase(t, { template: 'served_store' });
  await sql.unsafe(`create schema own; create table own.later (n integer); create view public.seen as select * from own.later;
    create type public.mood as enum ('good'); create function public.f(public.mood) returns integer language sql as 'select 1'`).simple();
  t.match(await restoreInto(t, url, [dumpIn(to)]), { code: 1, stderr: /^The database has \d+ tables: restore into an empty one, .*\n$/ });
  t.equal((await sql`select from own.later`).length, 0, 'it is as it was');

  const { code, output } = await restoreInto(t, url, ['--clean', '--with-jobs', dumpIn(to)]);
  t.equal(code, 0, output);
  t.same((await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c where relkind in ('r', 'v') and relnamespace = 'public'::regnamespace`)
    .map(({ name }) => name), ['kept']);
  t.equal((await sql`select from pg_namespace where nspname = 'own'`).length, 0);
  t.same((await sql`select status from service.jobs`).map(({ status }) => String(status)), ['pending'], '--with-jobs');
});

test('a dump that is cut, of another product, or none changes nothing', { skip }, async t => {
  const source = await createDatabase(t, { template: 'served' });
  await source.sql`create table public.big as select n, repeat(md5(n::text), 20) as text from generate_series(1, 20000) n`;
  const to = folder(t);
  t.equal((await backup(t, source.url, to)).code, 0);
  const dump = dumpIn(to);
  const cut = join(to, 'cut.dump');
  const foreign = folder(t);
  const other = await createDatabase(t);
  await other.sql`create table public.t ()`;
  t.equal((await backup(t, other.url, foreign)).code, 0);
  writeFileSync(join(to, 'rubbish.dump'), 'SQLite format 3');

  const { url, sql } = await createDatabase(t);
  await sql`create table public.here ()`;
  const refused = async (file: string, line: RegExp) => {
    const { code, stderr } = await restoreInto(t, url, ['--clean', file]);
    t.equal(code, 1, file);
    t.match(stderr, line);
    t.equal(stderr.trimEnd().split('\n').length, 1, 'one line');
    t.same((await sql<{ name: string }[]>`select relname as name from pg_class where relkind = 'r' and relnamespace >= 2200`)
      .map(({ name }) => name).filter(name => !/^(pg_|sql_)/.test(name)), ['here'], 'nothing has changed');
  };
  for (const part of [0.5, 0.02, 0.001]) { // the last bytes of a dump may be none that a restore reads
    writeFileSync(cut, readFileSync(dump));
    truncateSync(cut, Math.floor(statSync(dump).size * part));
    await refused(cut, /^pg_restore failed: .*\n$/);
  }
  await refused(dumpIn(foreign), /is no backup of this service: it has no schema service\.\n$/);
  await refused(join(to, 'rubbish.dump'), /^pg_restore failed: .*\n$/);
  await refused('none.dump', /^There is no backup none\.dump\.\n$/);
  const version = '[ "$1" = --version ] && echo "pg_restore (PostgreSQL) 99.1" && exit';
  const list = script(t, version, 'echo "; Dumped from database version: 99.1"');
  const { stderr } = await restoreInto(t, url, ['--clean', dump], { PG_RESTORE_PATH: list });
  t.match(stderr, /is of PostgreSQL 99, and the server is \d+: it needs 99 or later\.\n$/);
});

test('roles that are missing are made first, as far as the backup names them', { skip }, async t => {
  const { url, sql, name } = await createDatabase(t, { template: 'served' });
  const [reader, group, unused] = [`${name}_reader_a`, `${name} "group"`, `${name}_unused`];
  const dropped = async () => { for (const role of [reader, group, unused]) await sql`drop role if exists ${sql(role)}`; };
  await sql.unsafe(`create role ${reader} login noinherit connection limit 3 bypassrls;
    create role "${name} ""group"""; create role ${unused}; grant "${name} ""group""" to ${reader};
    create table public.t (); grant select on public.t to ${reader}, "${name} ""group"""`).simple();
  const to = folder(t);
  t.equal((await backup(t, url, to)).code, 0);
  await sql`drop table public.t`;
  await dropped();
  const target = await createDatabase(t);
  const { code, output } = await restoreInto(t, target.url, [readdirSync(to).find(file => file.endsWith('.dump')) ?? ''],
    { BACKUP_DESTINATION: to });
  t.equal(code, 0, output);
  t.same((await target.sql`
    select rolname, rolcanlogin, rolinherit, rolconnlimit, rolbypassrls from pg_roles
    where rolname in (${reader}, ${group}, ${unused}) order by 1`).map(row => Object.values(row)),
  [[group, false, true, -1, false], [reader, true, false, 3, false]], 'rights over the server are not given');
  t.same(await target.sql`select pg_has_role(${reader}, ${group}, 'member') as is_member`, [{ is_member: true }]);
  await target.sql`drop table public.t`;
  await dropped();
});

test('the owner of a database, who has no other right, backs it up and restores it', { skip }, async t => {
  const source = await ownedDatabase(t, 'nocreaterole', 'grant service_user to OWNER');
  const first = await openService(source.url, {}, source.url); // no pooler: it refuses a login like that
  const sql = postgres(source.url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`create table note (id int primary key, text text); alter table note enable row level security;
    create policy everyone on note using (true); insert into note values (1, 'first'); select service.enqueue('mail', '{}')`).simple();
  await sql.end();
  const registered = await first.request('/auth/register', { method: 'POST', as: null, body: JSON.stringify(PERSON) });
  t.equal(registered.status, 201, registered.text);
  await first.close();
  const to = folder(t);
  const made = await backup(t, source.url, to);
  t.equal(made.code, 0, made.output);
  t.match(await backup(t, source.url, folder(t), {}, ['--prove']),
    { code: 1, stderr: /^The login may not create a database \(CREATEDB\), .*\n$/ });

  const target = await ownedDatabase(t, 'nocreaterole', 'grant service_user to OWNER');
  for (const args of [[], ['--clean']]) {
    const restored = await restoreInto(t, target.url, [...args, dumpIn(to)]);
    t.equal(restored.code, 0, restored.output);
    t.same(await target.admin`
      select distinct pg_get_userbyid(relowner) as owner from pg_class
      where relnamespace in ('service'::regnamespace, 'public'::regnamespace)`, [{ owner: target.owner }]);
  }
  const again = await openService(target.url, {}, target.url);
  t.teardown(again.close);
  t.match(await again.request('/data/note'), { status: 200, body: { meta: { total: 1 } } });
  t.equal((await again.request('/auth/login', { method: 'POST', as: null, body: JSON.stringify(PERSON) })).status, 200);

  const foreign = await createDatabase(t, { template: 'served' });
  await foreign.sql`create role ${foreign.sql(`${foreign.name}_reader`)}`;
  await foreign.sql`grant select on service.jobs to ${foreign.sql(`${foreign.name}_reader`)}`;
  const theirs = folder(t);
  t.equal((await backup(t, foreign.url, theirs)).code, 0);
  await foreign.sql`drop owned by ${foreign.sql(`${foreign.name}_reader`)}`;
  await foreign.sql`drop role ${foreign.sql(`${foreign.name}_reader`)}`;
  t.match(await restoreInto(t, target.url, ['--clean', dumpIn(theirs)]),
    { code: 1, stderr: /^psql failed: permission denied to create role\.\n$/ }, 'a role that is missing');
  t.match(await again.request('/data/note'), { status: 200, body: { meta: { total: 1 } } }, 'everything is as it was');
});

test('--prove restores the backup into a scratch database, and compares', { skip }, async t => {
  const { url, sql } = await createDatabase(t, { template: 'served_store' });
  await sql`create view public.again as select 1 as one union all select null`;
  const to = folder(t);
  const { code, output } = await backup(t, url, to, {}, ['--prove']);
  t.equal(code, 0, output);
  t.match(output, /^Proven: restored, it has the same \d\d+ tables, \d+ rows and definitions\.$/m);
  const scratch = () => sql`
    select from pg_database where datname = (select 'rowgate_proof_' || oid from pg_database where datname = current_database())`;
  t.equal((await scratch()).length, 0, 'it is dropped');
  await sql`create table public.lost as select generate_series(1, 7) as n`;
  const excluding = script(t, `exec ${programs().PG_DUMP_PATH} "$@" --exclude-table-data=public.lost`);
  const lossy = await backup(t, url, folder(t), { PG_DUMP_PATH: excluding }, ['--prove']);
  t.match(lossy, {
    code: 1, stderr: /^The backup is not what was backed up: of "table public\.lost: 7 rows" .* "table public\.lost: 0 rows"\.\n$/,
  });
  t.equal((await scratch()).length, 0);
});
