import { readFileSync } from 'node:fs';
import { settings, type Environment, type Setting } from './settings.ts';

/**
 * The environment with the secrets that it names files of, as container engines mount them: JWT_SECRET_FILE for JWT_SECRET.
 * A problem never says which file: who mistakes one name for the other has put the secret there.
 */
export function withSecretFiles(env: Environment, problems: string[]): Environment {
  const found: Record<string, string> = {};
  for (const name of SECRETS) {
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

const SECRETS = Object.values<Setting<unknown, unknown>>(settings)
  .filter(({ value }) => value.secret)
  .flatMap(({ name, alias }) => alias === undefined ? [name] : [name, alias]);

export const fileVariables: readonly string[] = SECRETS.map(fileVariable);

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
