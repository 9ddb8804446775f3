import type { Feature } from '../feature.ts';

/** Counts of requests and of what they need, for Prometheus, in every process that listens. */
export const metrics: Feature = {
  name: 'metrics',
  rows: [
    { feature: 'metrics', root: true, paths: ['/metrics', '/metrics/history'], switch: 'metrics', built: true },
  ],
  roles: ['all', 'api', 'functions', 'worker'],
  isOn: ({ metrics }) => metrics,
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
};
