import { access } from './access/feature.ts';
import { accounts } from './accounts/feature.ts';
import { admin } from './admin/feature.ts';
import { backups } from './backups/feature.ts';
import { cron } from './cron/feature.ts';
import { data } from './data/feature.ts';
import type { Feature } from './feature.ts';
import { functions } from './functions/feature.ts';
import { health } from './health/feature.ts';
import { jobs } from './jobs/feature.ts';
import { logs } from './logs/feature.ts';
import { mcp } from './mcp/feature.ts';
import { meta } from './meta/feature.ts';
import { metrics } from './metrics/feature.ts';
import { oauth } from './oauth/feature.ts';
import { realtime } from './realtime/feature.ts';
import { schema } from './schema/feature.ts';
import { slowRequests } from './slow-requests/feature.ts';
import { storage } from './storage/feature.ts';
import { webhooks } from './webhooks/feature.ts';

/** Every feature, in the order in which they open; they close in the reverse order. */
export const FEATURES: readonly Feature[] = [
  health, meta, data, storage, accounts, schema, admin, access, realtime, functions, mcp, oauth, backups, cron, webhooks, jobs,
  metrics, slowRequests, logs,
];
