import type postgres from 'postgres';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { keepCatalog, type CatalogKeeper } from '../catalog/catalog.ts';
import { openAsService, type AsService } from '../database/as-service.ts';
import type { Bounds } from '../catalog/statements.ts';
import type { CollectionFiles } from '../collections/collection-files.ts';
import type { Config } from '../features/config.ts';
import { exclusively } from '../database/exclusive.ts';
import { atAnotherServer } from '../database/lane-login.ts';
import type { Lane } from '../database/lane.ts';
import { openLanes, openLiveLanes, openReplicaLanes } from '../database/lanes.ts';
import { poolShares } from '../database/connections.ts';
import { openPresence } from '../database/presence.ts';
import { noopListen, listenAt, type Listen } from '../database/listen.ts';
import { createFairExecutor, type FairExecutor } from '../database/fair-executor.ts';
import type { Sessions } from '../database/pooler.ts';
import { BootError } from '../error.ts';
import { reportDrift, type DriftOptions } from './drift.ts';
import type { OwnDatabase } from '../features/context.ts';
import { serviceCalls } from '../features/service-calls.ts';
import { serviceCaller } from '../identity/caller.ts';
import { openLogins, openServiceLogin, type LoginOptions } from './logins.ts';
import { migrate, requireMigrated } from './migrate.ts';
import { explained, openOwner, reach, sessionsOf, type OwnerOptions } from './owner.ts';
import { hasMigrations, openMigrations } from './project.ts';
import { applyFiles, planFiles, replaceFiles, requireSound, type PlannedStep } from './provision.ts';
import { report, type Report } from './report.ts';
import type { SchemaFiles } from './schema-files.ts';
import { openSchemaDoor } from './schema-door.ts';
import { requireFilesAgain, sourceOf, type Source } from './source.ts';
import { storageRules, type StorageRules } from '../features/storage/rules.ts';

export type DatabaseOptions = OwnerOptions & LoginOptions & DriftOptions & {
  /** For a worker: how it listens, and whether its parent is heard. */
  through?: { listen: Listen; hears: boolean };
  /** Where reads go while it is fit. */
  replica: { url: string; maxLag: number } | undefined;
  poolMax: number;
  /** How many functions of the project it calls as the service at once. */
  serviceCalls: number;
  /** Whether a start of another role would call some. */
  othersCall: boolean;
  bounds: Bounds;
  source: Source;
  /** Passes on what was heard of the catalog, once it has been looked at. */
  passOn?: (heard: string) => void;
  /** The service's own schema. */
  schema: SchemaFiles;
  /** The folder of the project's own migrations; it need not be there. */
  projectMigrations: string;
  /** Whether edits through the service may change the database: with `ensure`, or where another process of the start does that. */
  mayChange: boolean;
  /** Rules that edits of the schema are validated against. */
  storage: StorageRules;
};

export type FilesKeeper = {
  /** @throws BootError for files that are wrong. */
  plan: (files: CollectionFiles) => Promise<PlannedStep[]>;
  /** All or nothing. @throws BootError for what the database refuses. */
  apply: (files: CollectionFiles) => Promise<void>;
};

export type Database = OwnDatabase & {
  /** The owner's statements about accounts at the replica, for look-ups. */
  accountsAtReplica: FairExecutor | undefined;
  report: () => Promise<Report>;
  /** For collection files that change while the service runs, where boot may change the database. */
  files: FilesKeeper | undefined;
  close: (deadline: number) => Promise<void>;
};

export function databaseOptions(config: Config, url: string, schema: SchemaFiles, source = sourceOf(config)): DatabaseOptions {
  return {
    ownerUrl: config.adminConnectionString ?? url,
    url,
    directUrl: config.databaseDirectUrl ?? config.adminConnectionString ?? url,
    loginUrls: { reader: config.databaseReaderUrl, writer: config.databaseWriterUrl },
    replica: config.databaseReadUrl === undefined ? undefined : { url: config.databaseReadUrl, maxLag: config.databaseReadMaxLag },
    poolMax: config.dbPoolMax,
    serviceCalls: serviceCalls(config),
    othersCall: serviceCalls({ ...config, role: 'all', jobWorkers: true, cronScheduler: true }) > 0,
    bounds: { answer: config.maxAnswerSize, related: config.defaultIncludeLimit, items: config.bulkLimit },
    connectTimeout: config.dbPoolConnectTimeout,
    idleTimeout: config.dbPoolIdleTimeout,
    source,
    schema,
    projectMigrations: config.migrationsDir ?? join(dirname(resolve(config.collectionsDir)), 'migrations'),
    ensure: config.migrateOnBoot === 'ensure',
    requireMatch: config.requireSchemaMatch && !config.provisionOnly,
    mayChange: config.migrateOnBoot === 'ensure',
    introspectSchema: config.introspectSchema,
    storage: storageRules(config),
  };
}

/** Milliseconds for one statement. The longest that a URL can ask for takes a tenth of it. */
const COMPILING = 3_000;
/** One about accounts may wait for another about the same. */
const SIGNING_IN = 5_000;
/** One of background work. No request waits for it. */
const WORKING = 30_000;

/** Opens everything that requests need, from a URL, step by step. Changes that boot may not make (`ensure`) are required to be there. */
export async function openDatabase(options: DatabaseOptions, log: Logger): Promise<Database> {
  const { source, ensure, connectTimeout, idleTimeout } = options;
  const shares = poolShares(options.poolMax, options.through === undefined ? 1 : 0, options.serviceCalls);
  const owner = openOwner(options, shares.owner);
  const compiling = ownerExecutor(options, owner, { size: shares.compiler, deadline: COMPILING });
  const accounts = ownerExecutor(options, owner, { size: shares.accounts, deadline: SIGNING_IN });
  const jobs = ownerExecutor(options, owner, { size: shares.jobs, deadline: WORKING });
  const standby = options.replica && ownerExecutor(ownerAtReplica(options, options.replica.url), owner, { size: 1, deadline: SIGNING_IN });
  const connections = [owner, compiling, accounts, jobs, ...(standby ? [standby] : [])];
  try {
    await reach(owner, options);
    const sessions = await sessionsOf(owner, options, options.through === undefined, log);
    await requireFilesAgain(owner, source);
    await migrateService(owner, options, log);
    if (source.kind === 'files') await requireSound(owner, source.files);
    const watchesDdl = ensure ? await watchDdl(owner) : true;
    await bringProjectUpToDate(owner, sessions.owner, options, log);
    const logins = await openLogins(owner, options, log);
    let usedAt = -Infinity;
    const lanes = openLanes(logins, { shares, connectTimeout, idleTimeout, onUse: () => { usedAt = performance.now(); } });
    const live = openLiveLanes(logins, lanes, { shares, connectTimeout, idleTimeout }, () => usedAt);
    const replica = options.replica && await openReplicaLanes({
      owner, shares, connectTimeout, idleTimeout, primary: lanes,
      login: atAnotherServer(logins.reader, options.replica.url), maxLag: options.replica.maxLag,
    }, log);
    const listening = sessions.listen === 'own' ? listenAt(options.directUrl) : undefined;
    const { listen, hears } = options.through ?? { listen: listening?.listen ?? noopListen, hears: listening !== undefined };
    const introspection = source.kind === 'tables' ? { ...source, grant: ensure } : undefined;
    const { bounds, passOn } = options;
    const compiled = { compiler: compiling.turns, bounds, introspection, ...(passOn && { passOn }) };
    const presence = await openPresence(options.through === undefined ? listening : undefined);
    const service = options.serviceCalls === 0 ? undefined : openAsService({
      login: await openServiceLogin(owner, options), connectTimeout, size: shares.service, claims: serviceCaller.claims,
    });
    // Starts that may change nothing find it made.
    if (service === undefined && ensure && options.othersCall) await openServiceLogin(owner, options).catch(tellOf(log));
    const catalog = await keepCatalog(owner, listen, compiled, log);
    return {
      url: options.url,
      ownerUrl: options.directUrl,
      catalog,
      owner, listen, hears, listening, presence,
      asService: service?.run ?? noCalls,
      mayChange: ensure,
      accounts: accounts.turns,
      jobs: jobs.turns,
      accountsAtReplica: standby?.turns,
      lanes,
      live,
      reads: replica?.lanes ?? lanes,
      replicaTrouble: () => replica?.trouble(),
      probe: () => probe(owner),
      accountFaults: () => accountFaults(owner),
      report: () => report(owner, source, catalog.skipped, watchesDdl),
      audit: () => audit(options),
      schema: openSchemaDoor(options, () => catalog, log),
      contract: () => contract(owner),
      files: ensure && source.kind === 'files' ? filesKeeper(owner, source.files, options, log) : undefined,
      close: async deadline => {
        const used = [...Object.values(lanes), live.lanes.scan];
        await Promise.all([replica?.close(deadline), service?.close(), presence.end(), close(connections, catalog, used, deadline)]);
      },
    };
  } catch (error) {
    await Promise.all(connections.map(own => own.end({ timeout: 0 })));
    throw explained(error);
  }
}

function tellOf(log: Logger): (error: unknown) => void {
  return error => { log.warn({ err: error }, 'the login for functions of jobs and schedules could not be made'); };
}

/** A feature that calls has said so. */
const noCalls: AsService = () => Promise.reject(new Error('No feature asked to call functions as the service.'));

function ownerAtReplica(options: OwnerOptions, url: string): OwnerOptions {
  return { ...options, ownerUrl: atAnotherServer({ url: options.ownerUrl, startup: {} }, url).url };
}

async function migrateService(owner: postgres.Sql, { ensure, schema }: DatabaseOptions, log: Logger): Promise<void> {
  if (!ensure) return requireMigrated(owner, schema);
  const done = await migrate(owner, schema);
  if (done === undefined) return;
  const [migrations, sources] = [done.migrations.length, done.sources.length];
  log.info(`The service's schema was brought up to date: ${migrations} migrations, ${sources} functions and policies.`);
}

async function watchDdl(owner: postgres.Sql): Promise<boolean> {
  const [row] = await exclusively(owner, transaction => transaction<{ watches: boolean }[]>`select service_private.watch_ddl() as watches`);
  return row?.watches === true;
}

function filesKeeper(
  owner: postgres.Sql, served: CollectionFiles, { ownerUrl, projectMigrations }: DatabaseOptions, log: Logger,
): FilesKeeper {
  let current = served;
  return {
    plan: async files => (await planFiles(owner, files)).steps,
    async apply(files) {
      await replaceFiles(owner, files, current, openMigrations(owner, ownerUrl, projectMigrations, log), log);
      current = files;
    },
  };
}

/** The project: its collection files where it has some, and its own migrations. */
async function bringProjectUpToDate(owner: postgres.Sql, sessions: Sessions, options: DatabaseOptions, log: Logger): Promise<void> {
  const { source, ensure, ownerUrl, projectMigrations } = options;
  if (ensure && sessions === 'shared' && hasMigrations(projectMigrations)) {
    throw new BootError(`The migrations in ${projectMigrations} cannot run through a pooler that shares sessions between transactions: `
      + 'set DATABASE_DIRECT_URL (or ADMIN_CONNECTION_STRING) to the database itself.');
  }
  const own = openMigrations(owner, ownerUrl, projectMigrations, log);
  if (source.kind === 'files') await applyFiles(owner, source.files, ensure ? own : undefined, log, reportDrift(options, log));
  else if (ensure) await own.run();
}

async function probe(owner: postgres.Sql): Promise<void> {
  await owner`select from service.catalog`;
}

async function accountFaults(owner: postgres.Sql): Promise<readonly string[]> {
  const [row] = await owner<{ faults: string[] }[]>`select to_json(service_private.account_schema_faults()) as faults`;
  return row?.faults ?? [];
}

/** The audit rests for five sixths of its time: it is not urgent, and requests continue beside it. */
const REST = 5;

async function audit(options: OwnerOptions): Promise<object> {
  const owner = openOwner(options, 1);
  try {
    const [row] = await owner<{ audit: object }[]>`select service.audit(${REST}) as audit`;
    if (row === undefined) throw new Error('service.audit() returned nothing.');
    return row.audit;
  } finally {
    await owner.end({ timeout: 1 });
  }
}

async function contract(owner: postgres.Sql): Promise<string> {
  const [row] = await owner<{ contract: string }[]>`select service.contract()::text as contract`;
  if (row === undefined) throw new Error('service.contract() returned nothing.');
  return row.contract;
}

async function close(owners: Pick<postgres.Sql, 'end'>[], catalog: CatalogKeeper, lanes: Lane[], deadline: number): Promise<void> {
  await Promise.all([...lanes.map(lane => lane.close(deadline)), catalog.close()]);
  await Promise.all(owners.map(owner => owner.end({ timeout: 1 })));
}

/** A fair executor on connections of its own, or where there are none for it, on those of the owner. A silent connection is replaced. */
function ownerExecutor(options: OwnerOptions, owner: postgres.Sql, { size, deadline }: { size: number; deadline: number }) {
  let own = size === 0 ? undefined : openOwner(options, size);
  const onSilence = () => {
    void own?.end({ timeout: 0 });
    own = own && openOwner(options, size);
  };
  return {
    turns: createFairExecutor(() => own ?? owner, { size: Math.max(1, size), deadline, onSilence }),
    end: async (patience: { timeout: number }) => own?.end(patience),
  };
}
