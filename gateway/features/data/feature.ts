import type { Feature } from '../feature.ts';
import { HISTORY, REVERT } from './history-paths.ts';

/** Rows over HTTP. */
export const data: Feature = {
  name: 'data',
  rows: [{ feature: 'history', paths: [HISTORY, REVERT], switch: 'history', built: true }],
  lendsIn: ['functions'],
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
};
