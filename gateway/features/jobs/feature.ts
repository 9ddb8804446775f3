import type { Feature } from '../feature.ts';
import { runsJobs } from '../role.ts';
import { CONCURRENCY } from './settings-file.ts';

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
  serviceCalls: config => runsJobs(config) && config.settingsFile.jobs?.tasks !== undefined
    ? config.settingsFile.jobs.concurrency ?? CONCURRENCY : 0,
};
