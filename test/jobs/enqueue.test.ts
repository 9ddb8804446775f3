import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { generator, seed } from '../harness/effort.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the template

type Job = { id: string; task: string; queue: string | null; payload: any; attempts: number };

async function database(t: Test) {
  const { sql } = await createDatabase(t, { template: 'served' });
  /** As the end-user role. */
  const enqueue = (task: string | null, options: unknown = {}, payload: unknown = {}, on: postgres.Sql = sql) =>
    on.begin(async transaction => {
      await transaction`set local role service_user`;
      const [row] = await transaction<{ id: string | null }[]>`
        select service.enqueue(${task}, ${JSON.stringify(payload)}::text::jsonb, ${JSON.stringify(options)}::text::jsonb) as id`;
      return row?.id;
    });
  const claim = (most = 100, worker = 'worker', on: postgres.Sql | postgres.TransactionSql = sql) =>
    on<Job[]>`select id, task, queue, payload, attempts from service.job_claim(${most}, ${worker}, '{a, b}')`;
  const complete = ({ id, attempts }: Job, worker = 'worker') =>
    sql`select service.job_complete(${id}, ${sql.json({ workerId: worker, attempt: attempts })})`;
  const fail = ({ id, attempts }: Job, retryAt: Date | null) =>
    sql`select service.job_fail(${id}, 'it failed', ${retryAt}, ${sql.json({ workerId: 'worker', attempt: attempts })})`;
  return { sql, enqueue, claim, complete, fail };
}

const named = (jobs: readonly Job[]) => jobs.map(({ payload }) => payload.n as number).sort((a, b) => a - b);

test('options that a job cannot have are refused', async t => {
  const { sql, enqueue } = await database(t);
  const wrong: [unknown, RegExp][] = [
    [[], /an object/], ['x', /an object/], [7, /an object/],
    [{ delay: 1 }, /delay of a job is unknown/], [{ MaxAttempts: 1 }, /MaxAttempts of a job is unknown/], [{ '': 1 }, /unknown/],
    [{ delayMs: '1' }, /delayMs of a job is a number/], [{ delayMs: -1 }, /number/], [{ delayMs: 1e300 }, /number/],
    [{ delayMs: [] }, /number/], [{ runAt: 'tomorrow' }, /a time/], [{ runAt: 'infinity' }, /a time/], [{ runAt: 7 }, /a time/],
    [{ runAt: '2026-13-01' }, /a time/], [{ runAt: '2026-01-01 in the morning' }, /a time/],
    [{ runAt: '2026-01-01T00:00:00 Nowhere/Else' }, /a time/],
    [{ runAt: '2026-01-01', delayMs: 1 }, /not both/],
    [{ maxAttempts: 0 }, /whole number from 1/], [{ maxAttempts: 1.5 }, /whole/], [{ maxAttempts: 1e30 }, /whole/],
    [{ maxAttempts: '3' }, /whole/], [{ maxAttempts: true }, /whole/],
    [{ priority: 'high' }, /whole/], [{ priority: 3e9 }, /whole/], [{ priority: 0.1 }, /whole/],
    [{ queue: '' }, /1 to 255/], [{ queue: 7 }, /text/], [{ queue: 'q'.repeat(256) }, /255/], [{ queue: 'service.q' }, /own/],
    [{ idempotencyKey: '' }, /1 to 255/], [{ idempotencyKey: {} }, /text/], [{ idempotencyKey: 'k'.repeat(1_000_000) }, /255/],
    [{ idempotencyKey: 'service.k' }, /own/],
  ];
  for (const [options, message] of wrong) {
    await t.rejects(enqueue('a', options), { code: 'GW400', hint: 'INVALID_INPUT', message }, JSON.stringify(options).slice(0, 80));
  }
  for (const task of [null, '', 'service.x', 'x'.repeat(256)]) await t.rejects(enqueue(task), { code: 'GW400', hint: 'INVALID_INPUT' });
  t.same(await sql`select from service.jobs`, []);
  for (const options of [null, {}, { delayMs: null, runAt: null, maxAttempts: null, priority: null, queue: null, idempotencyKey: null }]) {
    t.match(await enqueue('a', options), /^[0-9a-f-]{36}$/, JSON.stringify(options));
  }
});

test('a job has the options that it was given', async t => {
  const { sql, enqueue } = await database(t);
  const at = '2031-02-03T04:05:06.789Z';
  await enqueue('a', { runAt: at, maxAttempts: 5, priority: -2, queue: 'q', idempotencyKey: 'k' }, [1, { deep: null }]);
  await enqueue('b', { delayMs: 60_000.5 });
  t.same(
    (await sql`select task, payload, max_attempts, priority, queue, idempotency_key, run_at, attempts from service.jobs where task = 'a'`)
      .map(row => ({ ...row })),
    [{
      task: 'a', payload: [1, { deep: null }], max_attempts: 5, priority: -2, queue: 'q', idempotency_key: 'k', run_at: new Date(at),
      attempts: 0,
    }]);
  const [b] = await sql`select extract(epoch from run_at - created_at)::float8 as delay from service.jobs where task = 'b'`;
  t.equal(b?.['delay'], 60.0005);
});

test('a job is there when its transaction has committed, and not when it is rolled back', async t => {
  const { sql, claim } = await database(t);
  await t.rejects(sql.begin(async transaction => {
    await transaction`select service.enqueue('a', '{"n": 1}')`;
    t.same(await claim(), []);
    throw new Error('undone');
  }), { message: 'undone' });
  t.same(await claim(), []);
  await sql`select service.enqueue('a', '{"n": 2}')`;
  t.same(named(await claim()), [2]);
});

test('what is due is claimed by priority, then by time, then as it was enqueued', async t => {
  const { sql, enqueue, claim } = await database(t);
  for (const [n, options] of [
    {}, { priority: -1 }, { priority: 5 }, { runAt: '2020-01-01' }, {}, { priority: 5 }, { delayMs: 60_000, priority: 9 },
  ]
    .entries()) await enqueue('a', options, { n });
  await enqueue('c', { priority: 99 }, { n: 99 });
  const order: number[] = [];
  for (let [job] = await claim(1); job !== undefined; [job] = await claim(1)) order.push(job.payload.n as number);
  t.same(order, [2, 5, 3, 0, 4, 1]);
  t.same((await sql`select payload from service.jobs where status = 'pending' order by place`).map(({ payload }) =>
    payload.n as number), [6, 99],
    'one that is not due, and a task that nobody here does');
});

test('jobs of one queue run one at a time, as they were enqueued; a retry holds back its own queue', async t => {
  const { enqueue, claim, complete, fail, sql } = await database(t);
  for (let n = 0; n < 6; n++) await enqueue('a', { queue: `q${n % 2}`, priority: n }, { n });
  await enqueue('b', {}, { n: 10 });
  const first = await claim();
  t.same(named(first), [0, 1, 10], 'whatever their priorities');
  t.same(await claim(), []);
  const [q0, q1] = [first.find(({ queue }) => queue === 'q0') as Job, first.find(({ queue }) => queue === 'q1') as Job];
  await complete(q1);
  t.same(named(await claim()), [3]);
  await fail(q0, new Date(Date.now() + 60_000));
  t.same(await claim(), [], 'it waits for its retry');
  await sql`update service.jobs set run_at = now() where id = ${q0.id}`;
  const again = await claim();
  t.same(again.map(({ payload, attempts }) => [payload.n as number, attempts]), [[0, 2]]);
  await fail(again[0] as Job, null);
  t.same(named(await claim()), [2], 'one that failed for good lets the next begin');
  t.same(await sql`select service.job_retry(${q0.id}) as retried`, [{ retried: true }]);
  t.same(await claim(), []);
  t.same(await sql`select service.job_cancel(id) as cancelled from service.jobs where queue = 'q0' and status = 'running'`,
    [{ cancelled: true }]);
  t.same(named(await claim()), [4]);
  t.same(await sql`select service.job_cancel(id) as cancelled from service.jobs where queue = 'q0' and status = 'running'`,
    [{ cancelled: true }]);
  t.same(named(await claim()), [0], 'retried, it comes last');
});

test('a job that commits after a later one of its queue waits until that is over', async t => {
  const { sql, enqueue, claim, complete } = await database(t);
  const [held, committed] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const late = sql.begin(async transaction => {
    await transaction`select service.enqueue('a', '{"n": 1}', '{"queue": "q"}')`;
    committed.resolve(undefined);
    await held.promise;
  });
  await committed.promise;
  await enqueue('a', { queue: 'q' }, { n: 2 });
  const [second] = await claim();
  t.same(second?.payload, { n: 2 });
  held.resolve(undefined);
  await late;
  t.same(await claim(), []);
  await complete(second as Job);
  t.same(named(await claim()), [1]);
});

test(`workers that claim at once never have two jobs of one queue (RANDOM_SEED=${seed})`, async t => {
  const { sql, claim } = await database(t);
  await sql`
    select service.enqueue('a', jsonb_build_object('n', n),
      case when n % 3 = 0 then '{}' else jsonb_build_object('queue', 'q' || n % 4) end) from generate_series(1, 400) n`;
  const order = new Map<string, number[]>();
  const running = new Map<string, number>();
  const wrong: string[] = [];
  await Promise.all(Array.from({ length: 6 }, async (_, worker) => {
    const below = generator(seed + worker);
    for (let idle = 0; idle < 20;) {
      const jobs = await claim(1 + below(4), `worker ${worker}`);
      idle = jobs.length === 0 ? idle + 1 : 0;
      for (const { queue, payload } of jobs) {
        if (queue === null) continue;
        running.set(queue, (running.get(queue) ?? 0) + 1);
        if ((running.get(queue) ?? 0) > 1) wrong.push(`two of ${queue}`);
        order.set(queue, [...order.get(queue) ?? [], payload.n as number]);
      }
      for (const { id, attempts, queue } of jobs) {
        if (queue !== null) running.set(queue, (running.get(queue) ?? 0) - 1);
        await sql`select service.job_complete(${id}, ${sql.json({ workerId: `worker ${worker}`, attempt: attempts })})`;
      }
    }
  }));
  t.same(wrong, []);
  t.same(await sql`select status, count(*)::int from service.jobs group by 1`, [{ status: 'succeeded', count: 400 }]);
  for (const [queue, numbers] of order) t.same(numbers, numbers.toSorted((a, b) => a - b), queue);
});
