import { type Feature } from '../../http/features.ts';

const contractUnavailable = {
  status: 404,
  code: 'CONTRACT_UNAVAILABLE',
  message: 'The contract is served only with authentication, which is switched off (SERVICE_AUTH).',
};

export const metaFeatures: Feature[] = [
  { feature: 'contract', paths: ['/meta/contract'], switch: 'auth', off: contractUnavailable, built: true },
  { feature: 'swagger', paths: ['/swagger', '/swagger/*'], switch: 'swagger', built: true },
  { feature: 'metrics', root: true, paths: ['/metrics', '/metrics/history'], switch: 'metrics' },
];
