// Gateways as processes, with the functions of a project in SQL.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { addressOf, emptyFolder, startGateway, type Gateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { logsOf, MOVABLE_CLOCK, setClock, slotsOf } from './cron.ts';

const SETUP = `
  create schema app;
  grant usage on schema app to service_user;
  create table public.runs (id text, slot text, at timestamptz default clock_timestamp());
  grant insert on public.runs to service_user;
  create function app.note(job jsonb) returns jsonb language plpgsql as $$
  begin
    raise notice 'for %', job ->> 'scheduledAt';
    insert into public.runs (id, slot) values (job ->> 'jobId', job ->> 'scheduledAt');
    return '"noted"';
  end $$;
  create function app.sleep(job jsonb) returns jsonb language plpgsql as $$
  begin
    insert into public.runs (id) values ('asleep');
    perform pg_sleep(300);
    return null;
  end $$`;
const MINUTELY = { name: 'A job', schedule: '* * * * *' };
const CRONS = { noted: { ...MINUTELY, function: 'app.note' }, asleep: { name: 'Asleep', schedule: '0 0 1 1 *', function: 'app.sleep' } };

async function database(t: Test) {
  const created = await createDatabase(t, { template: 'served' });
  await created.sql.unsafe(`${MOVABLE_CLOCK}; ${SETUP}`).simple();
  return created;
}

async function startOn(t: Test, url: string, env: Record<string, string> = {}): Promise<{ gateway: Gateway; trigger: Trigger }> {
  const folder = emptyFolder(t);
  writeFileSync(join(folder, 'rowgate.json'), JSON.stringify({ crons: CRONS }));
  const gateway = startGateway(t, { DATABASE_URL: url, SERVICE_SOURCE: 'tables', DB_POOL_MAX: '10', ...env }, folder);
  const address = await addressOf(gateway);
  const headers = { authorization: `Bearer ${SERVICE_KEY}`, connection: 'close' };
  return { gateway, trigger: async id => {
    const response = await fetch(`${address}/admin/cron/${id}/trigger`, { method: 'POST', headers });
    return { status: response.status, body: await response.json() };
  } };
}
type Trigger = (id: string) => Promise<{ status: number; body: any }>;

const isRunning = async (sql: postgres.Sql): Promise<boolean> =>
  (await sql`select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`).length === 1;

test('each slot is run once, by one of two gateways, in SQL', async t => {
  const { url, sql } = await database(t);
  await Promise.all([startOn(t, url), startOn(t, url)]);
  await setClock(sql, '2026-03-01T02:59:57Z');
  await startOn(t, url);
  const log = await until('the slot was run', async () => (await logsOf(sql, 'noted')).find(({ logs }) => logs[0]?.includes('03:00')));
  t.match(log, { success: true, result: 'noted', logs: ['for 2026-03-01T03:00:00.000Z'], manual: false });
  const slots = (await sql<{ slot: string }[]>`select slot from public.runs`).map(({ slot }) => slot);
  t.same(slots.filter((slot, n) => slots.indexOf(slot) !== n), [], 'no slot twice');
  t.ok((await slotsOf(sql, 'noted')).includes('2026-03-01T03:00:00.000Z'));
});

test('the lease of a gateway that was killed is free, and its run has failed', async t => {
  const { url, sql } = await database(t);
  const [killed, other] = [await startOn(t, url), await startOn(t, url)];
  killed.trigger('asleep').catch(() => undefined);
  await until('it runs', () => isRunning(sql));
  t.equal((await other.trigger('asleep')).status, 409);
  killed.gateway.process.kill('SIGKILL');
  const failed = await until('the other gateway has noticed', async () => (await logsOf(sql, 'asleep')).find(({ success }) => !success),
    { limit: 10_000 });
  t.equal(failed.error, 'The gateway ended, or lost its database session, before the run ended.');
  other.trigger('asleep').catch(() => undefined);
  const states = async () => (await sql<{ state: string }[]>`select state from service.cron_jobs where id = 'asleep'`)[0]?.state;
  await until('it runs again', async () => await states() === 'running');
});

test('a session that is lost ends the run at its own gateway', async t => {
  const { url, sql } = await database(t);
  const { trigger } = await startOn(t, url);
  const done = trigger('asleep');
  await until('it runs', () => isRunning(sql));
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'rowgate listen' and datname = current_database()`;
  const { body } = await done;
  t.match(body.log ?? (await logsOf(sql, 'asleep'))[0], { success: false, error: /lost its database session/ });
  t.equal(await isRunning(sql), false, 'and its statement is cancelled');
  const noted = await until('it runs jobs with its next session', async () => {
    const { status, body } = await trigger('noted');
    return status === 200 && body;
  });
  t.equal(noted.log.success, true);
});

test('with workers the parent runs the jobs, and any worker may trigger', async t => {
  const { url, sql } = await database(t);
  const { gateway, trigger } = await startOn(t, url, { SERVICE_WORKERS: '2', DB_POOL_MAX: '16' });
  for (let n = 0; n < 4; n++) t.match(await trigger('noted'), { status: 200, body: { log: { result: 'noted' }, job: { state: 'idle' } } });
  t.equal((await trigger('nothing')).status, 404);
  trigger('asleep').catch(() => undefined);
  await until('it runs', () => isRunning(sql));
  t.match(await trigger('asleep'), { status: 409, body: { error: { code: 'CRON_JOB_ALREADY_EXECUTING' } } });
  gateway.process.kill('SIGTERM');
  t.equal((await gateway.ended).code, 0);
  t.match((await logsOf(sql, 'asleep')).find(({ success }) => !success), { error: 'The gateway was shut down before the run ended.' });
});
