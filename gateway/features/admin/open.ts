import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { AUDITED, type AuditState } from './audit-state.ts';
import { adminRoutes } from './routes.ts';

export function open({ config, requireScope, mailbox, bus }: Context): Opened {
  let audited: AuditState = { status: 'pending', result: null };
  const end = bus.subscribe(AUDITED, state => { audited = state; });
  return {
    routes: adminRoutes({ requireScope, audit: () => config.rlsAudit ? audited : undefined, mailbox }),
    close: () => Promise.resolve(end()),
  };
}
