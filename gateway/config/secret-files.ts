import { readFileSync } from 'node:fs';
import type { SettingsTable } from './read-settings.ts';
import type { Environment } from './setting.ts';

/**
 * The environment with the secrets that it names files of, as container engines mount them: JWT_SECRET_FILE for JWT_SECRET. A problem never
 * quotes the file name, because a variable that is mistaken for the other contains the secret.
 */
export function withSecretFiles(table: SettingsTable, env: Environment, problems: string[]): Environment {
  const found: Record<string, string> = {};
  for (const name of secretNames(table)) {
    const file = env[fileVariable(name)]?.trim() ?? '';
    if (file === '') continue;
    if ((env[name]?.trim() ?? '') !== '') problems.push(`${name} and ${fileVariable(name)} are both set.`);
    else found[name] = readSecret(fileVariable(name), file, problems);
  }
  return { ...env, ...found };
}

/** The variable that names the file of another one. */
function fileVariable(name: string): string {
  return `${name}_FILE`;
}

function secretNames(table: SettingsTable): string[] {
  const secrets = Object.values(table).filter(({ value }) => value.secret);
  return secrets.flatMap(({ name, alias }) => alias === undefined ? [name] : [name, alias]);
}

export function fileVariables(table: SettingsTable): string[] {
  return secretNames(table).map(fileVariable);
}

/** Every variable that holds a secret, or the name of a file with one. */
export function secretVariables(table: SettingsTable): ReadonlySet<string> {
  return new Set([...secretNames(table), ...fileVariables(table)]);
}

function readSecret(variable: string, file: string, problems: string[]): string {
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret === '') problems.push(`${variable} names an empty file.`);
    return secret;
  } catch (error) {
    problems.push(`${variable} names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
    return '';
  }
}
