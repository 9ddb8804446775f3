import { test, type Test } from 'tap';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { createService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { refusedUpgrade } from '../realtime/upgrade.ts';
import { settings } from '../storage/asked.ts';

const SETUP = 'create function public.note(job jsonb) returns jsonb language sql as \'select job\'';
const jobs = { tasks: { note: { function: 'note' } } };

const serve = (t: Test, env: Record<string, string>) =>
  createService(t, { template: 'served', setup: SETUP, env: { ...settings(t, { jobs }), ...env } });

const ELSEWHERE = { status: 501, body: { error: { code: 'FEATURE_DISABLED', details: { setting: 'SERVICE_ROLE' } } } };
const PATHS = [
  '/data/posts', '/data/collections', '/auth/config', '/admin/users', '/admin/cron', '/storage/list', '/docs', '/meta/contract', '/x',
];

test('a worker runs jobs and answers probes only', async t => {
  const { request, address, sql } = await serve(t, { SERVICE_ROLE: 'worker' });
  for (const path of PATHS) t.match(await request(path), ELSEWHERE, path);
  t.match(await request('/data/posts', { method: 'POST', body: '{}', as: null }), ELSEWHERE);
  t.match(await request('/functions/x'), ELSEWHERE);
  for (const path of ['/livez', '/health', '/api/health']) t.equal((await fetch(address + path)).status, 200, path);
  await sql`select service.enqueue('note')`;
  await until('it is done', async () => (await sql`select from service.jobs where status = 'succeeded'`).length === 1);
  const lanes = await sql`select application_name from pg_stat_activity
    where datname = current_database() and application_name in ('rowgate point', 'rowgate scan', 'rowgate write', 'rowgate live')`;
  t.same(lanes, [], 'it opens no lane for requests');
});

test('an upgrade to a WebSocket is refused where realtime is not served', async t => {
  for (const role of ['worker', 'functions']) {
    const { address } = await serve(t, { SERVICE_ROLE: role });
    t.match(await refusedUpgrade(address), ELSEWHERE, role);
  }
});

test('api serves all but functions and runs no job; functions serves nothing else', async t => {
  const { request, sql } = await serve(t, { SERVICE_ROLE: 'api' });
  t.match(await request('/functions/x'), ELSEWHERE);
  t.equal((await request('/data/collections')).status, 404);
  t.equal((await request('/admin/users')).status, 200);
  await sql`select service.enqueue('note')`;
  t.same(await sql`select from service.job_workers`, [], 'no worker came');
  const functions = await serve(t, { SERVICE_ROLE: 'functions' });
  for (const path of PATHS) t.match(await functions.request(path), ELSEWHERE, path);
  t.match(await functions.request('/functions/x'), { status: 404, body: { error: { code: 'FUNCTION_NOT_FOUND' } } });
  t.match(await sql`select status from service.jobs`, [{ status: 'pending' }]);
});

test('SERVICE_JOB_WORKERS decides against the role', async t => {
  const none = await serve(t, { SERVICE_JOB_WORKERS: 'false' });
  t.same(await none.sql`select from service.job_workers`, []);
  const { sql } = await serve(t, { SERVICE_ROLE: 'api', SERVICE_JOB_WORKERS: 'true' });
  await sql`select service.enqueue('note')`;
  await until('it is done', async () => (await sql`select from service.jobs where status = 'succeeded'`).length === 1);
});

test('a start that serves requests only makes the login on which those that may change nothing run jobs', async t => {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(SETUP);
  const gateway = { DATABASE_URL: url, SERVICE_SOURCE: 'tables', DB_POOL_MAX: '20', ...settings(t, { jobs }) };
  await addressOf(startGateway(t, { ...gateway, SERVICE_ROLE: 'api' }));
  await addressOf(startGateway(t, { ...gateway, SERVICE_ROLE: 'worker', SERVICE_MIGRATE_ON_BOOT: 'none' }));
  await sql`select service.enqueue('note')`;
  await until('it is done', async () => (await sql`select from service.jobs where status = 'succeeded'`).length === 1);
  t.same(await sql`select status, attempts from service.jobs`, [{ status: 'succeeded', attempts: 1 }]);
});
