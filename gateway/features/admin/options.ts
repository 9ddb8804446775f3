import type { Mailbox } from '../../mail/mailbox.ts';
import type { RequireScope } from '../context.ts';
import type { AuditState } from './audit-state.ts';

export type AdminOptions = {
  requireScope: RequireScope;
  /** Undefined where no audit runs. */
  audit: () => AuditState | undefined;
  /** Undefined where mail is sent, and in production. */
  mailbox: Mailbox | undefined;
};
