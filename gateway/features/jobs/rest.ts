import type { FairExecutor } from '../../database/fair-executor.ts';
import { CALLER, type Turn } from './turns.ts';

export type RestOptions = {
  ask: FairExecutor;
  pollInterval: number;
  /** Has the worker take a turn. */
  stir: () => void;
};

export type Rest = {
  readonly isAsleep: boolean;
  /** A worker of this id begins, awake. */
  begin: (id: string) => void;
  /** There are new jobs. */
  ring: () => void;
  /** A turn was taken, undefined: in vain; its first claim was for at most so many. The next one comes when there is reason to. */
  after: (turn: Turn | undefined, most: number) => Promise<void>;
  end: () => void;
};

/** Milliseconds between two looks of a worker that is awake, and how long it goes on without a find: longer where sleep did not last. */
const LOOKS = 5;
const QUIET = 50;
const LONGEST_QUIET = 800;
/** The longest wait for a transaction that enqueued before it could know that the worker sleeps, or has a job locked that is due. */
const SLOW_LOOKS = 250;

/**
 * When to look for jobs. A worker with nothing to do sleeps, and who enqueues a job rings; one that is rung often looks by itself, and
 * tells enqueuers that they need not, because a NOTIFY in every commit makes them wait for each other.
 */
export function createRest({ ask, pollInterval, stir }: RestOptions): Rest {
  let id = '';
  let isAsleep = false;
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  let foundAt = -Infinity;
  let rungAt = -Infinity;
  let isStormy = false;
  let patience = LOOKS;
  let quiet = QUIET;
  let sleptAt = -Infinity;

  return { get isAsleep() { return isAsleep; }, begin, ring, after, end };

  function begin(next: string): void {
    id = next;
    isAsleep = false;
  }

  function ring(): void {
    const now = performance.now();
    isStormy = isAsleep && now - rungAt < QUIET;
    rungAt = now;
    stir();
  }

  async function after(turn: Turn | undefined, most: number): Promise<void> {
    if (isEnded) return;
    if (turn === undefined) return wait(pollInterval);
    if (isStormy) {
      quiet = rungAt - sleptAt < QUIET ? Math.min(2 * quiet, LONGEST_QUIET) : QUIET;
      await change(false);
    }
    isStormy = false;
    if (turn.claimed.length > 0) foundAt = performance.now();
    if (most === 0) return; // the next place that becomes free is reason enough
    if (turn.claimed.length >= most) return stir();
    if (!isAsleep && performance.now() - Math.max(foundAt, rungAt) < quiet) return wait(LOOKS);
    if (!isAsleep) {
      const isSaid = await change(true);
      return isSaid ? stir() : wait(pollInterval); // before it said so, jobs may have come without a ring
    }
    if (turn.enqueuing || turn.next === 0) {
      wait(patience);
      patience = Math.min(2 * patience, SLOW_LOOKS);
    } else {
      wait(Math.min(turn.next ?? Infinity, pollInterval));
      patience = LOOKS;
    }
  }

  async function change(asleep: boolean): Promise<boolean> {
    const isSaid = await ask(CALLER, sql => sql`select service_private.rest_worker(${id}, ${asleep})`).then(() => true, () => false);
    if (!isSaid) return false;
    isAsleep = asleep;
    if (asleep) sleptAt = performance.now();
    return true;
  }

  function wait(milliseconds: number): void {
    clearTimeout(timer);
    timer = setTimeout(stir, milliseconds).unref();
  }

  function end(): void {
    isEnded = true;
    clearTimeout(timer);
  }
}
