import { readsIn } from '../../catalog/run-read.ts';
import { ApiError } from '../../error.ts';
import { refuseImpersonation } from '../../identity/impersonation.ts';
import type { Context } from '../context.ts';
import { dataAnswers } from '../data-answers.ts';
import type { Opened } from '../feature.ts';
import { adminFrames } from './admin/admin.ts';
import type { AdminFramesOptions } from './admin/options.ts';
import { openChannels } from './channels/open.ts';
import { dataFrames } from './data.ts';
import { changesThrough } from './feed.ts';
import { createRealtime } from './realtime.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.ts';
import { changeSources } from './table-triggers.ts';

export async function open(context: Context): Promise<Opened> {
  const { config, database, identity, onRevoked, log } = context;
  const subscribing = subscriptions(context);
  const channels = await openChannels(context);
  const data = dataFrames({ answer: dataAnswers(context.lent), document: () => database.catalog.current.document });
  const sockets = createRealtime({
    parts: [subscribing?.part, channels?.part, data, adminFrames(adminOptions(context))].filter(part => part !== undefined),
    admit(call) {
      if (subscribing === undefined) throw unheard();
      refuseImpersonation(call);
    },
    callerOf: authorization => identity.caller(authorization),
    anonymous: !config.authRequire,
    log,
  });
  onRevoked(uid => { void sockets.judge(uid); });
  await Promise.all([subscribing?.start(sockets.judge, sockets.count), channels?.start()]);
  return {
    sockets,
    figures: () => [
      { name: 'service_sockets', value: sockets.count() },
      { name: 'service_subscriptions', value: subscribing?.count() ?? 0 },
      ...subscribing?.figures() ?? [],
    ],
    close: async () => { await Promise.all([sockets.close(), subscribing?.close(), channels?.close()]); },
  };
}

/** Undefined where nothing is heard. */
function subscriptions({ config, database, bus, log }: Context): Subscriptions | undefined {
  const { catalog, hears, owner, live } = database;
  if (!hears) return undefined;
  return createSubscriptions({
    catalog,
    reads: readsIn(live.lanes, config.coalesce),
    most: live.most,
    openChanges: changesThrough(bus),
    changeSources: () => changeSources(owner),
    limits: { defaultLimit: config.defaultListLimit, maxLimit: config.maxListLimit, maxIncludeLimit: config.maxIncludeLimit },
    maxSubscriptions: config.realtimeMaxSubscriptionsPerSocket,
    verbose: !config.production,
    log,
  });
}

function adminOptions({ config, database, permissions, ask, log }: Context): AdminFramesOptions {
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
