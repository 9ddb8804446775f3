import { type Call, type Reply, type Route } from '../../http/route.ts';
import { type AdminOptions, type AuditState } from './options.ts';
import { schemaRoutes } from './schema/routes.ts';

export function adminRoutes({ requireAdmin, audit, schema }: AdminOptions): Route[] {
  return [{ method: 'GET', path: '/admin/rls-audit', handle: rlsAudit }, ...schemaRoutes(requireAdmin, schema)];

  async function rlsAudit(call: Call): Promise<Reply> {
    await requireAdmin(call);
    return { headers: { 'Cache-Control': 'no-store' }, body: JSON.stringify(shown(audit())) };
  }
}

function shown(state: AuditState | undefined): object {
  return state === undefined ? { enabled: false, reason: 'SERVICE_RLS_AUDIT is not true.' } : { enabled: true, ...state };
}
