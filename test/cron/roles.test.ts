import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { openService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { cronFile, logsOf, MOVABLE_CLOCK, setClock } from './cron.ts';

const SETUP = `
  create schema app;
  grant usage on schema app to service_user;
  create function app.note(job jsonb) returns jsonb language sql as 'select job'`;
const CRONS = { noted: { name: 'Noted', schedule: '0 * * * *', function: 'app.note' } };

/** A start of this role, shortly before a slot. */
async function startedBefore(t: Test, env: Record<string, string>) {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(`${MOVABLE_CLOCK}; ${SETUP}`).simple();
  await setClock(sql, '2026-03-01T02:59:57Z');
  const service = await openService(url, { ...cronFile(t, CRONS), ...env });
  t.teardown(service.close);
  return { sql, ...service };
}

const isOver = async ({ sql }: Awaited<ReturnType<typeof startedBefore>>) =>
  (await sql`select where service_private.cron_now() > '2026-03-01T03:00:02Z'`).length === 1;

test('a worker has the timers, and the routes are elsewhere', async t => {
  const { sql, request } = await startedBefore(t, { SERVICE_ROLE: 'worker' });
  const elsewhere = { code: 'FEATURE_DISABLED', details: { setting: 'SERVICE_ROLE' } };
  t.match(await request('/admin/cron'), { status: 501, body: { error: elsewhere } });
  t.match(await until('the slot was run', async () => (await logsOf(sql, 'noted'))[0]), { success: true, manual: false });
});

test('an api has the routes, without timers, and runs what it is asked for', async t => {
  for (const env of [{ SERVICE_ROLE: 'api' }, { SERVICE_CRON_SCHEDULER: 'false' }]) {
    const service = await startedBefore(t, env);
    await until('the slot is over', () => isOver(service));
    t.same(await logsOf(service.sql, 'noted'), []);
    t.match(await service.request('/admin/cron'), { status: 200, body: { jobs: [{ id: 'noted', state: 'idle', totalRuns: 0 }] } });
    t.match(await service.request('/admin/cron/noted/trigger', { method: 'POST' }), { status: 200, body: { log: { success: true } } });
  }
});

test('SERVICE_CRON_SCHEDULER decides against the role', async t => {
  const { sql } = await startedBefore(t, { SERVICE_ROLE: 'api', SERVICE_CRON_SCHEDULER: 'true' });
  t.match(await until('the slot was run', async () => (await logsOf(sql, 'noted'))[0]), { success: true, manual: false });
});

test('where functions are served nothing of schedules is', async t => {
  const service = await startedBefore(t, { SERVICE_ROLE: 'functions' });
  await until('the slot is over', () => isOver(service));
  t.same(await logsOf(service.sql, 'noted'), []);
  t.match(await service.request('/admin/cron/noted/trigger', { method: 'POST' }), { status: 501 });
});
