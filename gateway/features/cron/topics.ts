import { topic } from '../../process/bus/topic.ts';
import type { Definition } from '../cron-job.ts';
import type { Rejected } from './file-jobs.ts';

/** The outcome of a trigger by hand. `log`, `job`: records as JSON. */
export type Triggered = { log: string; job: string } | { executing: string } | { refused: 'unknown' | 'unavailable' };

/** The jobs that this start has, the files that are none because of a fault, and how many are no such files. */
export type Defined = { jobs: readonly Definition[]; rejected: readonly Rejected[]; skipped: number };

export const CRON_JOBS = topic<Defined>('cron.jobs', { isKept: true });
/** Runs a job now, by its id, in the process that schedules. */
export const TRIGGER = topic<string, Triggered>('cron.trigger');
