import type { FeatureRow } from '../http/feature-table.ts';
import type { Config } from './config.ts';
import type { SwitchedRow } from './feature.ts';
import { FEATURES } from './index.ts';
import { isServed } from './role.ts';
import { settings } from './settings.ts';
import { lacking } from './switches.ts';

/** The feature table of a service with these settings. */
export function featureRows(config: Config): FeatureRow[] {
  return FEATURES.flatMap(feature =>
    feature.rows.map(row => isServed(feature, config) ? switched(row, config) : elsewhere(row)));
}

function switched({ switch: named = [], ...row }: SwitchedRow, config: Config): FeatureRow {
  const names = typeof named === 'string' ? [named] : named;
  const setting = lacking(names, config);
  const [first] = names;
  return { ...row, ...(first !== undefined && { setting: setting ?? settings[first].name }), isOn: setting === undefined };
}

/** A start of another role serves it. */
function elsewhere(row: SwitchedRow): FeatureRow {
  const message = `This start does not serve ${row.feature} (${settings.role.name}).`;
  return { ...row, setting: settings.role.name, isOn: false, off: { status: 501, code: 'FEATURE_DISABLED', message } };
}
