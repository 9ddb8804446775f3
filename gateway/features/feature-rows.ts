import type { FeatureRow } from '../http/feature-table.ts';
import type { Config } from './config.ts';
import type { SwitchedRow } from './feature.ts';
import { FEATURES } from './index.ts';
import { isServed } from './role.ts';
import { settings } from './settings.ts';

/** The feature table of a service with these settings. */
export function featureRows(config: Config): FeatureRow[] {
  return FEATURES.flatMap(feature =>
    feature.rows.map(row => isServed(feature, config) ? switched(row, config) : elsewhere(row)));
}

function switched({ switch: name, ...row }: SwitchedRow, config: Config): FeatureRow {
  if (name === undefined) return { ...row, isOn: true };
  return { ...row, setting: settings[name].name, isOn: config[name] !== false && config[name] !== 'off' };
}

/** A start of another role serves it. */
function elsewhere(row: SwitchedRow): FeatureRow {
  const message = `This start does not serve ${row.feature} (${settings.role.name}).`;
  return { ...row, setting: settings.role.name, isOn: false, off: { status: 501, code: 'FEATURE_DISABLED', message } };
}
