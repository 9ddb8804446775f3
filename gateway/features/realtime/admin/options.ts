import type { Logger } from 'pino';
import type { AdminScope } from '../../../config/scopes.ts';
import type { AccountQuery } from '../../../identity/accounts.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { Permissions } from '../../../identity/permissions.ts';

export type AdminFramesOptions = {
  /** The owner's, past any pooler. */
  url: string;
  /** Whether the server is the embedded one, which has no branches. */
  isEmbedded: boolean;
  requireScope: (caller: Caller, scope: AdminScope) => Caller;
  /** Roles that the project declares. */
  roles: Permissions['roles'];
  /** The owner's statements. */
  ask: AccountQuery;
  /** Bytes of an answer. */
  mostBytes: number;
  log: Logger;
};
