import type { Feature } from '../feature.ts';

/** Work after the commit: runs the jobs that features before it in the list, and the settings file, have handlers for. */
export const jobs: Feature = {
  name: 'jobs',
  rows: [],
  shared: () => import('./shared.ts'),
  serviceCalls: ({ settingsFile: { jobs = {} } }) => Object.keys(jobs.tasks ?? {}).length === 0 ? 0 : jobs.concurrency ?? CONCURRENCY,
};

/** How many jobs at once, where the settings do not say. */
export const CONCURRENCY = 5;
