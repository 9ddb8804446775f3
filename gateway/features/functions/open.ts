import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { openFunctions } from './files/functions.ts';
import { createGates } from './gates.ts';
import { functionRoutes } from './routes.ts';
import { openEndpoints } from './sql/endpoints.ts';
import { upstreamRoutes } from './upstream.ts';

export async function open(context: Context): Promise<Opened> {
  const { config: { role, basePath, functionsTimeout: timeout, functionsUpstream: upstream } } = context;
  if (role === 'api' && upstream !== undefined) return { routes: upstreamRoutes({ upstream, basePath, timeout }) };
  const files = await openFunctions(context);
  const endpoints = openEndpoints(context, files.has);
  const names = () => [...files.names(), ...endpoints.names()];
  const gates = createGates(context, { names, skipped: () => files.refused().length + endpoints.skipped() });
  return {
    routes: functionRoutes({ gates, files, endpoints, timeout }),
    lends: { functionNames: names },
    shown: () => names().length === 0 ? [] : [['Functions', names().toSorted().join(', ')]],
    close: files.close,
  };
}
