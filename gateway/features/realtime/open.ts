import { type Logger } from 'pino';
import { type Config } from '../../config/config.ts';
import { ApiError } from '../../error.ts';
import { type Call, type Route } from '../../http/route.ts';
import { anonymousCaller, type Caller } from '../../identity/caller.ts';
import { type Identity } from '../../identity/identity.ts';
import { refuseImpersonation } from '../../identity/impersonation.ts';
import { type Permissions } from '../../identity/permissions.ts';
import { adminFrames } from './admin/admin.ts';
import { type AdminFramesOptions } from './admin/options.ts';
import { dataFrames, type DataFramesOptions } from './data.ts';
import { createRealtime, type Realtime } from './realtime.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.ts';
import { openChannels } from './channels/open.ts';
import { type Database } from '../../start/database.ts';

type Parts = {
  config: Config;
  database: Database;
  identity: Identity;
  permissions: Permissions;
  accounts: Pick<AdminFramesOptions, 'ask'>;
  log: Logger;
};
type RoutesOf = (caller: (call: Call) => Caller) => Route[];
export type OpenRealtime = Realtime & { start: () => Promise<void> };

/** `start` and `close` begin and end what the sockets hear of the database. `routesOf`: the routes of data, for callers that are known. */
export function openRealtime(parts: Parts, routesOf: RoutesOf): OpenRealtime {
  const { config, database, identity, log } = parts;
  const subscribing = subscriptions(parts);
  const talking = openChannels(parts);
  const data = dataFrames({ answer: answerOf(routesOf), document: () => database.catalog.current.document });
  const sockets = createRealtime({
    parts: [subscribing?.part, talking?.part, data, adminFrames(adminOptions(parts))].filter(part => part !== undefined),
    admit(call) {
      if (subscribing === undefined) throw unheard();
      refuseImpersonation(call);
    },
    callerOf: authorization => identity.caller(authorization),
    anonymous: !config.authRequire,
    log,
  });
  return {
    ...sockets,
    start: async () => { await Promise.all([subscribing?.start(sockets.judge, sockets.count), talking?.start()]); },
    close: async () => { await Promise.all([sockets.close(), subscribing?.close(), talking?.close()]); },
  };
}

function subscriptions({ config, database, log }: Parts): Subscriptions | undefined {
  const { catalog, openChanges, changeSources, live } = database;
  if (openChanges === undefined || config.realtimeCdc === 'off') return undefined;
  return createSubscriptions({
    catalog, openChanges, changeSources, ...live,
    limits: { defaultLimit: config.defaultListLimit, maxLimit: config.maxListLimit, maxIncludeLimit: config.maxIncludeLimit },
    maxSubscriptions: config.realtimeMaxSubscriptionsPerSocket,
    verbose: !config.production,
    log,
  });
}

function answerOf(routesOf: RoutesOf): DataFramesOptions['answer'] {
  const callers = new WeakMap<Call, Caller>();
  const routes = routesOf(call => callers.get(call) ?? anonymousCaller).filter(({ path }) => path === '/data/*');
  const handlers = new Map(routes.map(({ method, handle }) => [method, handle]));
  return (call, caller) => {
    callers.set(call, caller);
    return handlers.get(call.method)?.(call) ?? {};
  };
}

function adminOptions({ config, database, permissions, accounts: { ask }, log }: Parts): AdminFramesOptions {
  return {
    url: database.ownerUrl,
    isEmbedded: config.databaseUrl === undefined,
    requireScope: permissions.require,
    roles: permissions.roles,
    ask,
    mostBytes: config.maxAnswerSize,
    log,
  };
}

function unheard(): ApiError {
  const message = 'Realtime needs a connection past the pooler, to hear of changes: set DATABASE_DIRECT_URL.';
  return new ApiError(501, 'FEATURE_DISABLED', message, { feature: 'realtime', setting: 'DATABASE_DIRECT_URL' });
}
