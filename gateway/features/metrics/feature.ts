import type { Feature } from '../feature.ts';

/** Counts of requests and of what they need, for Prometheus, in every process that listens. */
export const metrics: Feature = {
  name: 'metrics',
  rows: [
    { feature: 'metrics', root: true, paths: ['/metrics'], switch: 'metrics', built: true },
    { feature: 'metrics', root: true, paths: ['/metrics/history'], switch: 'metrics' },
  ],
  roles: ['all', 'api', 'functions', 'worker'],
  isOn: ({ metrics }) => metrics,
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
};
