import type { Feature } from '../feature.ts';

/** Probes, in every process that listens. */
export const health: Feature = {
  name: 'health',
  rows: [],
  roles: ['all', 'api', 'functions', 'worker'],
  serving: () => import('./open.ts'),
};
