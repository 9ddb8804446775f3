import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { StorageSourceSettings } from './storage-sources.ts';
import { openLocalStore } from '../../blobs/local/local-store.ts';
import type { ResumableStore } from '../../blobs/resumable.ts';
import type { RemoteStore } from '../../blobs/s3/store.ts';
import type { Missing, Source, SourceList } from './sources.ts';
import { requireAccessModel, storageRules } from './rules.ts';

/**
 * The stores that the settings name.
 * @param isFirst of the processes of a start one looks for what a crash left, and says what is missing
 */
export async function openStores(config: Config, { isFirst, log }: { isFirst: boolean; log: Logger }): Promise<SourceList> {
  const served: Source[] = [];
  const missing: Missing[] = [];
  for (const settings of config.storageSources) {
    const { key, label, engine, maxFileSize, allowedMimeTypes } = settings;
    if ('missing' in settings) {
      missing.push({ key, engine, label, variable: settings.missing });
      continue;
    }
    if (isFirst && settings.instead) log.warn(`The storage source ${key} (${settings.instead}) has no bucket: a local folder stands in.`);
    served.push({ key, engine, label, maxFileSize, allowedMimeTypes, store: await open(settings, isFirst, log) });
  }
  if (served.length > 0 && isFirst) requireAccessModel(storageRules(config), config, log);
  return { served, missing, variable: missing[0]?.variable ?? 'S3_BUCKET' };
}

type Placed = Exclude<StorageSourceSettings, { missing: string }>;

async function open(settings: Placed, isFirst: boolean, log: Logger): Promise<ResumableStore> {
  if (settings.engine === 'local') return openLocalStore({ path: settings.path, cleans: isFirst });
  const store = await openRemote(settings);
  if (isFirst) sweep(store, settings.key, log);
  return store;
}

/** The SDK of remote stores takes 15 MiB and is loaded only where there is one. */
async function openRemote(settings: Exclude<Placed, { engine: 'local' }>): Promise<RemoteStore> {
  if (settings.engine === 'gcs') return (await import('../../blobs/gcs/store.ts')).gcsStore(settings.gcs);
  const [{ connectS3 }, { remoteStore }] = await Promise.all([import('../../blobs/s3/connection.ts'), import('../../blobs/s3/store.ts')]);
  return remoteStore('s3', connectS3(settings.s3), settings.s3.bucket);
}

/** A store that is away is not waited for. */
function sweep(store: RemoteStore, key: string, log: Logger): void {
  const said = `What uploads left in ${key} could not be looked for.`;
  store.sweep().catch((error: unknown) => log.warn({ err: (error as Error).cause }, said));
}
