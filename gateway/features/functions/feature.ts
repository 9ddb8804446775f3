import { type Feature } from '../../http/features.ts';

export const functionsFeatures: Feature[] = [{ feature: 'functions', paths: ['/functions', '/functions/*'] }];
