import postgres from 'postgres';
import { test } from 'tap';
import { requestsUrl } from '../harness/server.ts';
import { openService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { settings } from '../storage/asked.ts';
import { runGateway } from './gateway.ts';
import { ownedDatabase } from './owned-database.ts';

const TABLE = `create table note (id int primary key, text text); alter table note enable row level security;
  create policy everyone on note using (true); insert into note values (1, 'first')`;

test('an owner who is no superuser but may create roles has a whole service', async t => {
  const { url } = await ownedDatabase(t, 'createrole', 'grant service_user to OWNER with admin option');
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  t.teardown(() => sql.end());
  await sql.unsafe(TABLE).simple();
  const service = await openService(url);
  t.teardown(service.close);
  t.match(await service.request('/data/note/1'), { status: 200, body: { id: 1, text: 'first' } });
  const [login] = await service.database.lanes.point.run({ text: 'select session_user', prepare: false, enterFirst: false }, []);
  t.match(Buffer.from(login ?? []).toString(), /_reader$/, 'requests have a login of their own');
  t.equal((await service.database.report()).watchesDdl, false, 'event triggers are for superusers');
  await sql`create table other (id int primary key)`;
  await sql.unsafe('alter table other enable row level security; create policy everyone on other using (true)').simple();
  t.equal((await service.request('/data/other')).status, 404);
  await sql`select service.reload()`;
  await until('the catalog is read again', async () => (await service.request('/data/other')).status === 200);
});

test('a table of another owner, which the owner may not grant, is left out and named with its grant until it is granted', async t => {
  const { url, admin } = await ownedDatabase(t, 'createrole', `grant service_user to OWNER with admin option;
    create table theirs (id int primary key); create table granted (id int primary key);
    create view over_theirs with (security_invoker = on) as select id from theirs;
    grant select on granted to service_user, OWNER`);
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  t.teardown(() => sql.end());
  await sql.unsafe(TABLE).simple();
  const service = await openService(url, { SERVICE_UNPROTECTED_TABLES: 'serve' });
  t.teardown(service.close);
  for (const slug of ['note', 'granted']) t.equal((await service.request(`/data/${slug}`)).status, 200, slug);
  for (const slug of ['theirs', 'over_theirs']) t.equal((await service.request(`/data/${slug}`)).status, 404, slug);
  const { skipped, missingGrants } = await service.database.report();
  const [superuser] = await admin`select current_user::text as name`;
  t.match(skipped, [
    {
      slug: 'over_theirs', reason: `service_user may not read it, which only its owner ${String(superuser?.['name'])} can grant`,
      remedy: 'grant select on public.over_theirs to service_user;',
    },
    { slug: 'theirs', remedy: 'grant select, insert, update, delete on public.theirs to service_user;' },
  ]);
  t.same(missingGrants, ['grant select, insert, update, delete on public.granted to service_user;']);
  await admin`grant select, insert, update, delete on theirs to service_user`;
  await sql`select service.reload()`;
  await until('it is served', async () => (await service.request('/data/theirs')).status === 200);
});

test('an owner who may not create roles, but is a member of service_user, serves with its own login', async t => {
  const { url } = await ownedDatabase(t, 'nocreaterole', 'grant service_user to OWNER');
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  t.teardown(() => sql.end());
  await sql.unsafe(TABLE).simple();
  // Such a login is restricted at the start of a session, which a pooler refuses.
  if (requestsUrl(url) !== url) {
    await t.rejects(openService(url), { name: 'BootError', message: /unsupported startup parameter: role/ });
    return;
  }
  const service = await openService(url);
  t.teardown(service.close);
  t.match(await service.request('/data/note'), { status: 200, body: { meta: { total: 1 } } });
});

test('functions of the project do not run on an owner\'s own login', async t => {
  const { url } = await ownedDatabase(t, 'nocreaterole', 'grant service_user to OWNER');
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  t.teardown(() => sql.end());
  await sql`create function note(job jsonb) returns jsonb language sql as 'select job'`;
  const env = { DATABASE_URL: url, DB_POOL_MAX: '20', ...settings(t, { jobs: { tasks: { note: { function: 'note' } } } }) };
  const { code, stderr } = await runGateway(t, env);
  t.equal(code, 1);
  t.match(stderr, /^SQL functions of jobs and schedules run on a login of their own, .*: set DATABASE_WRITER_URL, or grant CREATEROLE\.$/m);
});

test('an owner who may neither create roles nor act as service_user learns what it needs, and nothing is left half-done', async t => {
  const { url } = await ownedDatabase(t, 'nocreaterole');
  const { code, stderr } = await runGateway(t, { DATABASE_URL: url });
  t.equal(code, 1);
  t.match(stderr, /^The owner lacks a right it needs: .*CREATEROLE/);
  t.equal(stderr.trimEnd().split('\n').length, 1, stderr);
});

test('a login that may not create a schema is told so, and the database stays empty', async t => {
  const { url, admin } = await ownedDatabase(t, 'createrole');
  const [row] = await admin`select current_database() as name`;
  await admin.unsafe(`alter database ${String(row?.['name'])} owner to current_user; alter schema public owner to current_user`).simple();
  const { code, stderr } = await runGateway(t, { DATABASE_URL: url });
  t.equal(code, 1);
  t.match(stderr, /^The owner lacks a right it needs: migrations\/history\.sql: permission denied for database .*CREATE on the database/);
  t.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  t.equal((await admin`select from pg_namespace where nspname = 'service'`).length, 0);
});
