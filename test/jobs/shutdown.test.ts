import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'tap';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
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
