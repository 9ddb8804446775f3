import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { test } from 'tap';
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { freePort } from '../../gateway/process/free-port.ts';
import { migrate } from '../../gateway/start/migrate.ts';
import { addressOf, emptyFolder, startGateway, type Gateway } from '../boot/gateway.ts';
import { childrenOf } from '../harness/children.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { schema, SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { logsOf, slotsOf } from './cron.ts';

const SETUP = `
  create schema app;
  grant usage on schema app to service_user;
  create table public.runs (slot text);
  grant insert on public.runs to service_user;
  create function app.note(job jsonb) returns jsonb language plpgsql as $$
  begin
    insert into public.runs (slot) values (job ->> 'scheduledAt');
    return null;
  end $$;
  create function app.sleep(job jsonb) returns jsonb language plpgsql as $$
  begin
    perform pg_sleep(300);
    return null;
  end $$`;
const CRONS = {
  noted: { name: 'Noted', schedule: '* * * * *', function: 'app.note' },
  asleep: { name: 'Asleep', schedule: '0 0 1 1 *', function: 'app.sleep' },
};
const KINDS = ['gateway', 'worker', 'postgres'] as const;

test(`no slot is run twice and no lease stays, over SIGKILL of a gateway, a worker and PostgreSQL (RANDOM_SEED=${seed})`, async t => {
  const server = await startEmbedded({ dir: emptyFolder(t) });
  t.teardown(server.stop);
  const sql = postgres(server.url, { max: 2, fetch_types: false, onnotice: () => undefined });
  t.teardown(() => sql.end({ timeout: 0 }));
  await migrate(sql, schema);
  await sql.unsafe(SETUP).simple();
  const folder = emptyFolder(t);
  writeFileSync(join(folder, 'rowgate.json'), JSON.stringify({ crons: CRONS }));
  const port = await freePort();
  const open = async (env: Record<string, string>): Promise<Gateway> => {
    const gateway = startGateway(t, { DATABASE_URL: server.url, SERVICE_SOURCE: 'tables', DB_POOL_MAX: '16', ...env }, folder);
    await addressOf(gateway);
    return gateway;
  };
  let gateway = await open({ PORT: String(port), SERVICE_WORKERS: '2' });
  await open({}); // it notices what the other one leaves behind
  const below = generator(seed);
  const trigger = () => fetch(`http://127.0.0.1:${port}/api/admin/cron/asleep/trigger`, {
    method: 'POST', headers: { authorization: `Bearer ${SERVICE_KEY}`, connection: 'close' },
  }).then(({ status }) => status, () => undefined);
  const kill = {
    async gateway() {
      gateway.process.kill('SIGKILL');
      await gateway.ended;
      gateway = await open({ PORT: String(port), SERVICE_WORKERS: '2' });
    },
    /** The parent has the run: it goes on, until its statement is cancelled. */
    async worker() {
      const workers = childrenOf(gateway.process, 'worker');
      process.kill(workers[below(workers.length)] as number, 'SIGKILL');
      await sql`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`;
    },
    /** One of its processes, whereupon it ends all others and recovers. */
    postgres() {
      const processes = childrenOf(server, 'rowgate');
      process.kill(processes[below(processes.length)] as number, 'SIGKILL');
      return Promise.resolve();
    },
  };
  /** The database may be away for a moment. */
  const failures = async () => (await logsOf(sql, 'asleep', 1_000).catch(() => [])).filter(({ success }) => !success).length;
  const underWay = async () => (await sql<{ id: string }[]>`
    select run_id as id from service.cron_job_state where run_id is not null`.catch(() => []))[0]?.id;
  let expected = 0;
  let last: string | undefined;

  for (const kind of KINDS) {
    const times = runs(6);
    for (let n = 1; n <= times; n++) {
      last = await until(`it runs (${kind} ${n})`, async () => {
        void trigger();
        const id = await underWay();
        return id !== last && id;
      }, { pause: 200 });
      await until('its statement is under way', async () => (await sql`
        select from pg_stat_activity where wait_event = 'PgSleep' and xact_start >= (
          select run_started_at from service.cron_job_state where run_id = ${last ?? ''})`).length === 1);
      await kill[kind]();
      expected += 1;
      await until(`its run has failed (${kind} ${n})`, async () => await failures() === expected);
    }
  }
  await until('a minute is over', async () => (await sql`select from public.runs`).length > 0, { limit: 90_000 });
  const slots = (await sql<{ slot: string }[]>`select slot from public.runs`).map(({ slot }) => slot);
  t.same(slots.filter((slot, n) => slots.indexOf(slot) !== n), [], `none of ${slots.length} slots was run twice`);
  const claimed = await slotsOf(sql, 'noted');
  t.same(slots.filter(slot => !claimed.includes(slot)), [], 'each is claimed');
});
