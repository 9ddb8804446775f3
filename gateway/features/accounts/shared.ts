import type postgres from 'postgres';
import type { Config } from '../config.ts';
import { accountQuery } from '../../identity/accounts.ts';
import { createPasswords } from '../../identity/passwords.ts';
import { createPermissions } from '../../identity/permissions.ts';
import { REVOKED } from '../../identity/revoked.ts';
import type { Lent } from '../context.ts';
import type { LendContext, SharedContext } from '../feature.ts';
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

/** Accounts for files of the project that run beside requests. */
export async function lends({ config, database, bus, mail }: LendContext): Promise<Partial<Lent>> {
  const { ownRoutes } = await import('./users/own-routes.ts');
  const userRoutes = ownRoutes({
    config, mail, permissions: createPermissions(config), ask: accountQuery(database.accounts, !config.production),
    passwords: createPasswords(), revoked: uid => bus.announce(REVOKED, uid),
  });
  return { userRoutes };
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
