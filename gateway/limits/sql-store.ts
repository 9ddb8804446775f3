import type { Lane, Statement } from '../database/lane.ts';
import { toApiError } from '../database/refusal.ts';
import type { RateStore } from './store.ts';

const TAKE: Statement = {
  text: 'select r.allowed, r.remaining, r.retry_after from service_private.take_request($1, $2) r', prepare: true, enterFirst: false,
};

/** Counts in the database, for all processes and gateways together. Without it nothing is allowed. */
export function sqlStore(lane: Lane): RateStore {
  return {
    async take(key, most) {
      const row = await lane.run(TAKE, [key, String(most)]).catch((error: unknown) => { throw toApiError(error, false); });
      const [allowed = '', remaining = '', retryAfter = ''] = row.map(value => value === null ? '' : Buffer.from(value).toString());
      return { allowed: allowed === 't', remaining: Number(remaining), retryAfter: Number(retryAfter) };
    },
  };
}
