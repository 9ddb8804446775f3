import type { Feature } from '../feature.ts';

/** Changes of rows that are sent to HTTP receivers, by jobs. */
export const webhooks: Feature = {
  name: 'webhooks',
  rows: [],
  shared: () => import('./shared.ts'),
};
