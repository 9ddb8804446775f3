import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { noStorageRoutes } from './no-storage.ts';
import { DEFAULT_SOURCE } from '../../blobs/store.ts';
import { openStores } from './stores.ts';

export async function open(context: Context): Promise<Opened> {
  const sources = await openStores(context.config, context);
  const storageSources = [DEFAULT_SOURCE, ...[...sources.served, ...sources.missing].map(({ key }) => key)];
  const lends = { storageSources };
  if (sources.served.length === 0) return { routes: noStorageRoutes(sources.variable), lends };
  return { ...await (await import('./serve-files.ts')).serveFiles(context, sources), lends };
}
