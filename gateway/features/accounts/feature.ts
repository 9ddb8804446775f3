import type { Feature } from '../feature.ts';

/** Accounts: sign-in, sessions, second factors, API keys, and their management. */
export const accounts: Feature = {
  name: 'accounts',
  source: 'auth',
  rows: [
    { feature: 'auth', paths: ['/auth', '/auth/*'], switch: 'auth', off: 'hidden', built: true },
    { feature: 'sign-in by a mailed link', paths: ['/auth/magic-link', '/auth/magic-link/verify'], switch: 'authMagicLink', built: true },
    { feature: 'sign-in by a mailed code', paths: ['/auth/otp', '/auth/otp/verify'], switch: 'authEmailOtp', built: true },
    { feature: 'looking people up by their address', paths: ['/auth/find-user'], switch: 'authAllowUserLookup', built: true },
  ],
  isOn: ({ auth }) => auth === 'on',
  lendsIn: ['functions'],
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
};
