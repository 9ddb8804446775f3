import { withFeatures } from '../../http/feature-table.ts';
import type { Call, Route } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Context, Held, Lent } from '../context.ts';
import type { Opened } from '../feature.ts';
import { covers } from '../../config/scopes.ts';
import { coalescingFigures, readsIn, readsInBoth } from '../../catalog/run-read.ts';
import type { DataOptions } from './options.ts';
import { HISTORY, HISTORY_ROW, REVERT } from './history-paths.ts';
import { read, readHistory } from './read.ts';
import { revert } from './revert.ts';
import { dataSettings } from './settings.ts';
import { createAskWhy, REFUSED, TRIED, type AskWhy } from './why.ts';
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
  const { owner } = context.database;
  const [ask, askLonger] = [createAskWhy(owner, REFUSED), createAskWhy(owner, TRIED)];
  const why: AskWhy = async (...asked) => mayHear(asked, context) ? ask(...asked) : undefined;
  return {
    routes: routes(context, reads, context.callerOf, why),
    lends: {
      dataRoutes: (caller, held) =>
        held === undefined ? routes(context, reads, caller, why) : heldRoutes(context, { ...held, ask: askLonger }, caller),
    },
    figures: () => coalescingFigures(Object.values(reads)),
  };
}

/** The same routes for requests that no client makes. */
export function ownRoutes(own: Own): Lent['dataRoutes'] {
  const reads = readsInBoth(own.database, own.config.coalesce);
  return caller => routes(own, reads, caller);
}

const EXPLAINED = new Set([
  'WRITE_DENIED', 'FIELD_NOT_READABLE', 'FIELD_NOT_WRITABLE', 'TENANT_IMMUTABLE', 'TENANT_MISMATCH', 'TENANT_REQUIRED',
]);

/** In production nothing is said; a row that is not found is explained to few, because others may not learn whether it is there. */
function mayHear([, { code }, caller]: Parameters<AskWhy>, { config: { production }, permissions }: Own): boolean {
  if (production) return false;
  return code === 'NOT_FOUND' ? covers(permissions.held(caller), 'database:read') : EXPLAINED.has(code);
}

/** Reads are not coalesced: others have no part in the transaction. */
function heldRoutes(
  { config, database, permissions, limits }: Own, { lanes, tell, ask }: Held & { ask: AskWhy }, caller: (call: Call) => Caller,
): Route[] {
  const reads = readsIn(lanes, 'off');
  const own = {
    config, permissions, database: { ...database, lanes }, limits: { ...limits, data: () => undefined },
    revoked: () => Promise.resolve(),
  };
  const why: AskWhy = async (...asked) => {
    const reason = await ask(...asked);
    if (reason !== undefined) tell(reason);
    return mayHear(asked, own) ? reason : undefined;
  };
  const history = { ...HISTORY_ROW, setting: dataSettings.history.name, isOn: config.history };
  return withFeatures(routes(own, { primary: reads, usual: reads }, caller, why), [history]);
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
