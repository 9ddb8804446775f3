import type { Feature } from '../feature.ts';

/** Changes of the schema through the service. Its paths are in the row of the admin surface. */
export const schema: Feature = {
  name: 'schema',
  rows: [],
  isOn: ({ auth }) => auth === 'on',
  serving: () => import('./open.ts'),
};
