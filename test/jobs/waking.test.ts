import { setTimeout as delay } from 'node:timers/promises';
import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { createFairExecutor, type FairExecutor } from '../../gateway/database/fair-executor.ts';
import type { Job } from '../../gateway/features/job.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the template
import { until } from '../harness/until.ts';
import { startWorker } from './worker.ts';

/** A worker that would not look by itself for an hour. `first` runs before it begins. */
async function sleeper(t: Test, first: (sql: postgres.Sql) => Promise<unknown> = () => Promise.resolve()) {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  await first(sql);
  const done: number[] = [];
  let statements = 0;
  const executor = createFairExecutor(() => sql, { size: 2, deadline: 5_000 });
  const ask: FairExecutor = (caller, statement) => { statements += 1; return executor(caller, statement); };
  const run = ({ payload }: Job) => { done.push((payload as { n: number }).n); return Promise.resolve(); };
  await startWorker(t, { sql, url }, { a: { run } }, { ask, pollInterval: 3_600_000 });
  const asleep = () => until('it sleeps', async () => (await sql`select from service.job_workers where asleep`).length === 1);
  const enqueue = (n: number, options: object = {}) =>
    sql`select service.enqueue('a', ${JSON.stringify({ n })}::text::jsonb, ${JSON.stringify(options)}::text::jsonb)`;
  const isDone = (count: number) => until(`${count} are done`, () => done.length === count);
  return { sql, done, asleep, enqueue, isDone, statements: () => statements };
}

test('a job that is enqueued while the worker sleeps begins at once', async t => {
  const { enqueue, asleep, isDone, done } = await sleeper(t);
  for (let n = 1; n <= 3; n++) {
    await asleep();
    await enqueue(n);
    await isDone(n);
  }
  t.same(done, [1, 2, 3]);
});

test('a job whose transaction began before the worker fell asleep begins with its commit', async t => {
  const [held, enqueued] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  let late: Promise<unknown> = Promise.resolve();
  const { asleep, isDone } = await sleeper(t, sql => {
    late = sql.begin(async transaction => {
      await transaction`select service.enqueue('a', '{"n": 1}')`;
      enqueued.resolve(undefined);
      await held.promise;
    });
    return enqueued.promise;
  });
  await asleep();
  await delay(100);
  held.resolve(undefined);
  await late;
  await isDone(1);
  t.pass();
});

test('jobs that come due later are not overslept', async t => {
  const { sql, enqueue, asleep, isDone, done } = await sleeper(t);
  await asleep();
  await enqueue(2, { delayMs: 400 });
  await enqueue(1, { delayMs: 100, priority: -5 });
  await enqueue(3, { runAt: '2099-01-01T00:00:00Z', priority: 5 });
  await isDone(2);
  t.same(done, [1, 2]);
  t.same((await sql`select service.job_cancel(id) as cancelled from service.jobs where status = 'pending'`).length, 1);
});

test('where many come the worker looks by itself and enqueuers need not ring; all are done', async t => {
  const { sql, enqueue, asleep, isDone, done } = await sleeper(t);
  await asleep();
  await Promise.all(Array.from({ length: 400 }, (_, n) => enqueue(n)));
  await isDone(400);
  t.equal(new Set(done).size, 400);
  await asleep();
  t.same(await sql`select is_called from service.jobs_asleep`, [{ is_called: true }]);
});

test('a worker with nothing to do sends fewer than two statements a second', async t => {
  const { asleep, statements } = await sleeper(t);
  await asleep();
  await delay(200);
  const before = statements();
  await delay(5_000);
  t.ok(statements() - before < 10, `${statements() - before} in five seconds`);
});

test('a job that is retried, given back or taken back wakes a worker', async t => {
  const { sql, asleep, isDone } = await sleeper(t);
  await asleep();
  await sql`insert into service.jobs (task, payload, status, attempts) values ('a', '{"n": 1}', 'failed', 3)`;
  await sql`select service.job_retry(id) from service.jobs`;
  await isDone(1);
  await asleep();
  await sql`insert into service.jobs (task, payload, status, attempts, max_attempts, locked_by, locked_at)
    values ('a', '{"n": 2}', 'running', 1, 3, 'gone', now() - interval '1 day')`;
  t.same(await sql`select service.job_reap(1000) as reaped`, [{ reaped: 1 }]);
  await isDone(2);
  t.pass();
});
