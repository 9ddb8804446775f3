import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import type { AuditState } from './audit-state.ts';
import { mailboxRoutes } from './dev-emails.ts';
import type { AdminOptions } from './options.ts';

export function adminRoutes({ requireScope, audit, mailbox }: AdminOptions): Route[] {
  return [{ method: 'GET', path: '/admin/rls-audit', handle: rlsAudit }, ...mailboxRoutes(requireScope, mailbox)];

  async function rlsAudit(call: Call): Promise<Reply> {
    await requireScope(call, 'schema:read');
    return privateReply(shown(audit()));
  }
}

function shown(state: AuditState | undefined): object {
  return state === undefined ? { enabled: false, reason: 'SERVICE_RLS_AUDIT is not true.' } : { enabled: true, ...state };
}
