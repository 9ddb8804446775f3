import type { FeatureRow } from '../http/feature-table.ts';
import type { Config } from './config.ts';
import type { SwitchedRow } from './feature.ts';
import { FEATURES } from './index.ts';
import { settings } from './settings.ts';

/** The feature table of a service with these settings. */
export function featureRows(config: Config): FeatureRow[] {
  return FEATURES.flatMap(({ rows }) => rows).map(({ switch: name, ...row }: SwitchedRow) => name === undefined
    ? { ...row, isOn: true }
    : { ...row, setting: settings[name].name, isOn: config[name] !== false && config[name] !== 'off' });
}
