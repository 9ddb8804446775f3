import { test, type Test } from 'tap';
import { createService, type ServiceOptions, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const SETUP = `create table note (id int primary key, text text); alter table note enable row level security;
  create policy everyone on note using (true); insert into note values (1, 'first')`;

function service(t: Pick<Test, 'teardown'>, options: ServiceOptions = {}): Promise<TestService> {
  return createService(t, { template: 'served', setup: SETUP, ...options });
}

/** Resolves when a GET has this status; the time until then is that of a notification and a look at the tables. */
const becomes = ({ request }: TestService, path: string, status: number): Promise<true> =>
  until(`${path} becomes ${status}`, async () => (await request(path)).status === status);

test('tables that come, change and go are served without a restart', async t => {
  const own = await service(t);
  const { sql, request } = own;
  t.equal((await request('/data/task')).status, 404);
  await sql.unsafe(
    'create table task (id int primary key); alter table task enable row level security; create policy everyone on task using (true)',
  ).simple();
  await becomes(own, '/data/task', 200);
  await sql`alter table task add column done boolean not null default false`;
  await becomes(own, '/data/task?done=eq.false', 200);
  await sql`alter table task rename to job`;
  await becomes(own, '/data/job', 200);
  await becomes(own, '/data/task', 404);
  await sql`drop table job`;
  await becomes(own, '/data/job', 404);
});

test('a policy that is added or dropped decides whether a table is served', async t => {
  const own = await service(t);
  await own.sql`drop policy everyone on note`;
  await becomes(own, '/data/note', 404);
  await own.sql`create policy everyone on note using (true)`;
  await becomes(own, '/data/note', 200);
});

test('a comment shows in the list of collections', async t => {
  const { sql, request } = await service(t);
  await sql`comment on table note is 'What one must not forget.'`;
  await until('the comment shows', async () => (await request('/data/collections')).text.includes('What one must not forget.'));
});

test('temporary tables, revokes and the grants of a look are not announced', async t => {
  const { sql } = await service(t);
  const heard: string[] = [];
  await sql.listen('service_catalog', payload => heard.push(payload));
  await sql.unsafe('create temporary table scratch (a int)');
  await sql.unsafe('drop table scratch').catch(() => undefined); // another connection's
  await sql`create temporary table scratch_too on commit drop as select 1`;
  await sql`revoke select on note from service_user`;
  t.equal((await sql`select service_private.grant_served()`).length, 1);
  await sql`comment on table note is 'said'`;
  await sql`grant usage on schema public to service_user`;
  await sql.notify('service_catalog', 'the end');
  await until('all was heard', () => Promise.resolve(heard.includes('the end')));
  t.same(heard.filter(payload => payload === 'ddl'), ['ddl', 'ddl'], 'only the comment, and what somebody else granted');
});

/** The gateway hears nothing of DDL. */
const deafen = async ({ sql }: TestService): Promise<void> => {
  await sql`drop event trigger service_ddl`;
  await sql`drop event trigger service_drop`;
};

test('service.reload() stands in for the event triggers', async t => {
  const own = await service(t);
  await deafen(own);
  await own.sql.unsafe(
    'create table task (id int primary key); alter table task enable row level security; create policy everyone on task using (true)',
  ).simple();
  await own.database.catalog.refresh();
  await own.sql`alter table task add column done boolean`;
  t.equal((await own.request('/data/task?done=eq.false')).status, 400);
  await own.sql`select service.reload()`;
  await becomes(own, '/data/task?done=eq.false', 200);
});

test('a column that is gone without a word is looked for, and the request answered without it', async t => {
  const own = await service(t);
  t.equal((await own.request('/data/note')).status, 200);
  await deafen(own);
  await own.sql`alter table note drop column text`;
  t.match(await own.request('/data/note'), { status: 200, body: { data: [{ id: 1 }] } });
  t.match(await own.request('/data/note?text=first'), { status: 400, body: { error: { code: 'UNKNOWN_FILTER_FIELD' } } });
});

test('a killed LISTEN connection is replaced, and missed changes are read', async t => {
  const own = await service(t);
  const listeners = () =>
    own.sql`select pid from pg_stat_activity where datname = current_database() and application_name = 'rowgate listen'`;
  const [listener] = await listeners();
  await deafen(own);
  await own.sql`alter table note add column more text`;
  await own.sql`select pg_terminate_backend(${listener?.['pid']})`;
  await becomes(own, '/data/note?more=eq.x', 200);
  await until('it listens again', async () => (await listeners()).length === 1);
  await own.sql`alter table note add column most text`;
  await own.sql`select service.reload()`;
  await becomes(own, '/data/note?most=eq.x', 200);
});

test('while the tables cannot be read the last catalog stays in use', async t => {
  const own = await service(t);
  const { version } = own.database.catalog.current.document;
  await own.sql`alter function service_private.introspect(text, text) rename to gone`;
  await t.rejects(own.database.catalog.refresh());
  t.equal((await own.request('/data/note/1')).status, 200);
  t.equal(own.database.catalog.current.document.version, version);
  await own.sql`alter function service_private.gone(text, text) rename to introspect`;
  await own.sql`alter table note add column more text`;
  await becomes(own, '/data/note?more=eq.x', 200);
});
