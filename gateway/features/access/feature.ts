import type { Feature } from '../feature.ts';

/** Why a caller may, or may not: requests tried as another caller, and undone. Its paths are in the row of the admin surface. */
export const access: Feature = {
  name: 'access',
  rows: [],
  isOn: ({ auth }) => auth === 'on',
  serving: () => import('./open.ts'),
};
