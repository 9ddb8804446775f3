import type postgres from 'postgres';
import type { Logger } from 'pino';
import { BootError } from './boot-error.ts';
import { keepCatalog, type CatalogKeeper, type CatalogOptions } from './catalog.ts';
import { ownerConnection, textConnection } from './connection.ts';
import { createLane, type Lane } from './lane.ts';
import { ensureRole, LOGIN_SETTINGS, loginRole, type Login } from './login-roles.ts';
import { migrate, type Migration } from './migrate.ts';

export type DatabaseOptions = {
  /** The owner's URL: migrations, catalog, roles. */
  ownerUrl: string;
  /** Where requests connect to; the owner's address when it is the same. */
  url: string;
  /** Past a pooler, for LISTEN. */
  directUrl: string;
  /** Logins that are members of service_user; made at boot when not given. */
  loginUrls: Record<Login, string | undefined>;
  poolMax: number;
  connectTimeout: number;
  catalog: CatalogOptions;
  migrations: Migration[];
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

/** Two pipelined connections carry point reads: one 21,500 requests/s, eight 12,000. The rest of the pool scans. */
const POINT_CONNECTIONS = 2;
const POINT_DEPTH = 100;
/** Above the roles' statement_timeout, so that it is the database which gives up first. */
const DEADLINE = 35_000;
const PREPARED_LIMIT = 1000;
/** Owner's connections (2) and LISTEN. */
const RESERVED = 3;

export async function openDatabase(options: DatabaseOptions, log: Logger): Promise<Database> {
  const owner = ownerConnection(options.ownerUrl, { connectTimeout: options.connectTimeout, applicationName: 'rowgate owner' });
  try {
    await requireSupported(owner);
    await bringUpToDate(owner, options, log);
    const watchesDdl = options.ensure ? await watchDdl(owner) : true;
    const catalog = await keepCatalog(owner, options.directUrl, options.catalog, log);
    const lanes = await openLanes(owner, options, log);
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

const OLDEST = 15;

async function requireSupported(owner: postgres.Sql): Promise<void> {
  const [row] = await owner<{ version: string }[]>`select current_setting('server_version_num') as version`;
  const major = Math.floor(Number(row?.version) / 10_000);
  if (major < OLDEST) throw new BootError(`PostgreSQL ${major} is not supported; ${OLDEST} is the oldest that is.`);
}

async function bringUpToDate(owner: postgres.Sql, { ensure, migrations }: DatabaseOptions, log: Logger): Promise<void> {
  if (ensure) return migrate(owner, migrations, name => log.info({ migration: name }, 'migrated'));
  const [row] = await owner<{ count: number }[]>`select case when to_regclass('service.migrations') is null then 0 else 1 end as count`;
  if (row?.count === 0) throw new BootError('The database lacks the service\'s schema, and SERVICE_MIGRATE_ON_BOOT=none forbids making it.');
}

async function watchDdl(owner: postgres.Sql): Promise<boolean> {
  const [row] = await owner<{ watches: boolean }[]>`select service.watch_ddl() as watches`;
  return row?.watches === true;
}

async function openLanes(owner: postgres.Sql, options: DatabaseOptions, log: Logger): Promise<Database['lanes']> {
  const [reader, writer] = [await laneLogin(owner, 'reader', options, log), await laneLogin(owner, 'writer', options, log)];
  const sizes = laneSizes(options.poolMax);
  const lane = (name: keyof Database['lanes'], login: LoginUrl, depth: number) => createLane({
    connect: () => textConnection(login.url, { connectTimeout: options.connectTimeout, applicationName: `rowgate ${name}`, startup: login.startup }),
    size: sizes[name],
    depth,
    deadline: DEADLINE,
    preparedLimit: PREPARED_LIMIT,
  });
  return { point: lane('point', reader, POINT_DEPTH), scan: lane('scan', reader, 1), write: lane('write', writer, 1) };
}

/** What is left of the pool after the owner's, in the end at least one connection a lane; a third of it writes. */
function laneSizes(poolMax: number): Record<keyof Database['lanes'], number> {
  const shared = Math.max(0, poolMax - RESERVED - POINT_CONNECTIONS);
  const write = Math.max(1, Math.floor(shared / 3));
  return { point: Math.min(POINT_CONNECTIONS, poolMax), write, scan: Math.max(1, shared - write) };
}

type LoginUrl = { url: string; startup: Record<string, string> };

/** In this order: the login that was named, one of our own, and at last the owner's, restricted only by what the session says at its start. */
async function laneLogin(owner: postgres.Sql, login: Login, options: DatabaseOptions, log: Logger): Promise<LoginUrl> {
  const named = options.loginUrls[login];
  if (named !== undefined) return checked({ url: named, startup: {} }, login, options);
  try {
    return await ownLogin(owner, login, options);
  } catch (error) {
    if (!isInsufficient(error)) throw error;
    log.warn(`The owner may not create roles. Requests (${login}) use the owner's login with role = service_user at session start, which is weaker than a login of their own: set DATABASE_${login.toUpperCase()}_URL, or grant CREATEROLE.`);
    return checked({ url: options.url, startup: LOGIN_SETTINGS[login] }, login, options);
  }
}

async function ownLogin(owner: postgres.Sql, login: Login, options: DatabaseOptions): Promise<LoginUrl> {
  const role = await loginRole(owner, login);
  const own = { url: withLogin(options.url, role.name, role.password), startup: {} };
  if (options.ensure) await ensureRole(owner, role, login, false);
  try {
    return await checked(own, login, options);
  } catch (error) {
    // A dropped database of this name may have left its role behind, with another password.
    if (!options.ensure || (error as { code?: unknown }).code !== '28P01') throw error;
    await ensureRole(owner, role, login, true);
    return checked(own, login, options);
  }
}

/** A connection that is not restricted would read as its owner: refuse it before the first request does. */
async function checked(address: LoginUrl, login: Login, { connectTimeout }: DatabaseOptions): Promise<LoginUrl> {
  const sql = textConnection(address.url, { connectTimeout, applicationName: 'rowgate check', startup: address.startup });
  try {
    const [row] = await sql<{ role: string; read_only: string; bypass: string }[]>`
      select current_user as role, current_setting('default_transaction_read_only') as read_only,
        (select rolsuper or rolbypassrls from pg_catalog.pg_roles where rolname = session_user)::text as bypass`;
    if (row?.role !== 'service_user' || row.read_only !== LOGIN_SETTINGS[login]['default_transaction_read_only']) {
      throw new BootError(`The ${login}'s connection runs as ${row?.role ?? 'nobody'} (read-only ${row?.read_only ?? '?'}), not as service_user${login === 'reader' ? ', read-only' : ''}: its login role needs the settings of service.login_role, and a pooler must keep them.`);
    }
    return address;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function withLogin(url: string, user: string, password: string): string {
  const login = new URL(url);
  login.username = encodeURIComponent(user);
  login.password = encodeURIComponent(password);
  return login.href;
}

async function probe(owner: postgres.Sql): Promise<void> {
  await owner`select from service.catalog`;
}

async function report(owner: postgres.Sql, { schema, unprotected }: CatalogOptions, watchesDdl: boolean): Promise<BootReport> {
  const [skipped, grants, unreachablePolicies] = await Promise.all([
    owner<BootReport['skipped']>`select slug, reason, remedy from service.introspected_tables(${schema}, ${unprotected}) where reason is not null order by slug`,
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
  if (code === '3D000') return new BootError(`The database of DATABASE_URL does not exist: ${message}.`, { cause: error });
  if (code !== undefined && /^(E[A-Z]+|CONNECT_TIMEOUT|CONNECTION_.*)$/.test(code)) return new BootError(`The database of DATABASE_URL cannot be reached: ${message} (${code}).`, { cause: error });
  return error;
}
