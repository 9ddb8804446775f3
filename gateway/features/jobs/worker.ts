import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FairExecutor } from '../../database/fair-executor.ts';
import type { Handlers, Job } from '../job.ts';

export type WorkerOptions = {
  ask: FairExecutor;
  handlers: Handlers;
  log: Logger;
  /** How many jobs at once. */
  concurrency?: number;
  /** Milliseconds between two looks at jobs, where the last one did not bring as many as there is room for. */
  pollInterval?: number;
  /** Milliseconds after which a job of a worker that was not heard of is another's. */
  visibilityTimeout?: number;
};

/**
 * Closing lets what is under way finish, at most so many milliseconds; what does not is due again at once, and that attempt is not counted.
 */
export type Worker = { close: (deadline: number) => Promise<void> };

type Held = { job: Job; claim: string };

/** The longest wait before a job is tried again. */
const LONGEST_WAIT = 3_600_000;
const CALLER = 'jobs';

/** Claims jobs as they come due, as soon as there is a place for one, and says what became of each. */
export function openWorker(options: WorkerOptions): Worker {
  const { ask, handlers, log, concurrency = 5, pollInterval = 2_000, visibilityTimeout = 300_000 } = options;
  const workerId = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const tasks = Object.keys(handlers);
  const reaping = setInterval(() => { void reap(); }, visibilityTimeout / 4).unref();
  const running = new Map<Held, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let isAway = false;
  let claiming: Promise<void> | undefined;
  /** A place became free while jobs were claimed for others. */
  let looksAgain = false;
  look();

  return { close };

  async function close(deadline: number): Promise<void> {
    closed = true;
    clearTimeout(timer);
    clearInterval(reaping);
    const finished = Promise.resolve(claiming).then(() => Promise.all(running.values()));
    await Promise.race([finished, delay(deadline, undefined, { ref: false })]);
    await Promise.all([...running.keys()].map(giveBack));
  }

  function look(): void {
    if (closed || running.size >= concurrency) return;
    if (claiming !== undefined) {
      looksAgain = true;
      return;
    }
    clearTimeout(timer);
    claiming = fill().then(isFull => {
      claiming = undefined;
      if (looksAgain || isFull) {
        looksAgain = false;
        look();
      } else if (!closed) timer = setTimeout(look, pollInterval).unref();
    });
  }

  /** Whether there may be more than there was room for. */
  async function fill(): Promise<boolean> {
    const free = concurrency - running.size;
    try {
      const jobs = await claim(free);
      isAway = false;
      for (const job of jobs) begin(job);
      return jobs.length === free;
    } catch (error) {
      if (!isAway) log.warn({ err: error }, 'jobs cannot be claimed');
      isAway = true;
      return false;
    }
  }

  async function claim(most: number): Promise<Job[]> {
    return ask(CALLER, sql => sql<Job[]>`
      select id, task, payload, attempts, max_attempts as "maxAttempts", created_at as "createdAt"
      from service.job_claim(${most}, ${workerId}, array(select jsonb_array_elements_text(${sql.json(tasks)})))`);
  }

  function begin(job: Job): void {
    const held = { job, claim: JSON.stringify({ workerId, attempt: job.attempts }) };
    running.set(held, run(held).finally(() => {
      running.delete(held);
      look();
    }));
  }

  async function run({ job, claim }: Held): Promise<void> {
    const { id, task } = job;
    const heartbeat = setInterval(() => {
      ask(CALLER, sql => sql`select service.job_heartbeat(${id}, ${claim}::text::jsonb)`).catch(() => undefined);
    }, visibilityTimeout / 3).unref();
    try {
      await handlers[task]?.(job);
      await ask(CALLER, sql => sql`select service.job_complete(${id}, ${claim}::text::jsonb)`);
    } catch (error) {
      await fail(job, claim, error);
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** A failure that cannot be recorded is found by the reaper. */
  async function fail({ id, task, attempts, maxAttempts }: Job, claim: string, error: unknown): Promise<void> {
    const retryAt = attempts < maxAttempts ? new Date(Date.now() + Math.min(1_000 * 5 ** (attempts - 1), LONGEST_WAIT)) : null;
    const what = retryAt === null ? 'a job failed for good' : 'a job failed, and is tried again';
    log.warn({ err: error, job: id, task, attempt: attempts }, what);
    const reason = error instanceof Error ? error.message : String(error);
    await ask(CALLER, sql => sql`select service.job_fail(${id}, ${reason}, ${retryAt}, ${claim}::text::jsonb)`).catch(() => undefined);
  }

  async function giveBack({ job: { id, task }, claim }: Held): Promise<void> {
    log.warn({ job: id, task }, 'a job did not end before the shutdown, and is due again');
    await ask(CALLER, sql => sql`select service_private.give_back(${id}, ${claim}::text::jsonb)`).catch(() => undefined);
  }

  async function reap(): Promise<void> {
    await ask(CALLER, sql => sql`select service.job_reap(${visibilityTimeout}), service.job_sweep()`).catch((error: unknown) => {
      log.warn({ err: error }, 'jobs could not be swept');
    });
  }
}
