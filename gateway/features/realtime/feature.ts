import { type Feature } from '../../http/features.ts';

export const realtimeFeatures: Feature[] = [{ feature: 'realtime', paths: [], upgrades: true, switch: 'realtimeCdc', built: true }];
