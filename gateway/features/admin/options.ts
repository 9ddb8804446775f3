import { type AdminScope } from '../../config/scopes.ts';
import { type Call } from '../../http/route.ts';
import { type Caller } from '../../identity/caller.ts';
import { type Mailbox } from '../../mail/mailbox.ts';
import { type KeysOptions } from '../accounts/keys/options.ts';
import { type SchemaOptions } from '../schema/options.ts';
import { type UsersOptions } from '../accounts/users/options.ts';

/** How the last look for holes in row security went: `result` is what service.audit() returned when it last succeeded. */
export type AuditState = { status: 'ok' | 'pending' | 'failed'; error?: string; result: object | null };

/** Who it is. @throws ApiError 401 or 403 for whoever lacks the scope. */
export type RequireScope = (call: Call, scope: AdminScope) => Promise<Caller>;

export type AdminOptions = {
  requireScope: RequireScope;
  /** Undefined where nobody looks. */
  audit: () => AuditState | undefined;
  /** Undefined where mail is sent, and in production. */
  mailbox: Mailbox | undefined;
  schema: SchemaOptions;
  users: UsersOptions;
  keys: KeysOptions;
  callerOf: (call: Call) => Caller | Promise<Caller>;
};
