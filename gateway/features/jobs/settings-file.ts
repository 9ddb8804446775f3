import type { Report } from '../../json/form.ts';
import { mapOf, number, object, sqlFunction, whole } from '../../json/json-schema.ts';

/** The key `jobs` of the settings file. */
export type JobsSetting = {
  concurrency?: number;
  pollIntervalMs?: number;
  visibilityTimeoutMs?: number;
  maxAttempts?: number;
  succeededDays?: number;
  failedDays?: number;
  tasks?: Record<string, TaskSetting>;
};
export type TaskSetting = { function: string; maxAttempts?: number; timeoutSeconds?: number };

/** How many jobs at once, where the settings do not say. */
export const CONCURRENCY = 5;

const attempts = (description: string) => whole(description, 1, 1_000);
const days = (description: string) => whole(description, 0, 36_500);

/** In seconds. */
export const TIMEOUT = 300;

const task = {
  maxAttempts: attempts('Attempts of a job whose enqueuer named none.'),
  timeoutSeconds: number('How long an attempt may take (300).', { exclusiveMinimum: 0, maximum: 604_800 }),
};
/** The default export of a file, without its handler. */
export const fileSchema = object('', task);

export const jobsKeys = object('Work after the commit.', {
  concurrency: whole('How many jobs at once in a start (5).', 1, 1_000),
  pollIntervalMs: whole('How often it looks for jobs that nothing told of (2000).', 10, 3_600_000),
  visibilityTimeoutMs: whole('After how long without a word a worker counts as gone, where its session does not say (300000).',
    1_000, 604_800_000),
  maxAttempts: attempts('Attempts of a job, where neither its enqueuer nor its task says (3).'),
  succeededDays: days('How long jobs that succeeded are kept (3).'),
  failedDays: days('How long jobs that failed are kept (30).'),
  tasks: mapOf('Handlers in SQL, by the names of their tasks.', object('', {
    function: sqlFunction('(job jsonb) returns jsonb. It runs as the service, under row security.'),
    ...task,
  }, ['function'])),
});

/** Reports tasks with a name that none can have. */
export function validateJobs({ tasks = {} }: JobsSetting, report: Report): void {
  for (const task of Object.keys(tasks)) {
    if (task === '' || task.length > 255) report(`jobs.tasks.${task}`, 'must have a name of 1 to 255 characters');
    if (isOwn(task)) report(`jobs.tasks.${task}`, OWN);
  }
}

export const OWN = 'must not begin with service., as the service\'s own tasks do';

export function isOwn(task: string): boolean {
  return task.startsWith('service.');
}
