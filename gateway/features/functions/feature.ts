import type { Feature } from '../feature.ts';

/** Functions of the project over HTTP. */
export const functions: Feature = {
  name: 'functions',
  rows: [{ feature: 'functions', paths: ['/functions', '/functions/*'], built: true }],
  roles: ['all', 'functions'],
  serving: () => import('./open.ts'),
};
