import { setTimeout } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Logger } from 'pino';
import { BootError } from '../error.ts';
import { listenAt, unannounced, type Announcements } from '../catalog/announcements.ts';
import { applyFiles, requireSound } from '../boot/provision.ts';
import { keepCatalog, type CatalogKeeper, type CatalogOptions } from '../catalog/catalog.ts';
import { ownerConnection } from './connection.ts';
import { createLane, type Lane, type LaneOptions } from './lane.ts';
import { atAnotherServer, laneConnection, laneLogin, type LaneLogin, type LaneLoginOptions } from './lane-login.ts';
import { exclusively } from './exclusive.ts';
import { migrate, requireMigrated } from '../boot/migrate.ts';
import { type SchemaFiles } from '../boot/schema-files.ts';
import { createSharedLane, type Sharing } from './shared-lane.ts';
import { inspectSessions, type Sessions } from './pooler.ts';
import { hasMigrations, openMigrations } from '../boot/project.ts';
import { watchReplica } from './replica.ts';

export type DatabaseOptions = LaneLoginOptions & {
  /** The owner's URL: migrations, catalog, roles. */
  ownerUrl: string;
  /** Past a pooler, for LISTEN. */
  directUrl: string;
  /** For a process that has them from elsewhere than LISTEN. */
  announcements?: Announcements;
  /** Where reads go while it is fit. */
  replica: { url: string; maxLag: number } | undefined;
  poolMax: number;
  catalog: CatalogOptions;
  /** The service's own schema. */
  schema: SchemaFiles;
  /** The folder of the project's own migrations; it need not be there. */
  projectMigrations: string;
};

export type Database = {
  catalog: CatalogKeeper;
  /** Of the primary. */
  lanes: Record<'point' | 'scan' | 'write', Lane>;
  /** Where reads go by themselves: to the replica while it is fit, else to the primary's lanes. */
  reads: Record<'point' | 'scan', Lane>;
  /** Why they do not go to the replica, when there is one. */
  replicaTrouble: () => string | undefined;
  /** Throws when the database cannot answer or lacks the service's schema. */
  probe: () => Promise<void>;
  report: () => Promise<BootReport>;
  close: (deadline: number) => Promise<void>;
};

/** What a DBA should know after boot. */
export type BootReport = {
  skipped: { slug: string; reason: string; remedy: string }[];
  missingGrants: string[];
  unreachablePolicies: { table_name: string; policy: string; roles: string }[];
  /** False: DDL is not announced, the catalog reloads on `select service.reload()`. */
  watchesDdl: boolean;
};

const POINT_DEPTH = 100;
/** Of statements that are short by experience. One that is not holds up no more than these, and a write that waits for a lock holds them up longer. */
const SHORT_DEPTH = { scan: 32, write: 16 };
const SCANS_AT_ONCE = 4;
/** Above the roles' statement_timeout, so that it is the database which gives up first. */
const DEADLINE = 35_000;
const PREPARED_LIMIT = 1000;

export async function openDatabase(options: DatabaseOptions, log: Logger): Promise<Database> {
  const shares = poolShares(options.poolMax, options.announcements === undefined ? 1 : 0);
  const owner = openOwner(options, shares.owner);
  try {
    const { source } = options.catalog;
    await Promise.race([requireSupported(owner), silence(options.connectTimeout)]);
    const sessions = await ownerSessions(options, log);
    if (source.kind === 'files') await requireSound(owner, source.files);
    await bringUpToDate(owner, options, log);
    const watchesDdl = options.ensure ? await watchDdl(owner) : true;
    await bringProjectUpToDate(owner, sessions.owner, options, log);
    const logins = { reader: await laneLogin(owner, 'reader', options, log), writer: await laneLogin(owner, 'writer', options, log) };
    const lanes = openLanes(logins, shares, options);
    const replica = options.replica && await openReplica(owner, options.replica, logins.reader, shares, lanes, options, log);
    const announcements = options.announcements ?? (sessions.listen === 'own' ? listenAt(options.directUrl) : unannounced);
    const catalog = await keepCatalog(owner, announcements, options.catalog, log);
    return {
      catalog,
      lanes,
      reads: replica?.lanes ?? lanes,
      replicaTrouble: () => replica?.watch.trouble,
      probe: () => probe(owner),
      report: () => report(owner, options.catalog, watchesDdl),
      close: deadline => Promise.all([replica?.close(deadline), close(owner, catalog, lanes, deadline)]).then(() => undefined),
    };
  } catch (error) {
    await owner.end({ timeout: 0 });
    throw explained(error);
  }
}

function openOwner({ ownerUrl, connectTimeout }: DatabaseOptions, size: number): postgres.Sql {
  try {
    return ownerConnection(ownerUrl, { connectTimeout, applicationName: 'rowgate owner' }, size);
  } catch (error) {
    throw explained(error);
  }
}

/** The driver connects again for ever, and at once, to what accepts a connection and closes it without a word. */
async function silence(connectTimeout: number): Promise<void> {
  if (connectTimeout === 0) return new Promise(() => undefined);
  await setTimeout(connectTimeout + 1_000, undefined, { ref: false });
  throw new BootError(`The database of DATABASE_URL cannot be reached: nothing there answered as PostgreSQL does in ${connectTimeout + 1_000} ms.`);
}

const OLDEST = 15;

async function requireSupported(owner: postgres.Sql): Promise<void> {
  const [row] = await owner<{ version: string }[]>`select current_setting('server_version_num') as version`;
  const major = Math.floor(Number(row?.version) / 10_000);
  if (major < OLDEST) throw new BootError(`PostgreSQL ${major} is not supported; ${OLDEST} is the oldest that is.`);
}

async function bringUpToDate(owner: postgres.Sql, { ensure, schema }: DatabaseOptions, log: Logger): Promise<void> {
  if (!ensure) return requireMigrated(owner, schema);
  const done = await migrate(owner, schema);
  if (done) log.info(`The service's schema was brought up to date: ${done.migrations.length} migrations, ${done.sources.length} functions and policies.`);
}

/** LISTEN needs a session of its own; so do the locks of the project's migrations. */
async function ownerSessions({ ownerUrl, directUrl, announcements, connectTimeout }: DatabaseOptions, log: Logger): Promise<Record<'owner' | 'listen', Sessions>> {
  const inspect = (url: string, name: string) => inspectSessions(() => ownerConnection(url, { connectTimeout, applicationName: 'rowgate check' }, 1), name);
  const owner = await inspect(ownerUrl, 'The owner\'s connection');
  if (announcements !== undefined) return { owner, listen: 'own' };
  const listen = directUrl === ownerUrl ? owner : await inspect(directUrl, 'DATABASE_DIRECT_URL');
  if (listen === 'shared') log.warn('LISTEN does not work through a pooler that shares sessions between transactions: changes of tables are noticed at the next start. Set DATABASE_DIRECT_URL to the database itself.');
  return { owner, listen };
}

/** The project: its collection files where it has some, and its own migrations. */
async function bringProjectUpToDate(owner: postgres.Sql, sessions: Sessions, { catalog: { source }, ensure, ownerUrl, projectMigrations }: DatabaseOptions, log: Logger): Promise<void> {
  if (ensure && sessions === 'shared' && hasMigrations(projectMigrations)) {
    throw new BootError(`The migrations in ${projectMigrations} cannot run through a pooler that shares sessions between transactions: set DATABASE_DIRECT_URL (or ADMIN_CONNECTION_STRING) to the database itself.`);
  }
  const own = openMigrations(owner, ownerUrl, projectMigrations, log);
  if (source.kind === 'files') await applyFiles(owner, source.files, ensure ? own : undefined, log);
  else if (ensure) await own.run();
}

async function watchDdl(owner: postgres.Sql): Promise<boolean> {
  const [row] = await exclusively(owner, transaction => transaction<{ watches: boolean }[]>`select service.watch_ddl() as watches`);
  return row?.watches === true;
}

function openLanes({ reader, writer }: Record<'reader' | 'writer', LaneLogin>, shares: PoolShares, options: DatabaseOptions): Database['lanes'] {
  return { ...readLanes(reader, shares, options), write: createSharedLane(laneOptions('write', writer, shares, options), sharing('write', shares)) };
}

function readLanes(reader: LaneLogin, shares: PoolShares, options: DatabaseOptions): Database['reads'] {
  return {
    point: createLane({ ...laneOptions('point', reader, shares, options), depth: POINT_DEPTH }),
    scan: createSharedLane({ ...laneOptions('scan', reader, shares, options), eager: SCANS_AT_ONCE }, sharing('scan', shares)),
  };
}

function laneOptions(name: keyof Database['lanes'], login: LaneLogin, shares: PoolShares, { connectTimeout }: DatabaseOptions): LaneOptions {
  return {
    connect: () => laneConnection(login, { connectTimeout, applicationName: `rowgate ${name}` }),
    size: shares[name],
    depth: 1,
    deadline: DEADLINE,
    preparedLimit: PREPARED_LIMIT,
  };
}

/** As many connections as reads have at the primary, which opens its own only when they are needed, and one to watch. The readers' role is there as everything is. */
async function openReplica(owner: postgres.Sql, { url, maxLag }: { url: string; maxLag: number }, reader: LaneLogin, shares: PoolShares, primary: Database['lanes'], options: DatabaseOptions, log: Logger) {
  const login = atAnotherServer(reader, url);
  const watch = await watchReplica(owner, { login, connectTimeout: options.connectTimeout, maxLag }, log);
  const { point, scan } = readLanes(login, shares, options);
  const lanes = { point: watch.reading(point, primary.point), scan: watch.reading(scan, primary.scan) };
  const close = (deadline: number) => Promise.all([watch.close(), point.close(deadline), scan.close(deadline)]);
  return { watch, lanes, close };
}

type PoolShares = Record<keyof Database['lanes'] | 'owner', number>;

/** LISTEN has one here or elsewhere, the owner and the point lane one or two: two pipelined connections carry 21,500 point reads/s, eight 12,000. A third of the rest writes, the others scan. */
function poolShares(poolMax: number, listening: number): PoolShares {
  const rest = poolMax - listening;
  if (rest < 4) throw new BootError('DB_POOL_MAX must be 5 or more: the owner, LISTEN, and the lanes for rows, lists and writes need a connection each.');
  const few = rest < 7 ? 1 : 2;
  const slow = rest - 2 * few;
  const write = Math.max(1, Math.floor(slow / 3));
  return { owner: few, point: few, write, scan: slow - write };
}

/** Two connections, since a slow statement may hold one up. */
function sharing(lane: 'scan' | 'write', shares: PoolShares): Sharing {
  return { size: Math.min(2, Math.floor(shares[lane] / 2)), depth: SHORT_DEPTH[lane] };
}

async function probe(owner: postgres.Sql): Promise<void> {
  await owner`select from service.catalog`;
}

async function report(owner: postgres.Sql, { source }: CatalogOptions, watchesDdl: boolean): Promise<BootReport> {
  const [skipped, grants, unreachablePolicies] = await Promise.all([
    source.kind !== 'tables' ? [] : owner<BootReport['skipped']>`select slug, reason, remedy from service.introspected_tables(${source.schema}, ${source.unprotected}) where reason is not null order by slug`,
    owner<{ statement: string }[]>`select statement from service.missing_grants() statement`,
    owner<BootReport['unreachablePolicies']>`select * from service.unreachable_policies()`,
  ]);
  return { skipped, missingGrants: grants.map(({ statement }) => statement), unreachablePolicies, watchesDdl };
}

async function close(owner: postgres.Sql, catalog: CatalogKeeper, lanes: Database['lanes'], deadline: number): Promise<void> {
  await Promise.all([lanes.point.close(deadline), lanes.scan.close(deadline), lanes.write.close(deadline), catalog.close()]);
  await owner.end({ timeout: 1 });
}

/** One line for what an operator can mend; anything else is a fault of ours and keeps its stack. */
function explained(error: unknown): unknown {
  if (error instanceof BootError) return error;
  const { code, message } = error as { code?: string; message: string };
  if (code === '42501') return new BootError(`The owner lacks a right it needs: ${message}. It needs CREATE on the database and CREATEROLE (or a superuser runs: create role service_user nologin noinherit; grant service_user to <owner> with admin option;).`, { cause: error });
  if (code === '28P01' || code === '28000') return new BootError(`The database refused the login of DATABASE_URL: ${message}.`, { cause: error });
  if (code === '42710') return new BootError(`${message}. ${(error as { hint?: string }).hint ?? ''}`, { cause: error });
  if (code === 'ERR_INVALID_URL' || error instanceof URIError) return new BootError('DATABASE_URL (or another of the connection URLs) is not a valid URL: characters such as @ / : # % in a name or password must be percent-encoded.');
  if (code === '3D000') return new BootError(`The database of DATABASE_URL does not exist: ${message}.`, { cause: error });
  if (code !== undefined && /^(E[A-Z]+|CONNECT_TIMEOUT|CONNECTION_.*)$/.test(code)) return new BootError(`The database of DATABASE_URL cannot be reached: ${message} (${code}).`, { cause: error });
  return error;
}
