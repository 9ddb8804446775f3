import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Presence } from '../../database/presence.ts';
import { isDatabaseError, isUnavailable } from '../../database/sqlstate.ts';
import { failureOf, RunEnded } from './failure.ts';
import type { CronJob } from '../cron-job.ts';
import { createRunLog, resultText, type RunLog } from './run-log.ts';
import type { CronStore, Decision, Outcome, Run, Verdict } from './store.ts';

/** `ended`: the record of the run, as JSON; undefined where its lease was lost. */
export type Begun = { verdict: 'run'; ended: Promise<string | undefined> } | { verdict: Exclude<Verdict, 'run'>; log: string | null };

/** Runs jobs, each under a lease of the database. */
export type Runner = {
  /** Begins a run if the database lets it. @throws the database's error, or NotPresent: nothing is run then. */
  begin: (job: CronJob, run: Run) => Promise<Begun>;
  /** Gives up a run of which it is not known whether it was begun. */
  abandon: (job: CronJob, run: string) => void;
  /** Begins nothing any more. Runs under way get so many milliseconds to end; then they are ended, and have failed. */
  close: (deadline: number) => Promise<void>;
};

export type RunnerOptions = {
  store: CronStore;
  presence: Presence;
  log: Logger;
  /** Milliseconds until a run whose end could not be written down is tried again. */
  pause?: number;
};

/** No session of the database that a lease could end with. */
export class NotPresent extends Error {}

type Due = Pick<Decision, 'scheduledAt' | 'late'>;

/** Milliseconds for the ends of runs that a shutdown ended; those that are not written down then are found by another gateway. */
const LAST_WORDS = 3_000;
/** Those of them in which the handlers are expected to end. */
const LAST_PATIENCE = 2_000;
const LONGEST_TIMER = 2 ** 31 - 1;

export function openRunner({ store, presence, log, pause = 5_000 }: RunnerOptions): Runner {
  const running = new Map<string, { ending: AbortController; ended: Promise<string | undefined> }>();
  /** Ends of runs that could not be written down yet. */
  const unwritten = new Set<Promise<unknown>>();
  const over = new AbortController();
  let closed = false;
  const unfollow = presence.follow({
    begun: () => undefined,
    lost: () => { endAll(new RunEnded('The gateway lost its database session, and with it the lease of the run.')); },
  });

  return { begin, abandon, close };

  async function begin(job: CronJob, run: Run): Promise<Begun> {
    const holder = presence.id;
    if (closed || holder === undefined) throw new NotPresent('This gateway has no session of the database at present.');
    const { verdict, log: skipped, ...due } = await store.begin(job, run, holder);
    if (verdict !== 'run') return { verdict, log: skipped };
    const ending = new AbortController();
    if (presence.id !== holder) ending.abort(new RunEnded('The gateway lost its database session before the run began.'));
    if (isClosed()) ending.abort(new RunEnded('The gateway was shut down before the run began.'));
    const ended = execute(job, run, due, ending).finally(() => { running.delete(run.id); });
    running.set(run.id, { ending, ended });
    return { verdict, ended };
  }

  /** It may change while a begin is awaited. */
  function isClosed(): boolean {
    return closed;
  }

  async function execute(job: CronJob, run: Run, { scheduledAt, late }: Due, ending: AbortController): Promise<string | undefined> {
    const lines = createRunLog();
    if (run.makesUp) lines.add(`Makes up for the slot ${scheduledAt.toISOString()}, ${late} s late.`);
    const stop = endAfter(job.timeoutSeconds, ending);
    const context = { jobId: job.id, scheduledAt: scheduledAt.toISOString(), manual: run.slot === undefined };
    const outcome = await outcomeOf(ending.signal, lines, () => job.run(context, ending.signal, lines.add));
    stop();
    if (!outcome.success) log.warn({ cron: job.id, error: outcome.error }, 'a scheduled job failed');
    return await write(job.id, run.id, outcome);
  }

  /** Tries until it is written down, or the service ends: the lease is held until then. */
  async function write(job: string, run: string, outcome: Outcome): Promise<string | undefined> {
    for (;;) {
      try {
        return await store.end(job, run, outcome) ?? undefined;
      } catch (error) {
        if (isDatabaseError(error) && !isUnavailable(error) && outcome.result !== undefined) {
          return write(job, run, { success: false, error: 'The result of the run could not be stored.', logs: [] });
        }
        log.warn({ err: error, cron: job }, 'the end of a scheduled run cannot be written down');
      }
      const isOver = await delay(pause, false, { signal: over.signal, ref: false }).catch(() => true);
      if (isOver) return undefined;
    }
  }

  function abandon({ id }: CronJob, run: string): void {
    const writing = write(id, run, { success: false, error: 'The run could not be begun.', logs: [] });
    unwritten.add(writing);
    void writing.finally(() => unwritten.delete(writing));
  }

  function endAll(reason: RunEnded): void {
    for (const { ending } of running.values()) ending.abort(reason);
  }

  async function close(deadline: number): Promise<void> {
    closed = true;
    const all = Promise.all(Array.from(running.values(), ({ ended }) => ended));
    await Promise.race([all, delay(deadline, undefined, { ref: false })]);
    endAll(new RunEnded('The gateway was shut down before the run ended.', LAST_PATIENCE));
    await Promise.race([Promise.all([all, ...unwritten]), delay(LAST_WORDS, undefined, { ref: false })]);
    over.abort();
    unfollow();
  }
}

/** A handler that ends in time counts although it was told to end: its work is done. One that goes on has failed. */
async function outcomeOf(signal: AbortSignal, lines: RunLog, begin: () => Promise<string | null>): Promise<Outcome> {
  const reason = () => failureOf(signal.reason);
  const logs = lines.lines;
  if (signal.aborted) return { success: false, error: reason(), logs: logs() };
  const outcome = Promise.resolve().then(begin).then(
    (value): Outcome => succeeded(value, logs()),
    (error: unknown): Outcome => ({ success: false, error: signal.aborted ? reason() : failureOf(error), logs: logs() }));
  const told = new Promise<'told'>(resolve => { signal.addEventListener('abort', () => { resolve('told'); }, { once: true }); });
  const first = await Promise.race([outcome, told]);
  if (first !== 'told') return first;
  const { patience } = signal.reason as RunEnded;
  const given = delay(patience, undefined, { ref: false }).then((): Outcome => ({ success: false, error: reason(), logs: logs() }));
  return Promise.race([outcome, given]);
}

function succeeded(value: string | null, logs: string[]): Outcome {
  const result = resultText(value);
  return { success: true, ...(result !== undefined && { result }), logs };
}

/** Ends a run that takes longer than so many seconds. @returns what stops the watch. */
function endAfter(seconds: number | null, ending: AbortController): () => void {
  if (seconds === null) return () => undefined;
  const late = setTimeout(() => { ending.abort(new RunEnded(`The run did not end within ${seconds} s.`)); },
    Math.min(seconds * 1_000, LONGEST_TIMER));
  return () => { clearTimeout(late); };
}
