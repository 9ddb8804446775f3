import { type Logger } from 'pino';
import { REMOVE_UNNAMED, removeUnnamed } from '../jobs/remove-unnamed.ts';
import { openWorker, type Worker } from '../jobs/worker.ts';
import { type Source } from '../surfaces/storage/sources.ts';
import { type Database } from './database.ts';

/** What the service does later, where there is something to do it with. */
export function openJobs({ accounts: ask, lanes }: Database, sources: readonly Source[], log: Logger): Worker | undefined {
  if (sources.length === 0) return undefined;
  const storeOf = (storageId: string) => sources.find(({ key }) => key === storageId)?.store;
  return openWorker({ ask, handlers: { [REMOVE_UNNAMED]: removeUnnamed({ ask, lane: lanes.write, storeOf }) }, log });
}
