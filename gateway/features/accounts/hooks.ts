import type postgres from 'postgres';
import type { SettingsFile } from '../settings-file.ts';
import { BootError } from '../../error.ts';

export type AccountHooks = NonNullable<NonNullable<SettingsFile['auth']>['hooks']>;

/** Tells the database which functions take part. @throws BootError for every one that is not there as it has to be. */
export async function useAccountHooks(owner: postgres.Sql, hooks: AccountHooks): Promise<void> {
  const problems = await owner<{ hook: string; problem: string }[]>`
    select hook, problem from service_private.use_account_hooks(${JSON.stringify(hooks)}::text::jsonb) order by hook`;
  if (problems.length === 0) return;
  throw new BootError(problems.map(({ hook, problem }) => `auth.hooks.${hook} of the settings file: ${problem}.`).join('\n'));
}
