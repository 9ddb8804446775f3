import { type Feature } from '../../http/features.ts';

export const HISTORY = '/data/:slug/:id/history';
export const REVERT = `${HISTORY}/:historyId/revert`;

export const dataFeatures: Feature[] = [{ feature: 'history', paths: [HISTORY, REVERT], switch: 'history', built: true }];
