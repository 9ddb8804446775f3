import type { Logger } from 'pino';
import type { Config } from '../features/config.ts';
import { ownHost } from '../config/own-host.ts';
import type { AdminScope } from '../config/scopes.ts';
import { orUnavailable } from '../database/refusal.ts';
import { BootError } from '../error.ts';
import type { Context, ServedDatabase } from '../features/context.ts';
import type { Opened } from '../features/feature.ts';
import { featureRows } from '../features/feature-rows.ts';
import { FEATURES } from '../features/index.ts';
import { hasOAuthServer } from '../features/oauth-server.ts';
import { isServed } from '../features/role.ts';
import { settings } from '../features/settings.ts';
import type { Call, Route } from '../http/route.ts';
import { switchedOff } from '../http/feature-table.ts';
import { createServer, type Place } from '../http/server.ts';
import { ACCOUNTS_CHANNEL, ALL_ACCOUNTS, accountQuery, queryStanding, lookUp } from '../identity/accounts.ts';
import { createApiKeys } from '../identity/api-keys.ts';
import { createIdentity } from '../identity/identity.ts';
import { refuseImpersonation } from '../identity/impersonation.ts';
import { audienceOf, clientTokenVerifier } from '../identity/oauth-tokens.ts';
import { createPasswords, type Passwords } from '../identity/passwords.ts';
import { createPermissions } from '../identity/permissions.ts';
import { REVOKED } from '../identity/revoked.ts';
import type { Secrets } from '../identity/secrets.ts';
import { mailboxThrough } from '../mail/shared-mailbox.ts';
import type { Bus } from '../process/bus/bus.ts';
import { growSlowly } from '../process/heap.ts';
import type { Database } from './database.ts';
import { mailboxOf, openServiceMail, warnOfMail } from './mail.ts';
import { projectFolder } from './source.ts';
import { createLimits, type Limits } from '../limits/limits.ts';
import { memoryStore } from '../limits/memory-store.ts';
import { sqlStore } from '../limits/sql-store.ts';

export type Service = {
  port: number;
  routes: readonly Route[];
  /** Lines of the start screen: a label, and a text. */
  shown: [string, string][];
  /** Ends what is open, but not the database. */
  close: (deadline: number) => Promise<void>;
};
export type ServeOptions = {
  config: Config;
  secrets: Secrets;
  bus: Bus;
  passwords?: Passwords | undefined;
  /** One of several processes on a port. */
  place?: Place;
  log: Logger;
};

/** Serves an open database: identity, mail, each feature of the list, then the port. */
export async function serve(database: Database, options: ServeOptions): Promise<Service> {
  const { config, bus, place, log } = options;
  growSlowly();
  let ownPort = place?.port ?? config.port;
  const isFirst = place === undefined || place.number === 1;
  const mailbox = mailboxOf(config, () => mailboxThrough(bus));
  const mail = openServiceMail({ config, mailbox, ownAddress: () => `http://${ownHost(config.host)}:${ownPort}`, log });
  const accounts = openAccounts(database, options);
  const context: Context = {
    config, database, bus, mail, mailbox, isFirst, log, ...accounts,
    secrets: options.secrets,
    limits: openLimits(config, database, place !== undefined),
    project: projectFolder(config),
    lent: {},
    figures: () => opened.flatMap(({ figures }) => figures?.() ?? []),
    isDraining: () => server.draining,
  };
  const listening = await hearAccounts(database, accounts);
  const opened = await openFeatures(context);
  const sockets = opened.find(({ sockets }) => sockets !== undefined)?.sockets;
  const routes = opened.flatMap(({ routes = [] }) => routes).map(route => route.root ? route : refusingImpersonation(route));
  const features = featureRows(config);
  if (!isServed({}, config)) routes.push(elsewhere());
  const onEnd = opened.flatMap(({ onEnd }) => onEnd ?? []);
  const server = createServer({
    config, routes, features, ...(sockets && { sockets }), understand: orUnavailable, onEnd, log: log.child({ source: 'api' }), place,
  });
  const { port } = await server.listen().catch((error: unknown) => {
    throw new BootError((error as Error).message, { cause: error }); // it names the port
  });
  ownPort = port;
  if (isFirst) void warnOfMail(mail, config, log);
  return { port, routes: server.routes, shown: opened.flatMap(({ shown }) => shown?.() ?? []), close };

  /** Requests under way end first, then the features in reverse order, then the mail that they sent. */
  async function close(deadline: number): Promise<void> {
    const end = Date.now() + deadline;
    const left = () => Math.max(0, end - Date.now());
    await Promise.all([server.close(deadline), ...opened.map(({ drain }) => drain?.(deadline))]);
    for (const feature of opened.toReversed()) await feature.close?.(left());
    await mail.close(left());
    await listening.end();
  }
}

/** Every other path of a start that serves no API (SERVICE_ROLE). */
function elsewhere(): Route {
  return { method: 'ANY', path: '/*', handle: () => { throw switchedOff({ feature: 'api', setting: settings.role.name }); } };
}

/** Opens the features that are switched on, and of the role of the start, in the order of the list; each sees what those before it lend. */
async function openFeatures(context: Context): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (const feature of FEATURES) {
    const isLending = feature.lendsIn?.includes(context.config.role) === true;
    if ((!isServed(feature, context.config) && !isLending) || feature.isOn?.(context.config) === false) continue;
    const log = context.log.child({ source: feature.source ?? 'system' });
    const { routes, ...part } = await (await feature.serving?.())?.open({ ...context, log }) ?? {};
    Object.assign(context.lent, part.lends);
    opened.push(isLending || routes === undefined ? part : { ...part, routes });
  }
  return opened;
}

type Accounts = Pick<Context, 'identity' | 'permissions' | 'callerOf' | 'requireScope' | 'ask' | 'passwords' | 'revoked' | 'onRevoked'> & {
  forget: (uid: string) => void;
};

/** The identity of requests, and what ends the worth of tokens in every process of the start. */
function openAccounts(database: Database, { config, secrets, bus, passwords = createPasswords() }: ServeOptions): Accounts {
  const ask = accountQuery(database.accounts, !config.production);
  const permissions = createPermissions(config);
  const look = lookUp(ask, database.accountsAtReplica && accountQuery(database.accountsAtReplica, !config.production));
  const identity = createIdentity({
    config, secrets: { ...secrets, signingKeys: config.signingKeys },
    apiKeys: createApiKeys(ask, look, permissions.rankOf),
    ...(config.auth === 'on' && { standing: queryStanding(look) }),
    ...(hasOAuthServer(config) && {
      ofClients: clientTokenVerifier(secrets.jwtSecret, audienceOf(config.publicUrl), queryStanding(look, 'client_standing')),
    }),
  });
  const handles: ((uid: string | undefined) => void)[] = [];
  bus.subscribe(REVOKED, forget);
  return {
    identity, permissions, ask, passwords, forget,
    callerOf: call => identity.caller(call.header('authorization')),
    requireScope: async (call: Call, scope: AdminScope) => permissions.require(await identity.caller(call.header('authorization')), scope),
    revoked: uid => bus.announce(REVOKED, uid),
    onRevoked: handle => { handles.push(handle); },
  };

  function forget(of: string): void {
    const uid = of === ALL_ACCOUNTS ? undefined : of;
    identity.forget(uid);
    for (const handle of handles) handle(uid);
  }
}

/** While nothing is heard of accounts, each request asks; open sockets are judged anew when it is heard again. */
function hearAccounts({ listen }: ServedDatabase, { identity, forget }: Accounts): ReturnType<ServedDatabase['listen']> {
  return listen(ACCOUNTS_CHANNEL, {
    heard: forget,
    resumed: () => { identity.trust(true); forget(ALL_ACCOUNTS); },
    silent: () => { identity.trust(false); },
  });
}

/** A request to act as another account is refused on every route, before its caller is known. */
function refusingImpersonation({ handle, admit, ...route }: Route): Route {
  const first = <Answer>(then: (call: Call) => Answer) => (call: Call): Answer => {
    refuseImpersonation(call);
    return then(call);
  };
  return { ...route, handle: first(handle), ...(admit && { admit: first(admit) }) };
}

/** Several processes count together, in the database. */
function openLimits({ dataRateLimit, rateLimitStore }: Config, { lanes }: Database, isOneOfSeveral: boolean): Limits {
  return createLimits({ store: isOneOfSeveral || rateLimitStore === 'sql' ? sqlStore(lanes.write) : memoryStore(), dataRateLimit });
}
