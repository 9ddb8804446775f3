import type { Context } from '../../context.ts';
import type { RoutesFor } from '../../route-answers.ts';
import { usersRoutes } from './routes.ts';

type Own = Pick<Context, 'config' | 'permissions' | 'ask' | 'passwords' | 'revoked' | 'mail'>;

/** The routes of accounts for requests that no client makes. */
export function ownRoutes({ config: { production }, permissions, ask, passwords, revoked, mail }: Own): RoutesFor {
  return caller => usersRoutes({
    callerOf: caller,
    requireScope: (call, scope) => Promise.resolve(permissions.require(caller(call), scope)),
  }, { ask, passwords, revoked, permissions, mail, production });
}
