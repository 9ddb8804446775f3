import type { Feature } from '../feature.ts';
import { HISTORY_ROW } from './history-paths.ts';

/** Rows over HTTP. */
export const data: Feature = {
  name: 'data',
  rows: [{ ...HISTORY_ROW, switch: 'history' }],
  lendsIn: ['functions'],
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
};
