import { type Feature } from '../../http/features.ts';

export const authFeatures: Feature[] = [
  { feature: 'auth', paths: ['/auth', '/auth/*'], switch: 'auth', off: 'hidden' },
  { feature: 'looking people up by their address', paths: ['/auth/find-user'], switch: 'authAllowUserLookup', built: true },
];
