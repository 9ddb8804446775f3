import { type Feature } from '../../http/features.ts';

export const authFeatures: Feature[] = [{ feature: 'auth', paths: ['/auth', '/auth/*'], switch: 'auth', off: 'hidden' }];
