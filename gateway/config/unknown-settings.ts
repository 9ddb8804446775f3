import { closestMatch } from '../spelling.ts';
import { fileVariables } from './secret-files.ts';
import type { SettingsTable } from './read-settings.ts';
import type { Environment } from './setting.ts';

const PREFIX = 'SERVICE_';

/** One line for each variable that is named like one of the table and is not in it. */
export function unknownSettings(table: SettingsTable, env: Environment): string[] {
  const named = Object.values(table).flatMap(({ name, alias }) => alias === undefined ? [name] : [name, alias]);
  const names = new Set([...named, ...fileVariables(table)]);
  // The prefix would make all of them alike.
  const byOwnPart = new Map([...names].map(name => [ownPart(name), name]));
  return Object.keys(env)
    .filter(name => name.startsWith(PREFIX) && env[name]?.trim() !== '' && !names.has(name))
    .map(name => {
      const meant = byOwnPart.get(closestMatch(ownPart(name), [...byOwnPart.keys()]) ?? '');
      return `${name} is no setting of this version and has no effect.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
    });
}

function ownPart(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}
