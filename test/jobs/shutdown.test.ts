import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'tap';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import '../harness/service.ts'; // registers the template
import { until } from '../harness/until.ts';
import { settings } from '../storage/asked.ts';

const SETUP = `
  create function public.slow(job jsonb) returns jsonb language plpgsql as $$
  begin
    perform pg_sleep((job -> 'payload' ->> 'seconds')::float8);
    return 'true';
  end $$`;

for (const workers of ['1', '2']) {
  test(`at SIGTERM jobs get ten seconds, what is left is due again, and its attempt does not count: ${workers} workers`, async t => {
    const { sql, url } = await createDatabase(t, { template: 'served' });
    await sql.unsafe(SETUP);
    const gateway = startGateway(t, {
      DATABASE_URL: url, SERVICE_WORKERS: workers, DB_POOL_MAX: '20', ...settings(t, { jobs: { tasks: { slow: { function: 'slow' } } } }),
    });
    await addressOf(gateway);
    await sql`select service.enqueue('slow', jsonb_build_object('seconds', s)) from unnest('{4, 60}'::integer[]) s`;
    await until('both run', async () => (await sql`select from service.jobs where status = 'running'`).length === 2);
    gateway.process.kill('SIGTERM');
    await delay(2_000); // nothing is claimed any more, and the long one still runs
    await sql`select service.enqueue('slow', '{"seconds": 0}')`;
    t.equal((await gateway.ended).code, 0);
    t.same((await sql`select status, attempts from service.jobs order by place`).map(row => ({ ...row })), [
      { status: 'succeeded', attempts: 1 }, { status: 'pending', attempts: 0 }, { status: 'pending', attempts: 0 },
    ]);
    t.same(await sql`select from service.job_workers`, [], 'it has left');
  });
}

test('a start that fails once jobs have begun gives them back', async t => {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(SETUP);
  await sql`select service.enqueue('slow', '{"seconds": 60}')`;
  const port = createServer().listen(0);
  await once(port, 'listening');
  t.teardown(() => port.close());
  const gateway = startGateway(t, {
    DATABASE_URL: url, PORT: String((port.address() as AddressInfo).port), DB_POOL_MAX: '20',
    ...settings(t, { jobs: { tasks: { slow: { function: 'slow' } } } }),
  });
  t.not((await gateway.ended).code, 0);
  t.same(await sql`select status, attempts from service.jobs`, [{ status: 'pending', attempts: 0 }]);
  t.same(await sql`select from service.job_workers`, [], 'it has left');
});

test(`a stop that arrives while it starts leaves no job behind (RANDOM_SEED=${seed})`, async t => {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(SETUP);
  await sql`select service.enqueue('slow', '{"seconds": 0.1}') from generate_series(1, 2000)`;
  const draw = generator(seed);
  const ends = new Set<unknown>();
  const lives = async () => (await sql`
    select from pg_stat_activity where datname = current_database() and application_name like 'rowgate%'`).length > 0;
  for (let n = runs(60); n > 0; n--) {
    const gateway = startGateway(t, {
      DATABASE_URL: url, DB_POOL_MAX: '20', ...settings(t, { jobs: { tasks: { slow: { function: 'slow' } } } }),
    });
    await until('it has begun to connect', lives);
    await delay(draw(1_000));
    gateway.process.kill('SIGTERM');
    ends.add((await gateway.ended).code);
    await until('its sessions are gone', async () => !await lives());
    t.same(await sql`select from service.jobs where status = 'running'`, []);
    t.same(await sql`select from service.job_workers`, []);
  }
  t.same(await sql`select from service.jobs where attempts > 1 or (status = 'pending' and attempts > 0)`, [], 'no attempt is lost');
  t.same([...ends], [0]);
});
