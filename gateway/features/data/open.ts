import type { Call, Route } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Context, Lent } from '../context.ts';
import type { Opened } from '../feature.ts';
import type { Lanes } from '../../database/lanes.ts';
import { coalescingFigures, readsIn, readsInBoth } from '../../catalog/run-read.ts';
import type { DataOptions } from './options.ts';
import { HISTORY, REVERT } from './history-paths.ts';
import { read, readHistory } from './read.ts';
import { revert } from './revert.ts';
import { createAskWhy, type AskWhy } from './why.ts';
import { write } from './write.ts';

const WRITES = ['POST', 'PATCH', 'PUT', 'DELETE'] as const;

function dataRoutes(options: DataOptions): Route[] {
  return [
    { method: 'GET', path: HISTORY, handle: call => readHistory(call, options) },
    { method: 'POST', path: REVERT, handle: call => revert(call, options) },
    { method: 'GET', path: '/data/*', handle: call => read(call, options) },
    ...WRITES.map((method): Route => ({ method, path: '/data/*', admit: options.caller, handle: call => write(call, options) })),
  ];
}

type Own = Pick<Context, 'config' | 'database' | 'permissions' | 'limits' | 'revoked'>;

export function open(context: Context): Opened {
  const reads = readsInBoth(context.database, context.config.coalesce);
  const why = context.config.production ? undefined : createAskWhy(context.database.owner);
  return {
    routes: routes(context, reads, context.callerOf, why),
    lends: {
      dataRoutes: (caller, held) => held === undefined ? routes(context, reads, caller, why) : heldRoutes(context, held, caller),
    },
    figures: () => coalescingFigures(Object.values(reads)),
  };
}

/** The same routes for requests that no client makes. */
export function ownRoutes(own: Own): Lent['dataRoutes'] {
  const reads = readsInBoth(own.database, own.config.coalesce);
  return caller => routes(own, reads, caller);
}

/** Reads are not coalesced: others have no part in the transaction. */
function heldRoutes({ config, database, permissions, limits }: Own, held: Lanes, caller: (call: Call) => Caller): Route[] {
  const reads = readsIn(held, 'off');
  const own = {
    config, permissions, database: { ...database, lanes: held }, limits: { ...limits, data: () => undefined },
    revoked: () => Promise.resolve(),
  };
  return routes(own, { primary: reads, usual: reads }, caller);
}

function routes(
  { config, database, permissions, limits, revoked }: Own, reads: DataOptions['reads'],
  caller: (call: Call) => Caller | Promise<Caller>, why?: AskWhy,
) {
  const { catalog, lanes } = database;
  return dataRoutes({
    catalog, lanes, reads, revoked, caller,
    counted: limits.data,
    requireScope: permissions.require,
    defaultLimit: config.defaultListLimit,
    maxLimit: config.maxListLimit,
    maxIncludeLimit: config.maxIncludeLimit,
    limits: { bulk: config.bulkLimit, batch: config.batchLimit, answer: config.maxAnswerSize },
    verbose: !config.production,
    why,
  });
}
