import { closestMatch } from '../spelling.ts';
import { fileVariables } from './secret-files.ts';
import { settings, type Environment, type Setting } from './settings.ts';

const PREFIX = 'SERVICE_';

/** One line for each variable that is named like one of ours and is none. */
export function unknownSettings(env: Environment): string[] {
  return Object.keys(env)
    .filter(name => name.startsWith(PREFIX) && env[name]?.trim() !== '' && !names.has(name))
    .map(name => `${name} is no setting of this version, nobody reads it.${suggestion(name)}`);
}

const ours = Object.values<Setting<unknown, unknown>>(settings);
const names = new Set([...ours.flatMap(({ name, alias }) => alias === undefined ? [name] : [name, alias]), ...fileVariables]);
/** What most have in common would make them all alike. */
const byOwnPart = new Map([...names].map(name => [ownPart(name), name]));

function ownPart(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

function suggestion(name: string): string {
  const found = byOwnPart.get(closestMatch(ownPart(name), [...byOwnPart.keys()]) ?? '');
  return found === undefined ? '' : ` Did you mean ${found}?`;
}
