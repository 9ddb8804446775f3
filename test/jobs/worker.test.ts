import { test, type Test } from 'tap';
import type { WorkerOptions } from '../../gateway/features/jobs/worker.ts';
import { TryLater, type Handler, type Job } from '../../gateway/features/job.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the template
import { until } from '../harness/until.ts';
import { startWorker } from './worker.ts';

async function database(t: Test) {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  const open = (runs: Record<string, Handler['run']>, options: Partial<WorkerOptions> = {}) =>
    startWorker(t, { sql, url }, Object.fromEntries(Object.entries(runs).map(([task, run]) => [task, { run }])), options);
  const jobs = async () =>
    (await sql`select payload, status, attempts, last_error from service.jobs order by place`).map(row => ({ ...row }));
  const enqueue = (task: string, n: number, options: object = {}) =>
    sql`select service.enqueue(${task}, ${sql.json({ n })}, ${JSON.stringify(options)}::text::jsonb)`;
  const over = (limit?: number) => until('all jobs are over',
    async () => (await sql`select from service.jobs where status in ('pending', 'running')`).length === 0,
    limit === undefined ? {} : { limit });
  return { sql, open, jobs, enqueue, over };
}

const numberOf = ({ payload }: Job): number => (payload as { n: number }).n;

test('a slow job holds up nothing but its place', async t => {
  const { open, enqueue, over } = await database(t);
  const { promise: slow, resolve: release } = Promise.withResolvers<undefined>();
  const done: number[] = [];
  await enqueue('slow', 0);
  for (let n = 1; n <= 20; n++) await enqueue('quick', n);
  await open({
    async slow(job) { await slow; done.push(numberOf(job)); },
    quick(job) { done.push(numberOf(job)); return Promise.resolve(); },
  }, { concurrency: 2 });
  await until('the quick ones are done', () => done.length === 20);
  release(undefined);
  await over();
  t.same(done, [...Array.from({ length: 20 }, (_, n) => n + 1), 0]);
});

test('at most so many jobs at once, and each once', async t => {
  const { open, enqueue, over } = await database(t);
  for (let n = 0; n < 50; n++) await enqueue('a', n);
  const done: number[] = [];
  let [atWork, most] = [0, 0];
  const handlers = {
    async a(job: Job) {
      most = Math.max(most, atWork += 1);
      await new Promise(resolve => { setTimeout(resolve, 5); });
      atWork -= 1;
      done.push(numberOf(job));
    },
  };
  await open(handlers, { concurrency: 4 });
  await over();
  t.equal(most, 4);
  t.same(done.toSorted((a, b) => a - b), Array.from({ length: 50 }, (_, n) => n));
});

test('a job that fails is tried again, and fails for good after its last attempt', async t => {
  const { open, enqueue, over, jobs, sql } = await database(t);
  await enqueue('a', 1, { maxAttempts: 2 });
  let tries = 0;
  await open({ a() { tries += 1; return Promise.reject(new Error(`try ${tries}`)); } });
  await until('the first attempt failed', async () => (await jobs())[0]?.['last_error'] === 'try 1');
  await sql`update service.jobs set run_at = now()`;
  await over();
  t.same(await jobs(), [{ payload: { n: 1 }, status: 'failed', attempts: 2, last_error: 'try 2' }]);
});

test('tasks of others are left to them', async t => {
  const { open, enqueue, jobs } = await database(t);
  await enqueue('b', 1);
  await enqueue('a', 2);
  await open({ a: () => Promise.resolve() });
  await until('its own is done', async () => (await jobs())[1]?.['status'] === 'succeeded');
  t.match(await jobs(), [{ status: 'pending', attempts: 0 }, { status: 'succeeded' }]);
});

test('closing waits for what runs; what does not end is due again at once, and the attempt is not counted', async t => {
  const { open, enqueue, jobs } = await database(t);
  await enqueue('short', 1);
  await enqueue('long', 2);
  await enqueue('long', 3, { queue: 'q' });
  await enqueue('long', 4, { queue: 'q' });
  const begun: number[] = [];
  const { promise: never } = Promise.withResolvers<undefined>();
  const worker = await open({
    async short(job) { begun.push(numberOf(job)); await new Promise(resolve => { setTimeout(resolve, 200); }); },
    async long(job) { begun.push(numberOf(job)); await never; },
  });
  await until('they run', () => begun.length === 3);
  await worker.close(500);
  t.same((await jobs()).map(({ status, attempts }) => [status, attempts]),
    [['succeeded', 1], ['pending', 0], ['pending', 0], ['pending', 0]]);
  const again: number[] = [];
  await open({ long(job) { again.push(numberOf(job)); return Promise.resolve(); } });
  await until('another does them', () => again.length === 3);
  t.same(again.filter(n => n > 2), [3, 4], 'in their queue\'s order');
});

test('a job that was cancelled while it ran stays cancelled', async t => {
  const { open, enqueue, jobs, sql } = await database(t);
  await enqueue('a', 1);
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  let isOver = false;
  await open({ async a() { await held; isOver = true; } });
  await until('it runs', async () => (await jobs())[0]?.['status'] === 'running');
  t.same(await sql`select service.job_cancel(id) as cancelled from service.jobs`, [{ cancelled: true }]);
  release(undefined);
  await until('it ended', () => isOver);
  t.match(await jobs(), [{ status: 'failed', last_error: 'It was cancelled.' }]);
  t.same(await sql`select service.job_cancel(id) as cancelled from service.jobs`, [{ cancelled: false }]);
});

test('an outcome that the database cannot keep spoils no other', async t => {
  const { open, enqueue, over, jobs } = await database(t);
  for (let n = 1; n <= 5; n++) await enqueue('a', n);
  const { promise: all, resolve: release } = Promise.withResolvers<undefined>();
  let begun = 0;
  await open({
    async a(job) {
      if (++begun === 5) release(undefined);
      await all; // they end together, and are told in one statement
      if (numberOf(job) === 3) throw new TryLater('no time has so many milliseconds', 1e18);
    },
  });
  await over();
  t.same((await jobs()).map(({ status }) => status as string), ['succeeded', 'succeeded', 'failed', 'succeeded', 'succeeded']);
  t.match((await jobs())[2], { attempts: 1, last_error: /^Its outcome cannot be kept: .*out of range/ });
});

test('a job whose row another session holds locked holds up no other job', async t => {
  const { open, enqueue, over, jobs, sql } = await database(t);
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  const done: number[] = [];
  await open({
    async a(job) {
      if (numberOf(job) === 0) await held;
      done.push(numberOf(job));
    },
  }, { concurrency: 2, visibilityTimeout: 300 });
  await enqueue('a', 0);
  await until('it runs', async () => (await jobs())[0]?.['status'] === 'running');
  await sql.begin(async inspector => {
    await inspector`select from service.jobs for update`;
    release(undefined);
    await until('it ended', () => done.length === 1);
    for (let n = 1; n <= 20; n++) await enqueue('a', n);
    await until('the others are recorded', async () => (await sql`select from service.jobs where status = 'succeeded'`).length === 20);
    t.match((await jobs())[0], { status: 'running' });
  });
  await over();
  t.match((await jobs())[0], { status: 'succeeded', attempts: 1 });
  t.equal(done.length, 21, 'it was done once');
});

test('jobs with large payloads are done after many that were over at once', async t => {
  const { open, over, sql } = await database(t);
  await sql`select service.enqueue('a', '{}') from generate_series(1, 3000)`;
  let done = 0;
  await open({ a() { done += 1; return Promise.resolve(); } });
  await over();
  await sql`select service.enqueue('a', to_jsonb(repeat('x', 5000000))) from generate_series(1, 120)`;
  await over(120_000); // more than a string of JavaScript can hold
  t.equal(done, 3_120);
});
