import type { Context } from '../context.ts';
import type { RoutesFor } from '../route-answers.ts';
import { notConfigured } from './sources.ts';
import { openStores } from './stores.ts';

/**
 * The routes of files where the service alone asks for them. The stores are opened with the first request: most starts have none, and
 * the SDK of a remote one takes 15 MiB.
 */
export function lazyRoutes(own: Pick<Context, 'config' | 'secrets' | 'database' | 'log'>): RoutesFor {
  return async caller => {
    const sources = await openStores(own.config, { isFirst: false, log: own.log });
    if (sources.served.length === 0) throw notConfigured(sources.variable);
    const { ownRoutes } = await import('./serve-files.ts');
    return ownRoutes(own, sources)(caller);
  };
}
