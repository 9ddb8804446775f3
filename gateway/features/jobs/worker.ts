import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FairExecutor } from '../../database/fair-executor.ts';
import type { Listen } from '../../database/listen.ts';
import type { Presence } from '../../database/presence.ts';
import { ClaimGone, NotHere, type Handlers, type Job } from '../job.ts';
import { createAhead } from './ahead.ts';
import { failed, givenBack, succeeded, type Claim, type Outcome } from './outcome.ts';
import { createPlaces } from './places.ts';
import { createRest } from './rest.ts';
import { CALLER, createTurns, type TaskClaim } from './turns.ts';

export type WorkerOptions = {
  ask: FairExecutor;
  listen: Listen;
  presence: Presence;
  handlers: Handlers;
  log: Logger;
  /** How many jobs at once. */
  concurrency: number;
  /** Milliseconds between two looks at jobs that nothing told of. */
  pollInterval: number;
  /** Milliseconds after which a job is taken back from a worker that was not heard of, where its session does not say whether it lives. */
  visibilityTimeout: number;
  /** Attempts of a job, where neither its enqueuer nor its handler says. */
  maxAttempts: number;
};

/**
 * Closing lets what is under way finish, at most so many milliseconds; what does not is due again at once, and that attempt is not counted.
 */
export type Worker = { close: (deadline: number) => Promise<void> };

type Held = { job: Job; workerId: string; abort: AbortController; claimedAt: number };

/** Milliseconds between two heartbeats, with which jobs are taken back from workers that are gone. */
const TEND = 5_000;
/** Milliseconds for a job to end once it has been told to. */
const LAST_WORDS = 1_000;
/** Milliseconds that a claimed job waits for a place before it is given back. */
const PATIENCE = 50;
/** Milliseconds until an outcome that could not be told is told again. */
const AGAIN = 1_000;

const CHANNEL = 'service_jobs';

/**
 * Claims jobs as they come due, as soon as there is a place for one, and says what became of each: both in one statement, so that the more
 * jobs there are the fewer statements each takes.
 */
export async function openWorker(options: WorkerOptions): Promise<Worker> {
  const { ask, listen, presence, handlers, log, concurrency, pollInterval, visibilityTimeout, maxAttempts } = options;
  const running = new Set<Held>();
  /** Claimed, and without a place yet. */
  let ready: Held[] = [];
  const ahead = createAhead(concurrency);
  const places = createPlaces(concurrency, handlers);
  const turns = createTurns(ask, log);
  const rest = createRest({ ask, pollInterval, stir });
  /** Undefined while the session is lost that its claims depend on. */
  let workerId: string | undefined;
  let outcomes: Outcome[] = [];
  let isClosed = false;
  let isDue = false;
  let turning: Promise<void> | undefined;
  let impatience: NodeJS.Timeout | undefined;
  /** Called when a job has ended, while the worker closes. */
  let whenQuiet: (() => void) | undefined;

  const channel = await listen(CHANNEL, { heard, resumed: stir });
  const unfollow = presence.follow({ begun, lost });
  const tending = setInterval(() => void tend(), Math.min(TEND, visibilityTimeout / 3)).unref();
  return { close };

  function begun(id: string): void {
    workerId = id;
    rest.begin(id);
    stir();
  }

  function lost(): void {
    workerId = undefined;
    for (const { abort } of [...running, ...ready]) abort.abort(new ClaimGone('The database session that holds its claim was lost.'));
  }

  /** A message names a job that was cancelled; an empty one says that there are new ones. */
  function heard(cancelled: string): void {
    if (cancelled === '') return rest.ring();
    for (const { job, abort } of [...running, ...ready]) if (job.id === cancelled) abort.abort(new ClaimGone('It was cancelled.'));
  }

  /** Not at once: jobs that end in the same turn of the event loop are told of in one statement. */
  function stir(): void {
    if (isDue) return;
    isDue = true;
    if (turning === undefined) setImmediate(() => { turning ??= take().then(done); });
  }

  function done(): void {
    turning = undefined;
    if (!isDue) return;
    isDue = false;
    stir();
  }

  async function take(): Promise<void> {
    while (isDue) {
      isDue = false;
      const id = workerId; // it may be another when the turn is over
      if (id === undefined) return; // there will be a beginning
      if (ready.length === 0) ahead.begun();
      const wanted = isClosed ? [] : wantedNow();
      const settled = outcomes.splice(0);
      if (wanted.length === 0 && settled.length === 0) continue;
      const { turn, left } = await turns.take(id, settled, wanted, rest.isAsleep);
      if (left.length > 0) setTimeout(stir, AGAIN).unref();
      outcomes = [...left, ...outcomes];
      if (turn === undefined) ahead.waited();
      hold(turn?.claimed ?? [], id);
      await rest.after(turn, wanted[0]?.most ?? 0); // where the first claim is for fewer than there are places, more may be due
    }
  }

  /** Tasks that may not have all places are claimed together with the others, by their priority, and then the others alone. */
  function wantedNow(): TaskClaim[] {
    const free = concurrency + ahead.most - running.size - ready.length;
    if (free <= 0 || ready.length > ahead.most / 2) return [];
    const tasks: TaskClaim['tasks'] = {};
    const others: TaskClaim['tasks'] = {};
    const shares: TaskClaim['shares'] = {};
    const held = [...running, ...ready].map(({ job }) => job);
    let most = free;
    for (const [task, handler] of Object.entries(handlers)) {
      const { left, share } = places.of(task, held);
      if (left <= 0) continue;
      tasks[task] = handler.maxAttempts ?? maxAttempts;
      if (left === Infinity) others[task] = tasks[task];
      if (share !== undefined) shares[task] = share;
      most = Math.min(most, left);
    }
    return [{ tasks, most, shares }, { tasks: others, most: free - most, shares }]
      .filter(({ tasks, most }) => most > 0 && Object.keys(tasks).length > 0);
  }

  function hold(jobs: Job[], id: string): void {
    const claimedAt = performance.now();
    const held = jobs.map(job => ({ job, workerId: id, abort: new AbortController(), claimedAt }));
    if (id !== workerId) for (const { abort } of held) abort.abort(new ClaimGone('The database session that holds its claim was lost.'));
    ahead.claimed(jobs.length, jobs.reduce((sum, { payloadText }) => sum + payloadText.length, 0));
    ready.push(...held);
    fill();
    if (ready.length > 0) impatience ??= setTimeout(giveBackOld, PATIENCE).unref();
  }

  function fill(): void {
    while (running.size < concurrency) {
      const held = ready.shift();
      if (held === undefined) return;
      begin(held);
    }
  }

  /** A job without a place is left to another worker, which may have one. */
  function giveBackOld(): void {
    impatience = undefined;
    const time = performance.now() - PATIENCE;
    giveBack(ready.filter(({ claimedAt }) => claimedAt <= time));
    if (ready.length > 0) impatience = setTimeout(giveBackOld, PATIENCE).unref();
  }

  function giveBack(given: Held[]): void {
    if (given.length === 0) return;
    ready = ready.filter(held => !given.includes(held));
    outcomes.push(...given.map(claimOf).map(claim => givenBack(claim)));
    ahead.waited();
    stir();
  }

  function begin(held: Held): void {
    running.add(held);
    void run(held).then(outcome => {
      if (!running.delete(held)) return; // it was given back
      if (outcome !== undefined) outcomes.push(outcome);
      whenQuiet?.();
      fill();
      stir();
    });
  }

  /** Undefined where there is nothing to say any more. */
  async function run(held: Held): Promise<Outcome | undefined> {
    const { job, workerId, abort: { signal } } = held;
    const handler = handlers[job.task];
    const claim = claimOf(held);
    try {
      signal.throwIfAborted();
      if (handler === undefined) throw new Error('There is no handler for this task.');
      const result = await handler.run(job, { signal, workerId });
      return handler.settles ? undefined : succeeded(claim, result);
    } catch (error) {
      if (error instanceof ClaimGone) {
        log.warn({ job: job.id, task: job.task, attempt: job.attempt }, `a job was given up: ${error.message}`);
        return undefined;
      }
      const outcome = failed(claim, error, job, handler?.backoff);
      if (error instanceof NotHere) {
        places.leave(job);
        log.info({ job: job.id, task: job.task }, `a job is left to another process: ${error.message}`);
        return outcome;
      }
      const what = outcome.status === 'failed' ? 'a job failed for good' : 'a job failed, and is tried again';
      log.warn({ err: error, job: job.id, task: job.task, attempt: job.attempt }, what);
      return outcome;
    }
  }

  async function tend(): Promise<void> {
    if (workerId === undefined) return;
    const id = workerId;
    const ids = JSON.stringify([...[...running, ...ready].map(({ job }) => job.id), ...outcomes.map(({ id }) => id)]);
    await ask(CALLER, sql => sql`
      select service_private.tend_jobs(${id}, ${rest.isAsleep},
        array(select jsonb_array_elements_text(${ids}::text::jsonb)::uuid), ${visibilityTimeout})`).catch(turns.failed);
  }

  async function close(deadline: number): Promise<void> {
    isClosed = true;
    clearInterval(tending);
    clearTimeout(impatience);
    rest.end();
    await turning;
    giveBack(ready);
    await quiet(deadline);
    const left = [...running];
    for (const { job, abort } of left) {
      log.warn({ job: job.id, task: job.task }, 'a job did not end before the shutdown, and is due again');
      abort.abort(new ClaimGone('The service ends.'));
    }
    await quiet(LAST_WORDS);
    running.clear();
    unfollow();
    await turning;
    const isTold = ({ job }: Held) => outcomes.some(({ id }) => id === job.id);
    outcomes.push(...left.filter(held => !isTold(held)).map(claimOf).map(claim => givenBack(claim)));
    if (workerId !== undefined) await turns.last(workerId, outcomes);
    await channel.end();
  }

  /** Waits until no job runs, at most so many milliseconds. */
  async function quiet(deadline: number): Promise<void> {
    if (running.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    whenQuiet = () => { if (running.size === 0) resolve(undefined); };
    await Promise.race([promise, delay(deadline, undefined, { ref: false })]);
  }
}

function claimOf({ job: { id, attempt }, workerId: worker }: Held): Claim {
  return { id, worker, attempt };
}
