import { topic } from '../../process/bus/topic.ts';
import type { Definition } from '../cron-job.ts';

/** The outcome of a trigger by hand. `log`, `job`: records as JSON. */
export type Triggered = { log: string; job: string } | { executing: string } | { refused: 'unknown' | 'unavailable' };

/** The jobs that this start has. */
export const CRON_JOBS = topic<readonly Definition[]>('cron.jobs', { isKept: true });
/** Runs a job now, by its id, in the process that schedules. */
export const TRIGGER = topic<string, Triggered>('cron.trigger');
