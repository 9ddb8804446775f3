import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { Config } from '../config.ts';
import type { StorageSetting } from './settings-file.ts';
import { BootError } from '../../error.ts';

/** The rules of who may use files: the settings file, and the variables that stand in where it has none. */
export type StorageRules = StorageSetting & { publicRead: boolean; allowAnyAuthenticated: boolean; authRequired: boolean };

export function storageRules({ settingsFile, storagePublicRead, storageAllowAnyAuthenticated, authRequire }: Config): StorageRules {
  const { authorize, policies, triggers } = settingsFile.storage ?? {};
  return {
    ...(authorize !== undefined && { authorize }), ...(policies && { policies }), ...(triggers && { triggers }),
    publicRead: storagePublicRead, allowAnyAuthenticated: storageAllowAnyAuthenticated, authRequired: authRequire,
  };
}

/** Stores the rules of files in the database. @throws BootError for every rule that cannot be followed. */
export async function useStorageRules(owner: postgres.Sql | postgres.TransactionSql, rules: StorageRules): Promise<void> {
  const problems = await owner<{ path: string; problem: string }[]>`
    select path, problem from service_private.use_storage_rules(${JSON.stringify(rules)}::text::jsonb) order by path`;
  if (problems.length === 0) return;
  throw new BootError(problems.map(({ path, problem }) => `storage.${path} of the settings file: ${problem}.`).join('\n'));
}

/** Called where there is a store. @throws BootError in production, where no rule says who may use files. */
export function requireAccessModel(rules: StorageRules, { production }: Pick<Config, 'production'>, log: Logger): void {
  const { authorize, policies = [], publicRead, allowAnyAuthenticated } = rules;
  if (authorize !== undefined || policies.length > 0 || publicRead || allowAnyAuthenticated) return;
  const missing = 'Nothing says who may do what with files: set storage.authorize or storage.policies in the settings file, '
    + 'STORAGE_PUBLIC_READ, or STORAGE_ALLOW_ANY_AUTHENTICATED=true.';
  if (production) throw new BootError(missing);
  log.warn(`${missing} Until then every signed-in caller may do everything; in production the service would not start.`);
}
