import type { Feature } from '../feature.ts';

/** Functions of the project over HTTP. */
export const functions: Feature = {
  name: 'functions',
  rows: [{ feature: 'functions', paths: ['/functions', '/functions/*'], built: true }],
  /** A start of the API passes them on. */
  roles: ({ functionsUpstream }) => functionsUpstream === undefined ? ['all', 'functions'] : ['all', 'functions', 'api'],
  serving: () => import('./open.ts'),
};
