import type postgres from 'postgres';
import type { Logger } from 'pino';
import { BootError } from '../error.ts';
import { textConnection } from './connection.ts';
import { exclusively } from './exclusive.ts';
import { ensureRole, LOGIN_SETTINGS, loginRole, type Login } from './login-roles.ts';
import { inspectSessions } from './pooler.ts';

/** Who a lane's connections log in as. `startup` restricts a login that is not restricted by its own settings. */
export type LaneLogin = { url: string; startup: Record<string, string> };

export type LaneLoginOptions = {
  /** Where requests connect to. */
  url: string;
  /** Logins that are members of service_user; made at boot when not given. */
  loginUrls: Record<Login, string | undefined>;
  connectTimeout: number;
  /** Whether boot may change the database. */
  ensure: boolean;
};

/** In this order: the login that was named, one of our own, and at last the owner's, restricted only by what the session says at its start. */
export async function laneLogin(owner: postgres.Sql, login: Login, options: LaneLoginOptions, log: Logger): Promise<LaneLogin> {
  const named = options.loginUrls[login];
  if (named !== undefined) return accepted(owner, { url: named, startup: {} }, login, options);
  try {
    return await ownLogin(owner, login, options);
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42501') throw error;
    log.warn(`The owner may not create roles. Requests (${login}) use the owner's login with role = service_user at session start, which is weaker than a login of their own: set DATABASE_${login.toUpperCase()}_URL, or grant CREATEROLE.`);
    return accepted(owner, { url: options.url, startup: LOGIN_SETTINGS[login] }, login, options);
  }
}

async function ownLogin(owner: postgres.Sql, login: Login, options: LaneLoginOptions): Promise<LaneLogin> {
  const role = await loginRole(owner, login);
  const own = { url: withLogin(options.url, role.name, role.password), startup: {} };
  if (options.ensure) await exclusively(owner, transaction => ensureRole(transaction, role, login, false));
  try {
    return await checked(owner, own, login, options);
  } catch (error) {
    // A dropped database of this name may have left its role behind, with another password.
    if (!options.ensure || (error as { code?: unknown }).code !== '28P01') throw refusedLogin(error, own, login);
    await exclusively(owner, transaction => ensureRole(transaction, role, login, true));
    return await accepted(owner, own, login, options);
  }
}

async function accepted(owner: postgres.Sql, address: LaneLogin, login: Login, options: LaneLoginOptions): Promise<LaneLogin> {
  return checked(owner, address, login, options).catch((error: unknown) => { throw refusedLogin(error, address, login); });
}

/** A connection that is not restricted would read as its owner: refuse it before the first request does. */
async function checked(owner: postgres.Sql, address: LaneLogin, login: Login, { connectTimeout }: LaneLoginOptions): Promise<LaneLogin> {
  const connect = () => laneConnection(address, { connectTimeout, applicationName: 'rowgate check' });
  const sql = connect();
  try {
    const [row] = await sql<{ role: string; login: string; read_only: string }[]>`
      select current_user as role, session_user as login, current_setting('default_transaction_read_only') as read_only`;
    if (row?.role !== 'service_user' || row.read_only !== LOGIN_SETTINGS[login]['default_transaction_read_only']) {
      throw new BootError(`The ${login}'s connection runs as ${row?.role ?? 'nobody'} (read-only ${row?.read_only ?? '?'}), not as service_user${login === 'reader' ? ', read-only' : ''}: its login role needs the settings of service.login_role, and a pooler must keep them.`);
    }
    // The owner's login is the last resort, and said to be weaker.
    await requireNoFault(owner, address.startup['role'] === undefined ? row.login : 'service_user');
  } finally {
    await sql.end({ timeout: 1 });
  }
  await inspectSessions(connect, `The ${login}'s connection`);
  return address;
}

/** A pooler that lacks a login, or does not take what restricts it, says so in several ways; none tells that the login is one of ours. */
function refusedLogin(error: unknown, address: LaneLogin, login: Login): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (!/^(28000|28P01|08P01)$/.test(code ?? '')) return error;
  const name = decodeURIComponent(/^\w+:\/\/([^:@/]*)/.exec(address.url)?.[1] ?? '');
  return new BootError(`The login ${name} was refused: ${message}. Where requests go through a pooler, the pooler must know it (auth_query); or name a login that it knows with DATABASE_${login.toUpperCase()}_URL.`, { cause: error });
}

export function laneConnection({ url, startup }: LaneLogin, options: { connectTimeout: number; applicationName: string }): postgres.Sql {
  return textConnection(url, { ...options, startup });
}

async function requireNoFault(owner: postgres.Sql, login: string): Promise<void> {
  const faults = await owner<{ fault: string }[]>`select fault from service.role_faults(${login}) fault`;
  if (faults.length > 0) throw new BootError(`Row security would not hold for requests: ${faults.map(({ fault }) => fault).join('; ')}.`);
}

/** The URL may name several hosts, which URL parsers refuse. */
function withLogin(url: string, user: string, password: string): string {
  return url.replace(/^(\w+:\/\/)(?:[^@/]*@)?/, `$1${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
}

/** The same login at a server that is a copy of ours. The owner's own, when that is what requests use, is in the other URL. */
export function atAnotherServer({ url, startup }: LaneLogin, other: string): LaneLogin {
  const own = /^\w+:\/\/([^@/]*@)/.exec(url)?.[1];
  if (own === undefined || startup['role'] !== undefined) return { url: other, startup };
  return { url: other.replace(/^(\w+:\/\/)(?:[^@/]*@)?/, (_, scheme: string) => `${scheme}${own}`), startup };
}
