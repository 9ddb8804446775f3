import { type Feature } from '../../http/features.ts';

export const storageFeatures: Feature[] = [{ feature: 'storage', paths: ['/storage', '/storage/*'], built: true }];
