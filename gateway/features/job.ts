/** A job of service.jobs that was claimed. `attempt` counts from 1; `payloadText` is the payload with every digit of its numbers. */
export type Job = {
  id: string; task: string; payload: unknown; payloadText: string; attempt: number; maxAttempts: number; createdAt: Date;
  concurrencyKey: string;
};

/** The argument of its handler. The payload is as it was stored: read and written again, its numbers would lose digits. */
export function jobText({ id, task, payloadText, attempt, maxAttempts, createdAt }: Job): string {
  return `${JSON.stringify({ id, task, attempt, maxAttempts, createdAt }).slice(0, -1)},"payload":${payloadText}}`;
}

/** The signal is aborted when the job is not this process's own any more, or the process ends. */
export type UnderWay = { signal: AbortSignal; workerId: string };

/** Does a task, once at least. */
export type Handler = {
  /** @returns its result, as JSON. @throws what makes it a failed attempt; LastAttempt, TryLater and ClaimGone are told apart. */
  run: (job: Job, underWay: UnderWay) => Promise<unknown>;
  /** Its jobs are recorded as done by the handler itself. */
  settles?: true;
  /** Attempts of a job whose enqueuer named none. */
  maxAttempts?: number;
  /** How many of its jobs may run at once, where a process has so many places: all of them, and those with the same concurrency key. */
  most?: (places: number) => { all: number; ofKey: number };
  /** Milliseconds to wait after so many attempts. */
  backoff?: (attempts: number) => number;
};
/** By task. */
export type Handlers = Readonly<Record<string, Handler>>;

/** It will not succeed however often it is tried. */
export class LastAttempt extends Error {}

/** The next attempt, if there is one, is so many milliseconds from now. */
export class TryLater extends Error {
  readonly after: number;

  constructor(message: string, after: number, options?: ErrorOptions) {
    super(message, options);
    this.after = after;
  }
}

/** Its work could not be begun: it is tried again so many milliseconds from now, and this attempt is not counted. */
export class NotBegun extends TryLater {}

/** Another process does jobs with this concurrency key: this one gives the job back, and claims none of them any more. */
export class NotHere extends NotBegun {
  constructor(message: string) {
    super(message, 0);
  }
}

/** The job is another worker's, or was cancelled; its work was undone. */
export class ClaimGone extends Error {}
