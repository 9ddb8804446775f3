import { type Call } from '../../http/route.ts';
import { type Caller } from '../../identity/caller.ts';
import { type Mailbox } from '../../mail/mailbox.ts';
import { type SchemaOptions } from './schema/options.ts';
import { type UsersOptions } from './users/options.ts';

/** How the last look for holes in row security went: `result` is what service.audit() returned when it last succeeded. */
export type AuditState = { status: 'ok' | 'pending' | 'failed'; error?: string; result: object | null };

export type AdminOptions = {
  /** @throws ApiError 401 or 403 for whoever is no admin. */
  requireAdmin: (call: Call) => Promise<Caller>;
  /** Undefined where nobody looks. */
  audit: () => AuditState | undefined;
  /** Undefined where mail is sent, and in production. */
  mailbox: Mailbox | undefined;
  schema: SchemaOptions;
  users: UsersOptions;
  callerOf: (call: Call) => Caller | Promise<Caller>;
};
