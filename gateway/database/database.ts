import { setTimeout } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Logger } from 'pino';
import { BootError } from '../error.ts';
import { listenAt, type Announcements } from './announcements.ts';
import { applyFiles, requireSound } from './collection-files.ts';
import { keepCatalog, type CatalogKeeper, type CatalogOptions } from './catalog.ts';
import { ownerConnection, textConnection } from './connection.ts';
import { createLane, type Lane } from './lane.ts';
import { ensureRole, LOGIN_SETTINGS, loginRole, type Login } from './login-roles.ts';
import { exclusively } from './exclusive.ts';
import { migrate, requireMigrated, type Migration } from './migrate.ts';
import { migrateProject } from './project-migrations.ts';

export type DatabaseOptions = {
  /** The owner's URL: migrations, catalog, roles. */
  ownerUrl: string;
  /** Where requests connect to; the owner's address when it is the same. */
  url: string;
  /** Past a pooler, for LISTEN. */
  directUrl: string;
  /** For a process that has them from elsewhere than LISTEN. */
  announcements?: Announcements;
  /** Logins that are members of service_user; made at boot when not given. */
  loginUrls: Record<Login, string | undefined>;
  poolMax: number;
  connectTimeout: number;
  catalog: CatalogOptions;
  migrations: Migration[];
  /** The folder of the project's own migrations; it need not be there. */
  projectMigrations: string;
  /** Whether boot may change the database. */
  ensure: boolean;
};

export type Database = {
  catalog: CatalogKeeper;
  lanes: Record<'point' | 'scan' | 'write', Lane>;
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
/** Above the roles' statement_timeout, so that it is the database which gives up first. */
const DEADLINE = 35_000;
const PREPARED_LIMIT = 1000;

export async function openDatabase(options: DatabaseOptions, log: Logger): Promise<Database> {
  const shares = poolShares(options.poolMax, options.announcements === undefined ? 1 : 0);
  const owner = openOwner(options, shares.owner);
  try {
    const { source } = options.catalog;
    await Promise.race([requireSupported(owner), silence(options.connectTimeout)]);
    if (source.kind === 'files') await requireSound(owner, source.files);
    await bringUpToDate(owner, options, log);
    const watchesDdl = options.ensure ? await watchDdl(owner) : true;
    await bringProjectUpToDate(owner, options, log);
    const lanes = await openLanes(owner, shares, options, log);
    const catalog = await keepCatalog(owner, options.announcements ?? listenAt(options.directUrl), options.catalog, log);
    return {
      catalog,
      lanes,
      probe: () => probe(owner),
      report: () => report(owner, options.catalog, watchesDdl),
      close: deadline => close(owner, catalog, lanes, deadline),
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

async function bringUpToDate(owner: postgres.Sql, { ensure, migrations }: DatabaseOptions, log: Logger): Promise<void> {
  if (ensure) await migrate(owner, migrations, name => log.info({ migration: name }, 'migrated'));
  else await requireMigrated(owner, migrations);
}

/** The project: its collection files where it has some, and its own migrations. */
async function bringProjectUpToDate(owner: postgres.Sql, { catalog: { source }, ensure, ownerUrl, projectMigrations }: DatabaseOptions, log: Logger): Promise<void> {
  const migrateOwn = () => migrateProject(owner, ownerUrl, projectMigrations, log);
  if (source.kind === 'files') await applyFiles(owner, source.files, ensure ? migrateOwn : undefined, log);
  else if (ensure) await migrateOwn();
}

async function watchDdl(owner: postgres.Sql): Promise<boolean> {
  const [row] = await exclusively(owner, transaction => transaction<{ watches: boolean }[]>`select service.watch_ddl() as watches`);
  return row?.watches === true;
}

async function openLanes(owner: postgres.Sql, shares: PoolShares, options: DatabaseOptions, log: Logger): Promise<Database['lanes']> {
  const [reader, writer] = [await laneLogin(owner, 'reader', options, log), await laneLogin(owner, 'writer', options, log)];
  const lane = (name: keyof Database['lanes'], login: LoginUrl, depth: number) => createLane({
    connect: () => textConnection(login.url, { connectTimeout: options.connectTimeout, applicationName: `rowgate ${name}`, startup: login.startup }),
    size: shares[name],
    depth,
    deadline: DEADLINE,
    preparedLimit: PREPARED_LIMIT,
  });
  return { point: lane('point', reader, POINT_DEPTH), scan: lane('scan', reader, 1), write: lane('write', writer, 1) };
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

type LoginUrl = { url: string; startup: Record<string, string> };

/** In this order: the login that was named, one of our own, and at last the owner's, restricted only by what the session says at its start. */
async function laneLogin(owner: postgres.Sql, login: Login, options: DatabaseOptions, log: Logger): Promise<LoginUrl> {
  const named = options.loginUrls[login];
  if (named !== undefined) return checked(owner, { url: named, startup: {} }, login, options);
  try {
    return await ownLogin(owner, login, options);
  } catch (error) {
    if (!isInsufficient(error)) throw error;
    log.warn(`The owner may not create roles. Requests (${login}) use the owner's login with role = service_user at session start, which is weaker than a login of their own: set DATABASE_${login.toUpperCase()}_URL, or grant CREATEROLE.`);
    return checked(owner, { url: options.url, startup: LOGIN_SETTINGS[login] }, login, options);
  }
}

async function ownLogin(owner: postgres.Sql, login: Login, options: DatabaseOptions): Promise<LoginUrl> {
  const role = await loginRole(owner, login);
  const own = { url: withLogin(options.url, role.name, role.password), startup: {} };
  if (options.ensure) await exclusively(owner, transaction => ensureRole(transaction, role, login, false));
  try {
    return await checked(owner, own, login, options);
  } catch (error) {
    // A dropped database of this name may have left its role behind, with another password.
    if (!options.ensure || (error as { code?: unknown }).code !== '28P01') throw error;
    await exclusively(owner, transaction => ensureRole(transaction, role, login, true));
    return checked(owner, own, login, options);
  }
}

/** A connection that is not restricted would read as its owner: refuse it before the first request does. */
async function checked(owner: postgres.Sql, address: LoginUrl, login: Login, { connectTimeout }: DatabaseOptions): Promise<LoginUrl> {
  const sql = textConnection(address.url, { connectTimeout, applicationName: 'rowgate check', startup: address.startup });
  try {
    const [row] = await sql<{ role: string; login: string; read_only: string }[]>`
      select current_user as role, session_user as login, current_setting('default_transaction_read_only') as read_only`;
    if (row?.role !== 'service_user' || row.read_only !== LOGIN_SETTINGS[login]['default_transaction_read_only']) {
      throw new BootError(`The ${login}'s connection runs as ${row?.role ?? 'nobody'} (read-only ${row?.read_only ?? '?'}), not as service_user${login === 'reader' ? ', read-only' : ''}: its login role needs the settings of service.login_role, and a pooler must keep them.`);
    }
    // The owner's login is the last resort, and said to be weaker.
    await requireNoFault(owner, address.startup['role'] === undefined ? row.login : 'service_user');
    return address;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function requireNoFault(owner: postgres.Sql, login: string): Promise<void> {
  const faults = await owner<{ fault: string }[]>`select fault from service.role_faults(${login}) fault`;
  if (faults.length > 0) throw new BootError(`Row security would not hold for requests: ${faults.map(({ fault }) => fault).join('; ')}.`);
}

/** The URL may name several hosts, which URL parsers refuse. */
function withLogin(url: string, user: string, password: string): string {
  return url.replace(/^(\w+:\/\/)(?:[^@/]*@)?/, `$1${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
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

function isInsufficient(error: unknown): boolean {
  return (error as { code?: unknown }).code === '42501';
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
