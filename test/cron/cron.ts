import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type postgres from 'postgres';
import type { Test } from 'tap';
import { createFairExecutor } from '../../gateway/database/fair-executor.ts';
import type { Presence, PresenceEars } from '../../gateway/database/presence.ts';
import type { CronJob } from '../../gateway/features/cron-job.ts';
import { openRunner } from '../../gateway/features/cron/runner.ts';
import { openScheduler, type Scheduler } from '../../gateway/features/cron/scheduler.ts';
import { createCronStore, type CronStore } from '../../gateway/features/cron/store.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the template

/** The form of an id whose presence cannot be known: a time decides. */
export const POOLED = '1-00000000-pooled';
/** A session that never was. */
export const GONE = '999999-deadbeef';

/** The variable for a settings file with these jobs. */
export function cronFile(t: Pick<Test, 'teardown'>, crons: object): { SERVICE_CONFIG_FILE: string } {
  const folder = mkdtempSync(join(tmpdir(), 'cron-'));
  t.teardown(() => { rmSync(folder, { recursive: true }); });
  const file = join(folder, 'rowgate.json');
  writeFileSync(file, JSON.stringify({ crons }));
  return { SERVICE_CONFIG_FILE: file };
}

/** Makes the clock of scheduled jobs one that a test can set. It runs on from there once it was asked, however late that is. */
export const MOVABLE_CLOCK = `
  create table public.clock (ahead interval not null, stands_at timestamptz);
  insert into public.clock values ('0');
  create or replace function service_private.cron_now() returns timestamptz language sql volatile
  begin atomic
    update public.clock set ahead = stands_at - clock_timestamp(), stands_at = null where stands_at is not null;
    select clock_timestamp() + ahead from public.clock;
  end`;

export async function setClock(sql: postgres.Sql, time: string): Promise<void> {
  await sql`update public.clock set stands_at = ${time}::timestamptz`;
}

export async function cronDatabase(t: Pick<Test, 'teardown'>) {
  const database = await createDatabase(t, { template: 'served' });
  await database.sql.unsafe(MOVABLE_CLOCK).simple();
  return { ...database, at: (time: string) => setClock(database.sql, time) };
}

/** A session of a gateway, which a test can lose and begin anew. */
export function testPresence(id = POOLED): Presence & { lose: () => void; begin: (id: string) => void } {
  const ears = new Set<PresenceEars>();
  let current: string | undefined = id;
  return {
    get id() { return current; },
    end: () => Promise.resolve(),
    follow(own) {
      ears.add(own);
      if (current !== undefined) own.begun(current);
      return () => { ears.delete(own); };
    },
    lose() {
      current = undefined;
      for (const { lost } of ears) lost();
    },
    begin(id) {
      current = id;
      for (const { begun } of ears) begun(id);
    },
  };
}

export type TestGateway = {
  scheduler: Scheduler; store: CronStore; presence: ReturnType<typeof testPresence>;
  /** Ends it as a shutdown does, with so many milliseconds for what runs. */
  close: (deadline?: number) => Promise<void>;
};
export type GatewayOptions = {
  jobs: readonly CronJob[]; schedules?: boolean; presence?: ReturnType<typeof testPresence>; longest?: number;
  /** Changes calls of the database. */
  through?: (store: CronStore) => CronStore;
};

/** The part of a gateway that runs jobs. */
export function openGateway(
  t: Pick<Test, 'teardown'>, sql: postgres.Sql, 
  { jobs, schedules = true, presence = testPresence(), longest = 60_000, through = own => own }: GatewayOptions,
): TestGateway {
  const log = pino({ level: 'silent' });
  const store = through(createCronStore(createFairExecutor(() => sql, { size: 4, deadline: 5_000 })));
  const runner = openRunner({ store, presence, log, pause: 20 });
  const scheduler = openScheduler({ jobs, store, runner, log, schedules, pause: 20, longest });
  const close = async (deadline = 0): Promise<void> => {
    scheduler.stop();
    await runner.close(deadline);
  };
  t.teardown(() => close());
  return { scheduler, store, presence, close };
}

export type Run = (...given: Parameters<CronJob['run']>) => unknown;

/** A job that is due every minute, unless it says otherwise. */
export function jobOf(run: Run, more: Partial<CronJob> = {}): CronJob {
  return {
    id: 'job', name: 'A job', schedule: '* * * * *', timezone: 'UTC', enabled: true, timeoutSeconds: 60, ...more,
    run: async (...given) => JSON.stringify(await run(...given) ?? null),
  };
}

export type Log = {
  jobId: string; startedAt: string; finishedAt: string; durationMs: number; success: boolean; error?: string; result?: unknown;
  logs: string[]; manual: boolean;
};

/** The logs of a job, the newest first. */
export async function logsOf(sql: postgres.Sql, id = 'job', most = 50): Promise<Log[]> {
  const [row] = await sql<{ logs: Log[] }[]>`select service_private.list_cron_logs(${id}, ${most}) as logs`;
  return row?.logs ?? [];
}

export async function slotsOf(sql: postgres.Sql, id = 'job'): Promise<string[]> {
  const rows = await sql<{ slot: Date }[]>`select slot from service.cron_claims where job_id = ${id} order by slot`;
  return rows.map(({ slot }) => slot.toISOString());
}

/** A decision of the database about a run. */
export async function decide(
  sql: postgres.Sql, job: Partial<CronJob>,
  { id = randomUUID(), holder = POOLED, ...run }: { id?: string; slot?: string; makesUp?: boolean; holder?: string },
): Promise<{ verdict: string; log: Log | null; id: string }> {
  const given = JSON.stringify({ id: 'job', enabled: true, timeoutSeconds: 60, ...job });
  const [row] = await sql<{ verdict: string; log: Log | null }[]>`
    select verdict, log from service_private.begin_cron_run(
      ${given}::text::jsonb, ${JSON.stringify({ id, ...run })}::text::jsonb, ${holder})`;
  if (row === undefined) throw new Error('begin_cron_run returned nothing');
  return { ...row, id };
}

/** A run that ends when it is told to, or when it is released. */
export function held() {
  const begun: { signal: AbortSignal; release: (value?: unknown) => void }[] = [];
  const run: Run = (_, signal) => new Promise((resolve, reject) => {
    begun.push({ signal, release: resolve });
    signal.addEventListener('abort', () => { reject(new Error('told to end')); });
  });
  return { begun, run };
}
