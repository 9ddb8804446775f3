import type { Feature } from '../feature.ts';

const contractUnavailable = {
  status: 404,
  code: 'CONTRACT_UNAVAILABLE' as const,
  message: 'The contract is served only with authentication, which is switched off (SERVICE_AUTH).',
};

/** The service's description of itself: the API document, the contract, the explorer, the start page. */
export const meta: Feature = {
  name: 'meta',
  rows: [
    { feature: 'contract', paths: ['/meta/contract'], switch: 'auth', off: contractUnavailable, built: true },
    { feature: 'swagger', paths: ['/swagger', '/swagger/*'], switch: 'swagger', built: true },
  ],
  serving: () => import('./open.ts'),
};
