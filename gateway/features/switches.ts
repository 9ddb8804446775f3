import type { Config } from './config.ts';
import type { Switch } from './feature.ts';
import { settings } from './settings.ts';

/** The variable of the first of these settings that is off, or not set. */
export function lacking(names: readonly (Switch | 'publicUrl')[], config: Config): string | undefined {
  const off = names.find(name => [false, 'off', undefined].includes(config[name]));
  return off && settings[off].name;
}
