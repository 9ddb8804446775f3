import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { createGates } from './gates.ts';
import { functionRoutes } from './routes.ts';
import { openEndpoints } from './sql/endpoints.ts';

export function open(context: Context): Opened {
  const { config: { functionsTimeout: timeout } } = context;
  const endpoints = openEndpoints(context);
  const { names, skipped } = endpoints;
  return {
    routes: functionRoutes({ gates: createGates(context, { names, skipped }), endpoints, timeout }),
    lends: { functionNames: names },
  };
}
