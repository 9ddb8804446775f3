import type { Config } from '../features/config.ts';
import { createLimits, type Limits } from '../limits/limits.ts';
import { memoryStore } from '../limits/memory-store.ts';
import { sqlStore } from '../limits/sql-store.ts';
import type { Database } from './database.ts';

/** Several processes count together, in the database. */
export function openLimits({ dataRateLimit, rateLimitStore }: Config, { lanes }: Database, isOneOfSeveral: boolean): Limits {
  return createLimits({ store: isOneOfSeveral || rateLimitStore === 'sql' ? sqlStore(lanes.write) : memoryStore(), dataRateLimit });
}
