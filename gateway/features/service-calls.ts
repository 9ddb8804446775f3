import type { Config } from './config.ts';
import { FEATURES } from './index.ts';

/** How many functions of the project the features that are on call as the service at once. */
export function serviceCalls(config: Config): number {
  return FEATURES.reduce((sum, { isOn, serviceCalls }) => sum + (isOn?.(config) === false ? 0 : serviceCalls?.(config) ?? 0), 0);
}
