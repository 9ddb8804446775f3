import type { Values } from '../../config/read-settings.ts';
import { dataSettings } from './settings.ts';

const BOUNDS = [['defaultListLimit', 'maxListLimit'], ['defaultIncludeLimit', 'maxIncludeLimit']] as const;

/** A line for each default that is above its maximum. */
export function dataConflicts(settings: Values<typeof dataSettings>): string[] {
  return BOUNDS.filter(([fallback, most]) => settings[fallback] > settings[most]).map(([fallback, most]) =>
    `${dataSettings[fallback].name} (${settings[fallback]}) must not be above ${dataSettings[most].name} (${settings[most]}).`);
}
