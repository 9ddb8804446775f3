import type { Logger } from 'pino';
import type { FairExecutor } from '../../database/fair-executor.ts';
import { isUnstorable } from '../../database/sqlstate.ts';
import { arrayText } from '../../grammar/array-text.ts';
import type { Job } from '../job.ts';
import type { Outcome } from './outcome.ts';

/** The answer of service_private.job_turn(). */
type Answer = { gone: string[]; locked: string[]; claimed: Claimed | null; next: number | null; enqueuing: boolean };
/** Jobs, by columns. */
type Claimed = {
  id: string[]; task: string[]; payload: string[]; attempt: number[]; maxAttempts: number[]; createdAt: string[]; concurrencyKey: string[];
};

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
    const column = (of: (outcome: Outcome) => string | null) => arrayText(settled.map(of));
    const [row] = await ask(CALLER, sql => sql<{ answer: Answer }[]>`
      select service_private.job_turn(${workerId}, ${column(({ id }) => id)}::text::uuid[], ${column(({ worker }) => worker)}::text::text[],
        ${column(({ attempt }) => String(attempt))}::text::integer[], ${column(told)}::text::jsonb[],
        ${JSON.stringify(wanted)}::text::jsonb, ${isAsleep}) as answer`);
    if (row === undefined) throw new Error('service_private.job_turn() returned nothing.');
    const { claimed, next, enqueuing } = row.answer;
    const [gone, locked] = [new Set(row.answer.gone), new Set(row.answer.locked)];
    for (const { id, attempt } of settled.filter(({ id }) => gone.has(id))) {
      log.warn({ job: id, attempt }, 'a job ended whose claim was gone');
    }
    const turn = { claimed: claimed === null ? [] : jobsOf(claimed), next, enqueuing };
    return { turn, left: settled.filter(({ id }) => locked.has(id)) };
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

/** Null where it is no more than that the job succeeded. */
function told({ status, result, error, wait, back }: Outcome): string | null {
  return status === 'succeeded' && (result ?? null) === null ? null : JSON.stringify({ status, result, error, wait, back });
}

function jobsOf({ id, task, payload, attempt, maxAttempts, createdAt, concurrencyKey }: Claimed): Job[] {
  return id.map((id, i) => ({
    id, task: task[i] as string, payload: JSON.parse(payload[i] as string) as unknown, payloadText: payload[i] as string,
    attempt: attempt[i] as number, maxAttempts: maxAttempts[i] as number, createdAt: new Date(createdAt[i] as string),
    concurrencyKey: concurrencyKey[i] as string,
  }));
}
