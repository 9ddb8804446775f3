import { privateReply } from '../../http/private-reply.ts';
import { type Call, type Reply, type Route } from '../../http/route.ts';
import { mailboxRoutes } from './dev-emails.ts';
import { keysRoutes } from '../accounts/keys/routes.ts';
import { type AdminOptions, type AuditState } from './options.ts';
import { usersRoutes } from '../accounts/users/routes.ts';
import { schemaRoutes } from '../schema/routes.ts';

export function adminRoutes({ requireScope, callerOf, audit, mailbox, schema, users, keys }: AdminOptions): Route[] {
  return [
    { method: 'GET', path: '/admin/rls-audit', handle: rlsAudit },
    ...mailboxRoutes(requireScope, mailbox),
    ...schemaRoutes(requireScope, schema),
    ...usersRoutes({ requireScope, callerOf }, users),
    ...keysRoutes(requireScope, keys),
  ];

  async function rlsAudit(call: Call): Promise<Reply> {
    await requireScope(call, 'schema:read');
    return privateReply(shown(audit()));
  }
}

function shown(state: AuditState | undefined): object {
  return state === undefined ? { enabled: false, reason: 'SERVICE_RLS_AUDIT is not true.' } : { enabled: true, ...state };
}
