import type { Context, RequireScope } from '../context.ts';
import type { Opened } from '../feature.ts';
import { AUDITED, type AuditState } from './audit-state.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { mailboxRoutes } from './dev-emails.ts';
import type { Mailbox } from '../../mail/mailbox.ts';

type AdminOptions = {
  requireScope: RequireScope;
  /** Undefined where no audit runs. */
  audit: () => AuditState | undefined;
  /** Rules that edits of the schema are validated against. */
  mailbox: Mailbox | undefined;
};

function adminRoutes({ requireScope, audit, mailbox }: AdminOptions): Route[] {
  return [{ method: 'GET', path: '/admin/rls-audit', handle: rlsAudit }, ...mailboxRoutes(requireScope, mailbox)];

  async function rlsAudit(call: Call): Promise<Reply> {
    await requireScope(call, 'schema:read');
    return privateReply(shown(audit()));
  }
}

function shown(state: AuditState | undefined): object {
  return state === undefined ? { enabled: false, reason: 'SERVICE_RLS_AUDIT is not true.' } : { enabled: true, ...state };
}

export function open({ config, requireScope, mailbox, bus }: Context): Opened {
  let audited: AuditState = { status: 'pending', result: null };
  const end = bus.subscribe(AUDITED, state => { audited = state; });
  return {
    routes: adminRoutes({ requireScope, audit: () => config.rlsAudit ? audited : undefined, mailbox }),
    close: () => Promise.resolve(end()),
  };
}
