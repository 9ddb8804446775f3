import type { Call } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { dataRoutes } from './routes.ts';

export function open(context: Context): Opened {
  const routesFor = (caller: (call: Call) => Caller | Promise<Caller>) => routes(context, caller);
  return { routes: routesFor(context.callerOf), lends: { dataRoutes: routesFor } };
}

function routes({ config, database, permissions, limits, revoked }: Context, caller: (call: Call) => Caller | Promise<Caller>) {
  const { catalog, lanes, reads } = database;
  return dataRoutes({
    catalog, lanes, reads, revoked, caller,
    counted: limits.data,
    requireScope: permissions.require,
    defaultLimit: config.defaultListLimit,
    maxLimit: config.maxListLimit,
    maxIncludeLimit: config.maxIncludeLimit,
    limits: { bulk: config.bulkLimit, batch: config.batchLimit, answer: config.maxAnswerSize },
    verbose: !config.production,
  });
}
