import type { Feature } from '../feature.ts';

/** Work after the commit: claims the jobs that features before it in the list have handlers for. */
export const jobs: Feature = {
  name: 'jobs',
  rows: [],
  serving: () => import('./open.ts'),
};
