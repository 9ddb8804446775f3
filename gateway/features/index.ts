import { type Logger } from 'pino';
import { type Captcha } from './accounts/captcha/captcha.ts';
import { type Config } from '../config/config.ts';
import { type AdminScope } from '../config/scopes.ts';
import { toApiError } from '../database/refusal.ts';
import { type Feature } from '../http/features.ts';
import { type Call, type Route } from '../http/route.ts';
import { type Caller } from '../identity/caller.ts';
import { type Identity } from '../identity/identity.ts';
import { type Permissions, requireOfKey } from '../identity/permissions.ts';
import { refuseImpersonation } from '../identity/impersonation.ts';
import { type Limits } from '../limits/limits.ts';
import { type Mail } from '../mail/mail.ts';
import { type Mailbox } from '../mail/mailbox.ts';
import { createRenditions } from '../images/renditions.ts';
import { adminFeatures } from './admin/feature.ts';
import { adminRoutes } from './admin/routes.ts';
import { authFeatures } from './accounts/feature.ts';
import { type AuthOptions } from './accounts/options.ts';
import { authRoutes } from './accounts/routes.ts';
import { dataFeatures } from './data/feature.ts';
import { dataRoutes } from './data/routes.ts';
import { functionsFeatures } from './functions/feature.ts';
import { mcpFeatures } from './mcp/feature.ts';
import { metaFeatures } from './meta/feature.ts';
import { explorerRoutes } from './meta/explorer/routes.ts';
import { healthRoutes } from './meta/health.ts';
import { metaRoutes } from './meta/routes.ts';
import { welcomeRoutes } from './meta/welcome/routes.ts';
import { oauthFeatures } from './oauth/feature.ts';
import { realtimeFeatures } from './realtime/feature.ts';
import { storageFeatures } from './storage/feature.ts';
import { type StorageOptions } from './storage/options.ts';
import { noStorageRoutes, storageRoutes } from './storage/routes.ts';
import { createSources, DEFAULT_SOURCE, type SourceList } from './storage/sources.ts';
import { tusRoutes } from './storage/tus/routes.ts';
import { type AuditBoard } from './admin/audit-board.ts';
import { type Database } from '../start/database.ts';
import { openRealtime, type OpenRealtime } from './realtime/open.ts';
import { projectFolder } from '../start/source.ts';
import { type Tus } from './storage/tus/open.ts';

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
  storage: { sources: SourceList; tus: Tus } & Pick<StorageOptions, 'tokens' | 'gate'>;
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
  { features: storageFeatures, routes: storage },
  { features: functionsFeatures },
  { features: mcpFeatures },
  { features: oauthFeatures },
];

/** Every feature with its switch. */
export const features: readonly Feature[] = SURFACES.flatMap(({ features = [] }) => features);

export function routes(parts: Parts): Route[] {
  return SURFACES.flatMap(({ routes }) => routes?.(parts) ?? []).map(route => route.root ? route : refusingImpersonation(route));
}

/** The WebSockets. */
export function realtime(parts: Parts): OpenRealtime {
  return openRealtime(parts, caller => data(parts, caller));
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

function admin({ config, database, identity, permissions, accounts, audit, mail, mailbox, storage }: Parts): Route[] {
  const { schemaEditor: editor, production, liveSchemaAllowMachineApply: machinesMayApply } = config;
  const sources = [DEFAULT_SOURCE, ...[...storage.sources.served, ...storage.sources.missing].map(({ key }) => key)];
  return adminRoutes({
    requireScope: gate({ identity, permissions }),
    audit: () => config.rlsAudit ? audit.current : undefined,
    mailbox,
    schema: { project: projectFolder(config), door: database.schema, editor, production, machinesMayApply },
    users: { ...accounts, mail, permissions, production },
    keys: { ...accounts, permissions, targets: () => ({ collections: database.catalog.current.document.collections, sources }) },
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

function storage({ config, identity, limits, storage: { sources, tokens, gate, tus }, log }: Parts): Route[] {
  if (sources.served.length === 0) return noStorageRoutes(sources.variable);
  const renditions = createRenditions({ durable: config.storageRenditionCache, log });
  const options = {
    gate, tokens, renditions, sources: createSources(sources), caller: callerFrom(identity), counted: limits.data,
    publicRead: config.storagePublicRead,
  };
  return [...storageRoutes(options), ...tusRoutes({ ...options, ...tus, config })];
}

function limits({ defaultListLimit: defaultLimit, maxListLimit: maxLimit, defaultIncludeLimit, maxIncludeLimit }: Config) {
  return { defaultLimit, maxLimit, defaultIncludeLimit, maxIncludeLimit };
}

function callerFrom(identity: Identity): (call: Call) => Caller | Promise<Caller> {
  return call => identity.caller(call.header('authorization'));
}
