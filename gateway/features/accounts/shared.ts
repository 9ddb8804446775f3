import type postgres from 'postgres';
import type { Config } from '../config.ts';
import type { SharedContext } from '../feature.ts';
import type { SettingsFile } from '../settings-file.ts';
import { BootError } from '../../error.ts';

type AccountHooks = NonNullable<NonNullable<SettingsFile['auth']>['hooks']>;

/** Tells the database which functions take part. @throws BootError for every one that is not there as it has to be. */
async function useAccountHooks(owner: postgres.Sql, hooks: AccountHooks): Promise<void> {
  const problems = await owner<{ hook: string; problem: string }[]>`
    select hook, problem from service_private.use_account_hooks(${JSON.stringify(hooks)}::text::jsonb) order by hook`;
  if (problems.length === 0) return;
  throw new BootError(problems.map(({ hook, problem }) => `auth.hooks.${hook} of the settings file: ${problem}.`).join('\n'));
}

export async function prepare({ config, database }: SharedContext): Promise<void> {
  await useAccountHooks(database.owner, hooksOf(config));
}

export function standing(config: Config): Record<string, unknown> {
  return { hooks: hooksOf(config) };
}

function hooksOf({ settingsFile }: Config): AccountHooks {
  return settingsFile.auth?.hooks ?? {};
}
