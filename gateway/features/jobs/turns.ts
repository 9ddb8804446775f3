import type { Logger } from 'pino';
import type { FairExecutor } from '../../database/fair-executor.ts';
import { isUnstorable } from '../../database/sqlstate.ts';
import type { Job } from '../job.ts';
import type { Outcome } from './outcome.ts';

/** The answer of service_private.job_turn(). */
type Answer = { held: string[]; claimed: ClaimedJob[]; next: number | null; enqueuing: boolean };
type ClaimedJob = Omit<Job, 'payload' | 'payloadText' | 'createdAt'> & { payload: string; createdAt: string };

/** `next`: milliseconds until a job comes due; `enqueuing`: transactions under way may bring some. */
export type Turn = Pick<Answer, 'next' | 'enqueuing'> & { claimed: Job[] };
export type Wanted = { tasks: Record<string, number>; most: number };

export type Turns = {
  /** @returns undefined as `turn` where the database cannot answer; `left`: outcomes that have to be told again. */
  take: (workerId: string, settled: Outcome[], wanted: Wanted, isAsleep: boolean) => Promise<{ turn: Turn | undefined; left: Outcome[] }>;
  /** The worker ends. */
  last: (workerId: string, settled: Outcome[]) => Promise<void>;
  failed: (error: unknown) => void;
};

/** A worker's statements take turns. */
export const CALLER = 'service_jobs';
const NOTHING: Wanted = { tasks: {}, most: 0 };
const NONE: Turn = { claimed: [], next: 0, enqueuing: false };

/** The statements of a worker. */
export function createTurns(ask: FairExecutor, log: Logger): Turns {
  let isAway = false;
  return { take, last, failed };

  async function take(
    workerId: string, settled: Outcome[], wanted: Wanted, isAsleep: boolean,
  ): Promise<{ turn: Turn | undefined; left: Outcome[] }> {
    try {
      const turn = await asked(workerId, settled, wanted, isAsleep);
      isAway = false;
      return { turn, left: [] };
    } catch (error) {
      if (settled.length > 0 && isUnstorable(error)) return { turn: NONE, left: await oneByOne(workerId, settled) };
      failed(error);
      return { turn: undefined, left: settled };
    }
  }

  async function asked(workerId: string, settled: Outcome[], { tasks, most }: Wanted, isAsleep = false): Promise<Turn> {
    const [row] = await ask(CALLER, sql => sql<{ answer: Answer }[]>`
      select service_private.job_turn(${workerId}, ${JSON.stringify(settled)}::text::jsonb, ${most},
        ${JSON.stringify(tasks)}::text::jsonb, ${isAsleep}) as answer`);
    if (row === undefined) throw new Error('service_private.job_turn() returned nothing.');
    const { held, claimed, next, enqueuing } = row.answer;
    const kept = new Set(held);
    for (const { id, attempt } of settled.filter(({ id }) => !kept.has(id))) {
      log.warn({ job: id, attempt }, 'a job ended whose claim was gone');
    }
    return { claimed: claimed.map(toJob), next, enqueuing };
  }

  /** An outcome that the database does not take spoils no other: that job has failed. @returns those that have to be told again */
  async function oneByOne(workerId: string, settled: Outcome[]): Promise<Outcome[]> {
    const left: Outcome[] = [];
    for (const outcome of settled) {
      await asked(workerId, [outcome], NOTHING).catch((error: unknown) => {
        const { id, worker, attempt } = outcome;
        const said = `What came of it cannot be kept: ${(error as Error).message}`;
        left.push(isUnstorable(error) ? { id, worker, attempt, status: 'failed', error: said } : outcome);
      });
    }
    return left;
  }

  async function last(workerId: string, settled: Outcome[]): Promise<void> {
    if (settled.length > 0) await take(workerId, settled, NOTHING, false);
    await ask(CALLER, sql => sql`select service_private.end_worker(${workerId})`).catch(() => undefined);
  }

  /** Told once, until it succeeds again. */
  function failed(error: unknown): void {
    if (!isAway) log.warn({ err: error }, 'jobs cannot be claimed');
    isAway = true;
  }
}

function toJob({ payload, createdAt, ...job }: ClaimedJob): Job {
  return { ...job, payload: JSON.parse(payload) as unknown, payloadText: payload, createdAt: new Date(createdAt) };
}
