import type postgres from 'postgres';
import type { FairExecutor } from '../../database/fair-executor.ts';
import type { Definition } from '../cron-job.ts';

/** One run. Without `slot` (milliseconds since 1970) it is asked for by hand; `makesUp`: its slot was missed. */
export type Run = { id: string; slot?: number; makesUp?: boolean };
export type Verdict = 'run' | 'early' | 'disabled' | 'claimed' | 'executing';
/** `late`: seconds since its slot; `log`: the record of a run that was skipped, as JSON. */
export type Decision = { verdict: Verdict; scheduledAt: Date; late: number; log: string | null };
/** `result`: JSON. */
export type Outcome = { success: boolean; error?: string; result?: string; logs: string[] };
/** A job whose next slot is looked for, by default after the present moment. */
export type Unplanned = Pick<Definition, 'id' | 'schedule' | 'timezone'> & { after: number | undefined };

/** The functions of sql/cron. All instants are those of the database's clock, in milliseconds since 1970. */
export type CronStore = {
  /** The clock, and the next slot of each job; null for none. */
  look: (unplanned: readonly Unplanned[]) => Promise<{ now: number; slots: Readonly<Record<string, number | null>> }>;
  /** The last slot in the catch-up window of a job. */
  latest: (job: Definition) => Promise<number | null>;
  begin: (job: Definition, run: Run, holder: string) => Promise<Decision>;
  /** The record of the run; null where its lease is gone. */
  end: (job: string, run: string, outcome: Outcome) => Promise<string | null>;
  /** Ends the leases of gateways that are gone. */
  endLost: () => Promise<void>;
  define: (jobs: readonly Definition[], holder: string | undefined) => Promise<void>;
  /** Records of jobs, as JSON. */
  records: (jobs: readonly Definition[]) => Promise<string>;
  /** Deletes old claims. */
  sweepClaims: () => Promise<void>;
  /** Deletes some of the old logs. @returns how many. */
  sweepLogs: () => Promise<number>;
  /** Whether this gateway is the one that deletes old logs in this hour. */
  claimHour: () => Promise<boolean>;
};

const CALLER = 'cron';
/** The job of the hourly sweep among the claims. */
const SWEEP = 'service.sweep';

export function createCronStore(ask: FairExecutor): CronStore {
  return {
    async look(unplanned) {
      const row = await one(sql => sql<{ now: number; slots: Record<string, number | null> | null }[]>`
        select extract(epoch from service_private.cron_now())::double precision * 1000 as now,
          (select json_object_agg(s.id, extract(epoch from s.slot) * 1000)
            from service_private.cron_slots(${json(unplanned.map(dated))}::text::jsonb) s) as slots`);
      return { now: row.now, slots: row.slots ?? {} };
    },
    async latest({ schedule, timezone, catchUpWindowSeconds = 0 }) {
      const { slot } = await one(sql => sql<{ slot: number | null }[]>`
        select extract(epoch from service_private.latest_cron_slot(${schedule}, ${timezone},
          c.now - ${catchUpWindowSeconds}::double precision * interval '1 second', c.now))::double precision * 1000 as slot
        from service_private.cron_now() c (now)`);
      return slot;
    },
    begin: ({ id, enabled, timeoutSeconds }, { slot, ...run }, holder) => one(sql => sql<Decision[]>`
      select verdict, scheduled_at as "scheduledAt", late, log::text as log
      from service_private.begin_cron_run(${json({ id, enabled, timeoutSeconds })}::text::jsonb,
        ${json({ ...run, ...(slot !== undefined && { slot: new Date(slot) }) })}::text::jsonb, ${holder})`),
    async end(job, run, outcome) {
      const { log } = await one(sql => sql<{ log: string | null }[]>`
        select service_private.end_cron_run(${job}, ${run}, ${outcomeText(outcome)}::text::jsonb)::text as log`);
      return log;
    },
    async endLost() {
      await one(sql => sql`select service_private.end_lost_cron_runs()`);
    },
    async define(jobs, holder) {
      await one(sql => sql`select service_private.define_cron_jobs(${json(jobs)}::text::jsonb, ${holder ?? null})`);
    },
    async records(jobs) {
      const { records } = await one(sql => sql<{ records: string }[]>`
        select service_private.cron_job_records(${json(jobs)}::text::jsonb)::text as records`);
      return records;
    },
    async sweepClaims() {
      await one(sql => sql`select service_private.sweep_cron_claims()`);
    },
    async sweepLogs() {
      const { swept } = await one(sql => sql<{ swept: number }[]>`select service_private.sweep_cron_logs() as swept`);
      return swept;
    },
    async claimHour() {
      const { claimed } = await one(sql => sql<{ claimed: boolean }[]>`
        select service_private.claim_cron_slot(${SWEEP}, date_trunc('hour', service_private.cron_now()), null) as claimed`);
      return claimed;
    },
  };

  async function one<Row extends postgres.Row>(statement: (sql: postgres.Sql) => postgres.PendingQuery<Row[]>): Promise<Row> {
    const [row] = await ask(CALLER, statement);
    if (row === undefined) throw new Error('A function of sql/cron returned nothing.');
    return row;
  }
}

const json = (value: unknown): string => JSON.stringify(value);

function dated({ after, ...job }: Unplanned): object {
  return { ...job, ...(after !== undefined && { after: new Date(after) }) };
}

/** With the result as it is: a number of it may have more digits than JavaScript keeps. */
function outcomeText({ result, ...outcome }: Outcome): string {
  const text = json(outcome);
  return result === undefined ? text : `${text.slice(0, -1)},"result":${result}}`;
}
