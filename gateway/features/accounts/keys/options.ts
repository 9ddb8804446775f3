import type { AccountQuery } from '../../../identity/accounts.ts';
import type { Permissions } from '../../../identity/permissions.ts';
import type { Targets } from './validate-scopes.ts';

export type KeysOptions = {
  ask: AccountQuery;
  permissions: Permissions;
  /** Resolves when nobody of this start takes the key for what it was. */
  revoked: (uid: string) => Promise<void>;
  /** What keys can be narrowed to. */
  targets: () => Targets;
};
