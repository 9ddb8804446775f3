import type { Logger } from 'pino';
import type postgres from 'postgres';
import { laneConnection, loginName, withLogin, type LaneLogin } from '../database/lane-login.ts';
import { exclusively } from '../database/exclusive.ts';
import { ensureRole, loginRole, loginSettings, type Login } from '../database/login-roles.ts';
import { inspectSessions } from '../database/pooler.ts';
import { isDenied, isProtocolViolation, isRefusedLogin, isWrongPassword } from '../database/sqlstate.ts';
import { BootError } from '../error.ts';

export type LoginOptions = {
  /** Where requests connect to. */
  url: string;
  /** Logins that are members of service_user; made at boot when not given. */
  loginUrls: Record<'reader' | 'writer', string | undefined>;
  connectTimeout: number;
  /** Whether boot may change the database. */
  ensure: boolean;
  /** Where foreign functions look for their tables. */
  introspectSchema: string;
};

export type Logins = Record<'reader' | 'writer', LaneLogin>;

/** Opens the logins of requests: each is tried, and rejected where it is not as restricted as it should be. */
export async function openLogins(owner: postgres.Sql, options: LoginOptions, log: Logger): Promise<Logins> {
  const opening = { reader: openLogin(owner, 'reader', options, log), writer: openLogin(owner, 'writer', options, log) };
  await Promise.allSettled(Object.values(opening)); // nothing is under way any more when one has failed
  return { reader: await opening.reader, writer: await opening.writer };
}

/**
 * The login on which functions of the project run as the service: one of our own, else the writer's that was named. It may record that they
 * are done, which the role of requests may not.
 * @throws BootError where there is none: never the owner's
 */
export async function openServiceLogin(owner: postgres.Sql, options: LoginOptions): Promise<LaneLogin> {
  const { writer: named } = options.loginUrls;
  const login = named === undefined
    ? await ownLogin(owner, 'service', options).catch((error: unknown) => { throw isDenied(error) ? noServiceLogin(error) : error; })
    : await accepted(owner, { url: named, startup: {} }, 'writer', options);
  if (options.ensure) await exclusively(owner, transaction => transaction`select service_private.grant_settling(${loginName(login.url)})`);
  return login;
}

function noServiceLogin(cause: unknown): BootError {
  return new BootError('SQL functions of jobs and schedules run on a login of their own, and the owner may not create roles: '
    + 'set DATABASE_WRITER_URL, or grant CREATEROLE.', { cause });
}

/**
 * In this order: the login that was named, one of our own, and at last the owner's, restricted only by what the session
 * says at its start.
 */
async function openLogin(owner: postgres.Sql, login: keyof Logins, options: LoginOptions, log: Logger): Promise<LaneLogin> {
  const named = options.loginUrls[login];
  if (named !== undefined) return accepted(owner, { url: named, startup: {} }, login, options);
  try {
    return await ownLogin(owner, login, options);
  } catch (error) {
    if (!isDenied(error)) throw error;
    log.warn(`The owner may not create roles. Requests (${login}) use the owner's login with role = service_user at session start, `
      + `which is weaker than a login of their own: set ${variable(login)}, or grant CREATEROLE.`);
    return accepted(owner, { url: options.url, startup: await loginSettings(owner, login, options.introspectSchema) }, login, options);
  }
}

async function ownLogin(owner: postgres.Sql, login: Login, options: LoginOptions): Promise<LaneLogin> {
  const role = await loginRole(owner, login, options.introspectSchema);
  const own = { url: withLogin(options.url, role.name, role.password), startup: {} };
  const settings = await loginSettings(owner, login, options.introspectSchema);
  if (options.ensure) await ensureRole(owner, role, settings, false);
  try {
    return await checked(owner, own, login, options);
  } catch (error) {
    // A dropped database of this name may have left its role behind, with another password.
    if (!options.ensure || !isWrongPassword(error)) throw refusedLogin(error, own, login);
    await ensureRole(owner, role, settings, true);
    return await accepted(owner, own, login, options);
  }
}

async function accepted(owner: postgres.Sql, address: LaneLogin, login: Login, options: LoginOptions): Promise<LaneLogin> {
  return checked(owner, address, login, options).catch((error: unknown) => { throw refusedLogin(error, address, login); });
}

/** A connection that is not restricted would read as its owner: refuse it before the first request does. */
async function checked(owner: postgres.Sql, address: LaneLogin, login: Login, { connectTimeout }: LoginOptions): Promise<LaneLogin> {
  const connect = () => laneConnection(address, { connectTimeout, applicationName: 'rowgate check' });
  const sql = connect();
  try {
    const [row] = await sql<Session[]>`
      select current_user as role, session_user as login, current_setting('default_transaction_read_only') as read_only`;
    if (row?.role !== 'service_user' || row.read_only !== (login === 'reader' ? 'on' : 'off')) throw unrestricted(login, row);
    // The owner's login is the last resort, and said to be weaker.
    await requireNoFault(owner, address.startup['role'] === undefined ? row.login : 'service_user');
    return { ...address, sessions: await inspectSessions(sql, connect, `The ${login}'s connection`) };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

type Session = { role: string; login: string; read_only: string };

function unrestricted(login: Login, { role, read_only }: Partial<Session> = {}): BootError {
  const wanted = login === 'reader' ? 'service_user, read-only' : 'service_user';
  return new BootError(`The ${login}'s connection runs as ${role ?? 'nobody'} (read-only ${read_only ?? '?'}), not as ${wanted}: `
    + 'its login role needs the settings of service_private.login_role, and a pooler must keep them.');
}

async function requireNoFault(owner: postgres.Sql, login: string): Promise<void> {
  const faults = await owner<{ fault: string }[]>`select fault from service_private.role_faults(${login}) fault`;
  if (faults.length > 0) throw new BootError(`Row security would not hold for requests: ${faults.map(({ fault }) => fault).join('; ')}.`);
}

/** A pooler that lacks a login, or does not take what restricts it, says so in several ways; none tells that the login is one of ours. */
function refusedLogin(error: unknown, address: LaneLogin, login: Login): unknown {
  if (!isRefusedLogin(error) && !isProtocolViolation(error)) return error;
  return new BootError(`The login ${loginName(address.url)} was refused: ${(error as Error).message}. Where requests go through a pooler, `
    + `the pooler must know it (auth_query); or name a login that it knows with ${variable(login)}.`, { cause: error });
}

/** The setting that names one instead. */
function variable(login: Login): string {
  return login === 'reader' ? 'DATABASE_READER_URL' : 'DATABASE_WRITER_URL';
}
