import type { SharedContext } from '../feature.ts';
import { AUDITED } from './audit-state.ts';
import { scheduleAudit } from './schedule-audit.ts';

/** One process of a start audits; all of them show how it went. */
export function share({ config, database, bus, log }: SharedContext): Promise<() => Promise<void>> {
  if (!config.rlsAudit) return Promise.resolve(() => Promise.resolve());
  const end = scheduleAudit({ scan: database.audit, publish: state => { bus.publish(AUDITED, state); }, log });
  return Promise.resolve(() => Promise.resolve(end()));
}
