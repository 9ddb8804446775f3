import type { Feature } from '../feature.ts';

/** Work after the commit: runs the jobs that features before it in the list, and the settings file, have handlers for. */
export const jobs: Feature = {
  name: 'jobs',
  rows: [],
  shared: () => import('./shared.ts'),
  commands: {
    jobs: {
      does: 'print the jobs that run, wait, come next and have failed',
      flags: { json: { type: 'boolean', does: 'as the JSON object that service.jobs_report() returns' } },
      run: async ({ flags: { json } }, askProject) => (await import('./command.ts')).jobsCommand({ json: json === true }, askProject),
    },
  },
  serviceCalls: ({ settingsFile: { jobs = {} } }) => Object.keys(jobs.tasks ?? {}).length === 0 ? 0 : jobs.concurrency ?? CONCURRENCY,
};

/** How many jobs at once, where the settings do not say. */
export const CONCURRENCY = 5;
