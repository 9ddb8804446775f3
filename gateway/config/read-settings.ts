import type { Environment, Setting } from './setting.ts';
import type { SharedSettingsFile } from './settings-file/type.ts';
import { isOurExample } from './weak-secrets.ts';

/** Settings by their names in the configuration. */
export type SettingsTable = Readonly<Record<string, Setting<unknown, unknown>>>;
export type Values<Table> = { readonly [Key in keyof Table]: Table[Key] extends Setting<infer T, infer Unset> ? T | Unset : never };

/** Reads the value of each setting; a variable goes before the key of the settings file. Adds a line for each one that cannot be read. */
export function readSettings<Table extends SettingsTable>(
  table: Table, env: Environment, file: SharedSettingsFile, problems: string[],
): Values<Table> {
  const entries = Object.entries(table).map(([key, setting]) => [key, readSetting(setting, env, file, problems)]);
  return Object.fromEntries(entries) as Values<Table>;
}

function readSetting(setting: Setting<unknown, unknown>, env: Environment, file: SharedSettingsFile, problems: string[]): unknown {
  const name = givenName(setting, env);
  const ofEnv = textOf(env, name);
  const given = ofEnv || (setting.key === undefined ? '' : textAt(file, setting.key));
  if (given === '') return setting.unset;
  const value = setting.value.read(given);
  const label = ofEnv === '' && setting.key !== undefined ? `${setting.key} of the settings file` : name;
  if (value === undefined) problems.push(`${label} must be ${setting.value.expected}.`);
  return value ?? setting.unset;
}

/** The text that a variable would have. */
function textAt(file: SharedSettingsFile, key: string): string {
  const found = key.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], file);
  if (typeof found === 'string') return found;
  return found === undefined ? '' : JSON.stringify(found);
}

function givenName({ name, alias }: Setting<unknown, unknown>, env: Environment): string {
  return alias !== undefined && textOf(env, name) === '' && textOf(env, alias) !== '' ? alias : name;
}

/** A blank value is unset: compose files and shells pass `NAME=` for a variable that was not filled in. */
export function textOf(env: Environment, name: string): string {
  return env[name]?.trim() ?? '';
}

/** The names of the variables that are set. */
export function givenNames(table: SettingsTable, env: Environment): string[] {
  return Object.values(table).map(({ name }) => name).filter(name => textOf(env, name) !== '');
}

/** A line for each variable that contradicts its other name. */
export function contradictingAliases(table: SettingsTable, env: Environment): string[] {
  return Object.values(table).flatMap(({ name, alias = name }) => {
    const [text, other] = [textOf(env, name), textOf(env, alias)];
    return text !== '' && other !== '' && text !== other ? [`${name} and ${alias} are one setting, but their values differ.`] : [];
  });
}

/** A line for each setting that production lacks, or has from our examples. */
export function missingInProduction(table: SettingsTable, env: Environment): string[] {
  const settings = Object.values(table);
  const missing = settings.filter(setting => setting.production === 'required' && textOf(env, givenName(setting, env)) === '');
  const examples = settings.filter(({ value }) => value.secret).map(setting => givenName(setting, env))
    .filter(name => isOurExample(textOf(env, name)));
  return [
    ...missing.map(({ name }) => `${name} is required in production.`),
    ...examples.map(name => `${name} is the one of docker-compose.yml, which everyone can read. Production needs one of its own.`),
  ];
}
