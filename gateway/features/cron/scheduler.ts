import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { CronJob } from '../cron-job.ts';
import type { Runner } from './runner.ts';
import type { CronStore } from './store.ts';
import type { Triggered } from './topics.ts';

export type Scheduler = {
  /** Runs a job now and waits for its end. Never rejects. */
  trigger: (id: string) => Promise<Triggered>;
  /** No slot begins any more. */
  stop: () => void;
};

export type SchedulerOptions = {
  jobs: readonly CronJob[];
  store: CronStore;
  runner: Runner;
  log: Logger;
  /** Whether slots are waited for; a trigger works without. */
  schedules: boolean;
  /** Milliseconds until the database is asked again that could not answer. */
  pause?: number;
  /**
   * The longest timer, in milliseconds. The clock of the database is looked at so often because it may be set, and because this machine
   * may sleep.
   */
  longest?: number;
};

/** A slot that is waited for. The run has its id from the start: asked for once more, it is the same run. */
type Next = { slot: number; run: string; wasTried: boolean };

/**
 * Milliseconds after its slot that a run may still begin. A later one is missed: to begin it hours after a break would not be what its
 * schedule says.
 */
const GRACE = 60_000;
/** A clock that is set back further than this makes all slots be looked for again, in milliseconds. */
const SET_BACK = 120_000;

/** Waits for the slots of jobs by the clock of the database, which decides who runs them. */
export function openScheduler(
  { jobs, store, runner, log, schedules, pause = 5_000, longest = 60_000 }: SchedulerOptions,
): Scheduler {
  const next = new Map<string, Next>();
  /** The jobs without a slot that is waited for, and after which instant the next one is. */
  const unplanned = new Map<string, number | undefined>(jobs.map(({ id }) => [id, undefined]));
  /** Jobs that may have missed a slot. */
  const mayHaveMissed = new Set(jobs);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let clock = -Infinity;
  if (schedules && jobs.length > 0) void look();

  return { trigger, stop };

  function stop(): void {
    stopped = true;
    clearTimeout(timer);
  }

  async function look(): Promise<void> {
    let wait = pause;
    try {
      wait = await handleDue();
    } catch (error) {
      if (!isStopped()) log.warn({ err: error }, 'scheduled jobs cannot be looked at');
    }
    // Unreferenced: it keeps no process alive that has nothing else to do.
    if (!isStopped()) timer = setTimeout(() => { void look(); }, wait).unref();
  }

  /** It may change while the database is asked. */
  function isStopped(): boolean {
    return stopped;
  }

  /** @returns the milliseconds until there is something to do */
  async function handleDue(): Promise<number> {
    const now = await plan();
    const due = jobs.map(job => ({ job, own: next.get(job.id) })).filter(({ own }) => own !== undefined && own.slot <= now);
    const begun = await Promise.allSettled([
      ...due.map(({ job, own }) => own && begin(job, own, now)), ...[...mayHaveMissed].map(makeUp),
    ]);
    for (const outcome of begun) if (outcome.status === 'rejected') throw outcome.reason;
    if (unplanned.size > 0) return 0;
    return Math.max(0, Math.min(longest, ...Array.from(next.values(), ({ slot }) => slot - now)));
  }

  /** Looks for the next slots. @returns the time */
  async function plan(): Promise<number> {
    const wanted = jobs.filter(({ id }) => unplanned.has(id));
    const asked = wanted.map(({ id, schedule, timezone }) => ({ id, schedule, timezone, after: unplanned.get(id) }));
    const { now, slots } = await store.look(asked);
    for (const { id } of wanted) {
      const slot = slots[id] ?? null;
      unplanned.delete(id);
      if (slot === null) log.warn({ cron: id }, 'the schedule of a job does not come due within four years');
      else next.set(id, { slot, run: randomUUID(), wasTried: false });
    }
    if (now < clock - SET_BACK) for (const id of next.keys()) unplanned.set(id, undefined);
    clock = now;
    return now;
  }

  async function begin(job: CronJob, own: Next, now: number): Promise<void> {
    if (isStopped()) return;
    if (now - own.slot > GRACE) return miss(job, own);
    own.wasTried = true;
    const { verdict } = await runner.begin(job, { id: own.run, slot: own.slot });
    if (verdict !== 'early') goOn(job, own.slot);
  }

  /** The gateway could not begin it in time. */
  function miss(job: CronJob, { slot, run, wasTried }: Next): void {
    log.warn({ cron: job.id, slot: new Date(slot).toISOString() }, 'the slot of a scheduled job was missed');
    if (wasTried) runner.abandon(job, run);
    mayHaveMissed.add(job);
    goOn(job, undefined);
  }

  function goOn({ id }: CronJob, after: number | undefined): void {
    next.delete(id);
    unplanned.set(id, after);
  }

  /** Runs the last slot of the job's window, if no gateway did. */
  async function makeUp(job: CronJob): Promise<void> {
    if (job.catchUpWindowSeconds === undefined) return void mayHaveMissed.delete(job);
    const slot = await store.latest(job);
    mayHaveMissed.delete(job);
    if (slot === null || isStopped()) return;
    const run = { id: randomUUID(), slot, makesUp: true };
    await runner.begin(job, run).catch((error: unknown) => {
      log.warn({ err: error, cron: job.id }, 'a missed slot cannot be made up for');
      runner.abandon(job, run.id);
    });
  }

  async function trigger(id: string): Promise<Triggered> {
    const job = jobs.find(job => job.id === id);
    if (job === undefined) return { refused: 'unknown' };
    const run = { id: randomUUID() };
    try {
      const begun = await runner.begin(job, run);
      if (begun.verdict !== 'run') return { executing: begun.log ?? '{}' };
      const [record, [state]] = [await begun.ended, JSON.parse(await store.records([job])) as object[]];
      return record === undefined ? { refused: 'unavailable' } : { log: record, job: JSON.stringify(state) };
    } catch (error) {
      log.warn({ err: error, cron: id }, 'a scheduled job cannot be run by hand');
      runner.abandon(job, run.id);
      return { refused: 'unavailable' };
    }
  }
}
