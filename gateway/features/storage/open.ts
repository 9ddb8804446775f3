import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { DEFAULT_SOURCE } from '../../blobs/store.ts';
import { openStores } from './stores.ts';
import type { Route } from '../../http/route.ts';
import { notConfigured } from './sources.ts';

export async function open(context: Context): Promise<Opened> {
  const sources = await openStores(context.config, context);
  const storageSources = [DEFAULT_SOURCE, ...[...sources.served, ...sources.missing].map(({ key }) => key)];
  const lends = { storageSources };
  if (sources.served.length === 0) return { routes: noStorageRoutes(sources.variable), lends };
  return { ...await (await import('./serve-files.ts')).serveFiles(context, sources), lends };
}

/** The routes of a deployment without storage. */
function noStorageRoutes(variable: string): Route[] {
  const handle = () => { throw notConfigured(variable); };
  return ['/storage', '/storage/*'].map(path => ({ method: 'ANY', path, handle }));
}
