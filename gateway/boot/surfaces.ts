import { type Logger } from 'pino';
import { type Captcha } from '../captcha/captcha.ts';
import { type Config } from '../config/config.ts';
import { type AdminScope } from '../config/scopes.ts';
import { toApiError } from '../database/refusal.ts';
import { ApiError } from '../error.ts';
import { type Feature } from '../http/features.ts';
import { type Call, type Route } from '../http/route.ts';
import { anonymousCaller, type Caller } from '../identity/caller.ts';
import { type Identity } from '../identity/identity.ts';
import { type Permissions, requireOfKey } from '../identity/permissions.ts';
import { refuseImpersonation } from '../identity/impersonation.ts';
import { type Limits } from '../limits/limits.ts';
import { type Mail } from '../mail/mail.ts';
import { type Mailbox } from '../mail/mailbox.ts';
import { adminFeatures } from '../surfaces/admin/feature.ts';
import { adminRoutes } from '../surfaces/admin/routes.ts';
import { authFeatures } from '../surfaces/auth/feature.ts';
import { type AuthOptions } from '../surfaces/auth/options.ts';
import { authRoutes } from '../surfaces/auth/routes.ts';
import { dataFeatures } from '../surfaces/data/feature.ts';
import { dataRoutes } from '../surfaces/data/routes.ts';
import { functionsFeatures } from '../surfaces/functions/feature.ts';
import { mcpFeatures } from '../surfaces/mcp/feature.ts';
import { metaFeatures } from '../surfaces/meta/feature.ts';
import { explorerRoutes } from '../surfaces/meta/explorer/routes.ts';
import { healthRoutes } from '../surfaces/meta/health.ts';
import { metaRoutes } from '../surfaces/meta/routes.ts';
import { welcomeRoutes } from '../surfaces/meta/welcome/routes.ts';
import { oauthFeatures } from '../surfaces/oauth/feature.ts';
import { adminFrames } from '../surfaces/realtime/admin/admin.ts';
import { type AdminFramesOptions } from '../surfaces/realtime/admin/options.ts';
import { dataFrames, type DataFramesOptions } from '../surfaces/realtime/data.ts';
import { realtimeFeatures } from '../surfaces/realtime/feature.ts';
import { createRealtime, type Realtime } from '../surfaces/realtime/realtime.ts';
import { createSubscriptions, type Subscriptions } from '../surfaces/realtime/subscriptions/subscriptions.ts';
import { storageFeatures } from '../surfaces/storage/feature.ts';
import { type AuditBoard } from './audit.ts';
import { openChannels } from './channels-part.ts';
import { type Database } from './database.ts';
import { projectFolder } from './source.ts';

/** What surfaces are made of. */
export type Parts = {
  config: Config;
  database: Database;
  identity: Identity;
  permissions: Permissions;
  accounts: Pick<AuthOptions, 'ask' | 'passwords' | 'revoked' | 'signAccessToken' | 'mfaTokens' | 'sealing'>;
  audit: AuditBoard;
  mail: Mail;
  mailbox: Mailbox | undefined;
  limits: Limits;
  captcha: Captcha;
  isDraining: () => boolean;
  log: Logger;
};

/** A surface: its rows in the feature table, and its routes as far as they are built. */
type Surface = { features?: readonly Feature[]; routes?: (parts: Parts) => Route[] };

const SURFACES: Surface[] = [
  { features: metaFeatures, routes: parts => [...health(parts), ...meta(parts), ...explorerRoutes(), ...welcome(parts)] },
  { features: authFeatures, routes: auth },
  { features: adminFeatures, routes: admin },
  { features: dataFeatures, routes: data },
  { features: realtimeFeatures },
  { features: storageFeatures },
  { features: functionsFeatures },
  { features: mcpFeatures },
  { features: oauthFeatures },
];

/** Every feature with its switch. */
export const features: readonly Feature[] = SURFACES.flatMap(({ features = [] }) => features);

export function routes(parts: Parts): Route[] {
  return SURFACES.flatMap(({ routes }) => routes?.(parts) ?? []).map(route => route.root ? route : refusingImpersonation(route));
}

/** The WebSockets. `start` and `close` begin and end what they hear of the database. */
export function realtime(parts: Parts): Realtime & { start: () => Promise<void> } {
  const { config, database, identity, log } = parts;
  const subscribing = subscriptions(parts);
  const talking = openChannels(parts);
  const data = dataFrames({ answer: answerOfData(parts), document: () => database.catalog.current.document });
  const sockets = createRealtime({
    parts: subscribing === undefined || talking === undefined ? []
      : [subscribing.part, talking.part, data, adminFrames(adminOptions(parts))],
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
    limits: limits(config),
    maxSubscriptions: config.realtimeMaxSubscriptionsPerSocket,
    verbose: !config.production,
    log,
  });
}

/** The routes of data, for a caller who is known already. */
function answerOfData(parts: Parts): DataFramesOptions['answer'] {
  const callers = new WeakMap<Call, Caller>();
  const routes = data(parts, call => callers.get(call) ?? anonymousCaller).filter(({ path }) => path === '/data/*');
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

/** Whoever asks to be somebody else is told so wherever he asks, also where nobody would look who he is. */
function refusingImpersonation({ handle, admit, ...route }: Route): Route {
  const first = <Answer>(then: (call: Call) => Answer) => (call: Call): Answer => {
    refuseImpersonation(call);
    return then(call);
  };
  return { ...route, handle: first(handle), ...(admit && { admit: first(admit) }) };
}

function health({ config, database: { probe, replicaTrouble }, isDraining, log }: Parts): Route[] {
  return healthRoutes({ config, probe, replicaTrouble, isDraining, log });
}

function meta({ config, database, identity, permissions }: Parts): Route[] {
  const { basePath, authRequire: authRequired, production } = config;
  return metaRoutes({
    catalog: () => database.catalog.current.document,
    readContract: () => database.contract().catch((error: unknown) => { throw toApiError(error, !production); }),
    openApi: { basePath, ...limits(config), authRequired, production },
    requireReader: async call => {
      const caller = await callerFrom(identity)(call);
      requireOfKey(caller, 'data:read');
      return caller;
    },
    requireScope: gate({ identity, permissions }),
  });
}

function auth({ config, identity, permissions, accounts, mail, limits, captcha }: Parts): Route[] {
  return authRoutes({ ...accounts, config, identity, permissions, mail, limits, captcha, callerOf: callerFrom(identity) });
}

function admin({ config, database, identity, permissions, accounts, audit, mail, mailbox }: Parts): Route[] {
  const { schemaEditor: editor, production, liveSchemaAllowMachineApply: machinesMayApply } = config;
  return adminRoutes({
    requireScope: gate({ identity, permissions }),
    audit: () => config.rlsAudit ? audit.current : undefined,
    mailbox,
    schema: { project: projectFolder(config), door: database.schema, editor, production, machinesMayApply },
    users: { ...accounts, mail, permissions, production },
    keys: { ...accounts, permissions, collections: () => database.catalog.current.document.collections },
    callerOf: callerFrom(identity),
  });
}

function gate({ identity, permissions }: Pick<Parts, 'identity' | 'permissions'>): (call: Call, scope: AdminScope) => Promise<Caller> {
  const callerOf = callerFrom(identity);
  return async (call, scope) => permissions.require(await callerOf(call), scope);
}

/** For whoever develops: production has nothing there. */
function welcome({ config, database: { catalog, url } }: Parts): Route[] {
  return config.production ? [] : welcomeRoutes({ catalog: () => catalog.current.document, config, url });
}

function data(parts: Parts, caller = callerFrom(parts.identity)): Route[] {
  const { config, database: { catalog, lanes, reads }, permissions, accounts: { revoked }, limits: { data: counted } } = parts;
  return dataRoutes({
    catalog, lanes, reads, revoked, ...limits(config),
    caller,
    counted,
    requireScope: permissions.require,
    limits: { bulk: config.bulkLimit, batch: config.batchLimit, answer: config.maxAnswerSize },
    verbose: !config.production,
  });
}

function limits({ defaultListLimit: defaultLimit, maxListLimit: maxLimit, defaultIncludeLimit, maxIncludeLimit }: Config) {
  return { defaultLimit, maxLimit, defaultIncludeLimit, maxIncludeLimit };
}

function callerFrom(identity: Identity): (call: Call) => Caller | Promise<Caller> {
  return call => identity.caller(call.header('authorization'));
}
