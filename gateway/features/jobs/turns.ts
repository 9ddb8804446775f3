import type { Logger } from 'pino';
import type { FairExecutor } from '../../database/fair-executor.ts';
import { isUnstorable } from '../../database/sqlstate.ts';
import type { Job } from '../job.ts';
import type { Outcome } from './outcome.ts';

/** The answer of service_private.job_turn(). */
type Answer = { held: string[]; locked: string[]; claimed: ClaimedJob[]; next: number | null; enqueuing: boolean };
type ClaimedJob = [
  id: string, task: string, payload: string, attempt: number, maxAttempts: number, createdAt: string, concurrencyKey: string];

/** `next`: milliseconds until a job comes due; `enqueuing`: transactions under way may bring some. */
export type Turn = Pick<Answer, 'next' | 'enqueuing'> & { claimed: Job[] };
/** How many more jobs of a task may be claimed: by concurrency key, and of any other key. */
export type Share = { left: Record<string, number>; each?: number };
/** `tasks`: with the attempts of a job whose enqueuer named none; `shares`: of those that have bounds. */
export type TaskClaim = { tasks: Record<string, number>; most: number; shares: Record<string, Share> };

/** `turn`: undefined where the database cannot answer; `left`: outcomes that have to be told again. */
export type Taken = { turn: Turn | undefined; left: Outcome[] };

export type Turns = {
  take: (workerId: string, settled: Outcome[], wanted: TaskClaim[], isAsleep: boolean) => Promise<Taken>;
  /** The worker ends. */
  last: (workerId: string, settled: Outcome[]) => Promise<void>;
  failed: (error: unknown) => void;
};

/** A worker's statements take turns. */
export const CALLER = 'service_jobs';
const NONE: Turn = { claimed: [], next: 0, enqueuing: false };

/** The statements of a worker. */
export function createTurns(ask: FairExecutor, log: Logger): Turns {
  let isAway = false;
  return { take, last, failed };

  async function take(workerId: string, settled: Outcome[], wanted: TaskClaim[], isAsleep: boolean): Promise<Taken> {
    try {
      const taken = await asked(workerId, settled, wanted, isAsleep);
      isAway = false;
      return taken;
    } catch (error) {
      if (settled.length > 0 && isUnstorable(error)) return { turn: NONE, left: await oneByOne(workerId, settled) };
      failed(error);
      return { turn: undefined, left: settled };
    }
  }

  async function asked(workerId: string, settled: Outcome[], wanted: TaskClaim[] = [], isAsleep = false): Promise<Taken> {
    const [row] = await ask(CALLER, sql => sql<{ answer: Answer }[]>`
      select service_private.job_turn(${workerId}, ${JSON.stringify(settled)}::text::jsonb,
        ${JSON.stringify(wanted)}::text::jsonb, ${isAsleep}) as answer`);
    if (row === undefined) throw new Error('service_private.job_turn() returned nothing.');
    const { claimed, next, enqueuing } = row.answer;
    const [held, locked] = [new Set(row.answer.held), new Set(row.answer.locked)];
    for (const { id, attempt } of settled.filter(({ id }) => !held.has(id) && !locked.has(id))) {
      log.warn({ job: id, attempt }, 'a job ended whose claim was gone');
    }
    return { turn: { claimed: claimed.map(toJob), next, enqueuing }, left: settled.filter(({ id }) => locked.has(id)) };
  }

  /** An outcome that the database does not take spoils no other: that job has failed. @returns those that have to be told again */
  async function oneByOne(workerId: string, settled: Outcome[]): Promise<Outcome[]> {
    const left: Outcome[] = [];
    for (const outcome of settled) {
      const { left: again } = await asked(workerId, [outcome]).catch((error: unknown) => ({
        left: [isUnstorable(error) ? unkept(outcome, error) : outcome],
      }));
      left.push(...again);
    }
    return left;
  }

  async function last(workerId: string, settled: Outcome[]): Promise<void> {
    if (settled.length > 0) await take(workerId, settled, [], false);
    await ask(CALLER, sql => sql`select service_private.end_worker(${workerId})`).catch(() => undefined);
  }

  /** Told once, until it succeeds again. */
  function failed(error: unknown): void {
    if (!isAway) log.warn({ err: error }, 'jobs cannot be claimed');
    isAway = true;
  }
}

function unkept({ id, worker, attempt }: Outcome, error: unknown): Outcome {
  return { id, worker, attempt, status: 'failed', error: `Its outcome cannot be kept: ${(error as Error).message}` };
}

function toJob([id, task, payloadText, attempt, maxAttempts, createdAt, concurrencyKey]: ClaimedJob): Job {
  const payload = JSON.parse(payloadText) as unknown;
  return { id, task, payload, payloadText, attempt, maxAttempts, createdAt: new Date(createdAt), concurrencyKey };
}
