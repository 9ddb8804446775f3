import type { ServiceClient } from './client.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the author knows what is enqueued
export type Job<Payload = any> = {
  id: string;
  /** The name of the file. */
  task: string;
  payload: Payload;
  /** From 1 on. */
  attempt: number;
  maxAttempts: number;
  /** ISO 8601. */
  createdAt: string;
};

/**
 * The default export of a file of jobs/, or its `handler`. Its value is the job's result; an error makes it a failed attempt. The signal is
 * aborted when its time is over, the job was cancelled or is another worker's, or the service ends.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
export type JobHandler<Payload = any> = (job: Job<Payload>, more: { rowgate: ServiceClient; signal: AbortSignal }) => unknown;

/** A run of a scheduled job. */
export type CronRun = {
  jobId: string;
  /** Its slot, or the time at which it was asked for by hand; ISO 8601. */
  scheduledAt: string;
  manual: boolean;
  /** Adds a line to the logs of the run; what is no text as JSON. */
  log: (...given: unknown[]) => void;
  /** Aborted when its time is over, or the service ends. */
  signal: AbortSignal;
  rowgate: ServiceClient;
};

export type CronJob = {
  /** Minute, hour, day of the month, month, day of the week: 30 2 * * 1-5. */
  schedule: string;
  /** A zone of the IANA database; UTC by default. */
  timezone?: string;
  /** As people read it. */
  name: string;
  description?: string;
  enabled?: boolean;
  /** 300 by default; Infinity is no limit. */
  timeoutSeconds?: number;
  /** How old a missed slot may be that a start makes up for; none by default. */
  catchUpWindowSeconds?: number;
  /** Its value is the result of the run. */
  handler: (run: CronRun) => unknown;
};

/** The default export of a file of crons/. */
export function defineCron(job: CronJob): CronJob {
  return job;
}
