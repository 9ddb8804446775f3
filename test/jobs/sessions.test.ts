import postgres from 'postgres';
import { test, type Test } from 'tap';
import { openPresence } from '../../gateway/database/presence.ts';
import { ClaimGone, type Handler } from '../../gateway/features/job.ts';
import type { WorkerOptions } from '../../gateway/features/jobs/worker.ts';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the template
import { until } from '../harness/until.ts';
import { settings } from '../storage/asked.ts';
import { startWorker } from './worker.ts';

/** They look for workers that are gone every tenth of a second. */
const OFTEN: Partial<WorkerOptions> = { visibilityTimeout: 300 };

async function database(t: Test) {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  const open = (run: Handler['run'], options: Partial<WorkerOptions> = {}) =>
    startWorker(t, { sql, url }, { a: { run } }, { ...OFTEN, ...options });
  const enqueue = () => sql`select service.enqueue('a')`;
  const job = async () => ({ ...(await sql`select status, attempts, last_error, locked_by from service.jobs`)[0] });
  /** Ends the session by which a worker listens. */
  const end = (id: string | undefined) => sql`
    select pg_terminate_backend(l.pid) from pg_locks l
    where l.locktype = 'advisory' and l.classid = 7261946 and l.objid = service_private.presence_key(${id ?? ''})::oid`;
  return { sql, url, open, enqueue, job, end };
}

/** It goes on until it is told to stop. */
const endless: Handler['run'] = (_job, { signal }) => new Promise((_, reject) => {
  signal.addEventListener('abort', () => { reject(signal.reason as Error); });
});

test('when a worker\'s session is gone its jobs are taken back, and it gives them up', async t => {
  const { open, enqueue, job, end, sql } = await database(t);
  const reasons: unknown[] = [];
  const done: number[] = [];
  const run: Handler['run'] = async (given, underWay) => {
    if (given.attempt > 1) return void done.push(given.attempt);
    await endless(given, underWay).catch((error: unknown) => { reasons.push(error); throw error; });
  };
  const first = await open(run);
  const id = first.id();
  await enqueue();
  await until('it runs', async () => (await job())['locked_by'] === id);
  await open(run);
  await end(id);
  await until('it is done by another, or under another session', () => done.length > 0);
  // Until it knows that its session is gone, the first may claim once more, and give that claim up as well.
  t.ok([2, 3].includes(done[0] ?? 0));
  t.ok(reasons.length === 1 && reasons[0] instanceof ClaimGone);
  await until('the first has another session', () => first.id() !== undefined && first.id() !== id);
  await until('it is recorded as done', async () => (await job())['status'] === 'succeeded');
  t.match(await job(), { status: 'succeeded', attempts: done.at(-1) ?? 0, last_error: /^Its worker \d+-[0-9a-f]{8} is gone\.$/ });
  t.same(await sql`select from service.jobs where status = 'running'`, []);
});

test('a worker works on with a new session', async t => {
  const { open, enqueue, end, sql } = await database(t);
  const done: string[] = [];
  const worker = await open((_job, { workerId }) => { done.push(workerId); return Promise.resolve(); });
  const ids = [worker.id()];
  await enqueue();
  await until('it is done', () => done.length === 1);
  await end(worker.id());
  await until('it has a new session', () => ![undefined, ids[0]].includes(worker.id()));
  ids.push(worker.id());
  await enqueue();
  await until('the next is done too', () => done.length === 2);
  t.same(done, ids);
  await until('both are recorded', async () => (await sql`select from service.jobs where status = 'succeeded'`).length === 2);
});

test('a job is a worker\'s own as long as its session lives, however long nothing is heard of it', async t => {
  const { open, enqueue, job, sql } = await database(t);
  const worker = await open(endless);
  await enqueue();
  await until('it runs', async () => (await job())['status'] === 'running');
  await sql`update service.jobs set locked_at = now() - interval '1 day'`;
  t.same(await sql`select service.job_reap(1000) as reaped`, [{ reaped: 0 }]);
  t.match(await job(), { status: 'running', attempts: 1, locked_by: worker.id() });
});

test('without a session the visibility timeout decides', async t => {
  const { sql, open, enqueue, job } = await database(t);
  const presence = await openPresence(undefined);
  t.match(presence.id, /^\d+-[0-9a-f]{8}-pooled$/);
  t.same(await sql`select service_private.is_present(${presence.id ?? ''}) as present`, [{ present: null }]);
  await open(endless, { presence, visibilityTimeout: 300_000 });
  await enqueue();
  await until('it runs', async () => (await job())['locked_by'] === presence.id);
  t.same(await sql`select service.job_reap(60000) as reaped`, [{ reaped: 0 }]);
  await sql`update service.jobs set locked_at = now() - interval '61 s'`;
  t.same(await sql`select service.job_reap(60000) as reaped`, [{ reaped: 1 }]);
});

test('a heartbeat says that a worker without a session still lives', async t => {
  const { open, enqueue, sql, job } = await database(t);
  await open(endless, { presence: await openPresence(undefined) });
  await enqueue();
  await until('it runs', async () => (await job())['status'] === 'running');
  const [before] = await sql`select locked_at from service.jobs`;
  const heard = async () => (await sql`select from service.jobs where locked_at > ${before?.['locked_at'] as Date}`).length === 1;
  await until('it was heard of', heard);
  t.match(await job(), { status: 'running', attempts: 1 });
});

test('the server ends a function whose gateway was killed', async t => {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  await sql.unsafe('create function slow(job jsonb) returns jsonb language sql as \'select to_jsonb(pg_sleep(60)::text)\'');
  const gateway = startGateway(t, {
    DATABASE_URL: url, DB_POOL_MAX: '20', ...settings(t, { jobs: { tasks: { slow: { function: 'slow' } } } }),
  });
  await addressOf(gateway);
  await sql`select service.enqueue('slow')`;
  const isAtWork = async () => (await sql`
    select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`).length === 1;
  await until('it runs', isAtWork);
  gateway.process.kill('SIGKILL');
  await until('the server noticed', async () => !await isAtWork());
});

test('a claim whose answer was lost comes back, and the worker does the job', async t => {
  const { open, job, sql } = await database(t);
  const done: number[] = [];
  const worker = await open(({ attempt }) => { done.push(attempt); return Promise.resolve(); });
  const claim = (ago: string) => sql`
    insert into service.jobs (task, status, attempts, max_attempts, locked_by, locked_at)
    values ('a', 'running', 1, 3, ${worker.id() ?? null}, now() - ${ago}::interval)`;
  await claim('2 minutes');
  await until('it is done', async () => (await job())['status'] === 'succeeded');
  t.same(done, [2]);
  t.match(await job(), { attempts: 2, last_error: 'Its worker did not learn that it has it.' });
});

test('a gateway whose presence is a new one in the session of the last no longer holds that', async t => {
  const { sql, url } = await database(t);
  const session = postgres(url, { max: 1 });
  t.teardown(() => session.end({ timeout: 1 }));
  const [first, second] = ['1-00000001', '1-ffffffff'];
  const present = async () => (await sql`
    select service_private.is_present(u.id) as is from unnest(${[first, second]}::text[]) with ordinality u (id, n) order by u.n`)
    .map(row => row['is'] as boolean);
  await session`select service_private.hold_presence(${first}, null)`;
  t.same(await present(), [true, false]);
  await session`select service_private.hold_presence(${second}, ${first})`;
  t.same(await present(), [false, true]);
  await session.end({ timeout: 1 });
  await until('the session is gone', async () => !(await present()).includes(true));
});
