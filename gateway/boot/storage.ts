import { type Logger } from 'pino';
import { type Config } from '../config/config.ts';
import { openLocalStore } from '../objects/local/local-store.ts';
import { DEFAULT_SOURCE, type Missing, type Source, type SourceList } from '../surfaces/storage/sources.ts';
import { requireAccessModel, storageRules } from './storage-rules.ts';

/**
 * The stores that the settings name.
 * @param isFirst of the processes of a start one looks for what a crash left, and says what is missing
 */
export async function openStorage(config: Config, { isFirst, log }: { isFirst: boolean; log: Logger }): Promise<SourceList> {
  const { storageType, storagePath, storageMaxFileSize: maxFileSize, storageAllowedMimeTypes: allowedMimeTypes } = config;
  const served: Source[] = [];
  const missing: Missing[] = [];
  const mayBeLocal = !config.production || config.forceLocalStorage;
  if (storageType === 'local' && mayBeLocal) {
    const store = await openLocalStore({ path: storagePath, cleans: isFirst });
    served.push({ key: DEFAULT_SOURCE, engine: 'local', store, maxFileSize, allowedMimeTypes });
  }
  if (served.length > 0 && isFirst) requireAccessModel(storageRules(config), config, log);
  return { served, missing, variable: storageType === 'local' ? 'FORCE_LOCAL_STORAGE' : 'S3_BUCKET' };
}
