import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { DEFAULT_SOURCE } from '../../blobs/store.ts';
import { isServed } from '../role.ts';
import { lazyRoutes } from './lazy-routes.ts';
import { openStores } from './stores.ts';
import type { Route } from '../../http/route.ts';
import { notConfigured } from './sources.ts';

export async function open(context: Context): Promise<Opened> {
  if (!isServed({}, context.config)) return { lends: { storageRoutes: lazyRoutes(context) } };
  const sources = await openStores(context.config, context);
  const storageSources = [DEFAULT_SOURCE, ...[...sources.served, ...sources.missing].map(({ key }) => key)];
  if (sources.served.length === 0) {
    const routes = noStorageRoutes(sources.variable);
    return { routes, lends: { storageSources, storageRoutes: () => routes } };
  }
  const { lends, ...opened } = await (await import('./serve-files.ts')).serveFiles(context, sources);
  return { ...opened, lends: { ...lends, storageSources } };
}

/** The routes of a deployment without storage. */
function noStorageRoutes(variable: string): Route[] {
  const handle = () => { throw notConfigured(variable); };
  return ['/storage', '/storage/*'].map(path => ({ method: 'ANY', path, handle }));
}
