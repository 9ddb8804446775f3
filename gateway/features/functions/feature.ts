import type { Feature } from '../feature.ts';

/** Code of the project: functions over HTTP, and handlers of jobs and schedules. */
export const functions: Feature = {
  name: 'functions',
  rows: [{ feature: 'functions', paths: ['/functions', '/functions/*'], built: true }],
  /** A start of the API passes them on. */
  roles: ({ functionsUpstream }) => functionsUpstream === undefined ? ['all', 'functions'] : ['all', 'functions', 'api'],
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
};
