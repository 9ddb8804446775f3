import { secretVariables } from '../../../config/secret-files.ts';
import type { SettingsFile } from '../../settings-file.ts';
import { settingsIn } from '../../settings.ts';

/** Keys of the settings file whose values are secrets. */
const SECRET_KEYS = /^(?:secret|privateKey)$/;

/**
 * The environment without the settings of the service that are secrets: variables, those that name a file, those of a source of files, and
 * those that the settings file names.
 */
export function withoutSecrets(env: NodeJS.ProcessEnv, file: SettingsFile): NodeJS.ProcessEnv {
  const secrets = secretVariables(settingsIn(env));
  const named = new Set(variablesOf(file));
  const isSecret = (name: string) => named.has(name) || secrets.has(name) || secrets.has(name.split('__', 1)[0] ?? '');
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name)));
}

/** Variables that stand for secrets in the settings file: `{"secret": {"env": "NAME"}}`. */
function variablesOf(value: unknown, key = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { env } = value as { env?: unknown };
  if (SECRET_KEYS.test(key) && typeof env === 'string') return [env];
  return Object.entries(value).flatMap(([name, item]) => variablesOf(item, Array.isArray(value) ? key : name));
}
