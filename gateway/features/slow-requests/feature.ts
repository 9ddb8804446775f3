import type { Feature } from '../feature.ts';

/** Slow requests in the log, and by their shapes in service.slow_requests. */
export const slowRequests: Feature = {
  name: 'slow-requests',
  source: 'api',
  rows: [],
  roles: ['all', 'api', 'functions', 'worker'],
  isOn: ({ slowRequest }) => slowRequest > 0,
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
};
