import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FairExecutor } from '../../database/fair-executor.ts';
import type { Handlers, Job } from '../job.ts';

export type WorkerOptions = {
  ask: FairExecutor;
  handlers: Handlers;
  log: Logger;
  concurrency?: number;
  /** Milliseconds between two looks at jobs, where the last one did not bring as many as there is room for. */
  pollInterval?: number;
  /** Milliseconds after which a job of a worker that was not heard of is another's. */
  visibilityTimeout?: number;
};

/** Closing lets what is under way finish, at most so many milliseconds; what does not is done again. */
export type Worker = { close: (deadline: number) => Promise<void> };

/** The longest wait before a job is tried again. */
const LONGEST_WAIT = 3_600_000;
const CALLER = 'jobs';

/** Claims jobs as they come due, one batch after the other, and says what became of each. */
export function openWorker(options: WorkerOptions): Worker {
  const { ask, handlers, log, concurrency = 5, pollInterval = 2_000, visibilityTimeout = 300_000 } = options;
  const workerId = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const reaping = setInterval(() => { void reap(); }, visibilityTimeout / 4).unref();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let isAway = false;
  let atWork: Promise<void> = work();

  return { close };

  async function close(deadline: number): Promise<void> {
    closed = true;
    clearTimeout(timer);
    clearInterval(reaping);
    await Promise.race([atWork, delay(deadline, undefined, { ref: false })]);
  }

  async function work(): Promise<void> {
    let found = concurrency;
    try {
      while (found === concurrency && !closed) {
        const jobs = await claim();
        isAway = false;
        found = jobs.length;
        await Promise.all(jobs.map(run));
      }
    } catch (error) {
      if (!isAway) log.warn({ err: error }, 'jobs cannot be claimed');
      isAway = true;
    }
    if (closed) return;
    timer = setTimeout(() => { atWork = work(); }, pollInterval).unref();
  }

  async function claim(): Promise<Job[]> {
    return ask(CALLER, sql => sql<Job[]>`
      select id, task, payload, attempts, max_attempts as "maxAttempts", created_at as "createdAt"
      from service.job_claim(${concurrency}, ${workerId},
        array(select jsonb_array_elements_text(${sql.json(Object.keys(handlers))})))`);
  }

  async function run(job: Job): Promise<void> {
    const { id, task } = job;
    const held = JSON.stringify({ workerId, attempt: job.attempts });
    const heartbeat = setInterval(() => {
      ask(CALLER, sql => sql`select service.job_heartbeat(${id}, ${held}::text::jsonb)`).catch(() => undefined);
    }, visibilityTimeout / 3).unref();
    try {
      await handlers[task]?.(job);
      await ask(CALLER, sql => sql`select service.job_complete(${id}, ${held}::text::jsonb)`);
    } catch (error) {
      await fail(job, held, error);
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** A failure that cannot be recorded is found by the reaper. */
  async function fail({ id, task, attempts, maxAttempts }: Job, held: string, error: unknown): Promise<void> {
    const retryAt = attempts < maxAttempts ? new Date(Date.now() + Math.min(1_000 * 5 ** (attempts - 1), LONGEST_WAIT)) : null;
    const what = retryAt === null ? 'a job failed for good' : 'a job failed, and is tried again';
    log.warn({ err: error, job: id, task, attempt: attempts }, what);
    const reason = error instanceof Error ? error.message : String(error);
    await ask(CALLER, sql => sql`select service.job_fail(${id}, ${reason}, ${retryAt}, ${held}::text::jsonb)`).catch(() => undefined);
  }

  async function reap(): Promise<void> {
    await ask(CALLER, sql => sql`select service.job_reap(${visibilityTimeout}), service.job_sweep()`).catch((error: unknown) => {
      log.warn({ err: error }, 'jobs could not be swept');
    });
  }
}
