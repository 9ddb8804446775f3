import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { ownerConnection } from '../database/connection.ts';
import { inspectSessions, type Sessions } from '../database/pooler.ts';
import { isDenied, isMissingDatabase, isNameTaken, isRefusedLogin, type DatabaseError } from '../database/sqlstate.ts';
import { BootError } from '../error.ts';

export type OwnerOptions = {
  /** The owner's URL: migrations, catalog, roles. */
  ownerUrl: string;
  /** Past a pooler, for LISTEN. */
  directUrl: string;
  connectTimeout: number;
  /** Milliseconds after which a connection with nothing to do is closed. 0: never. */
  idleTimeout: number;
};

/** The owner's connections, which are made when they are needed. @throws BootError for what is no URL. */
export function openOwner({ ownerUrl, connectTimeout, idleTimeout }: OwnerOptions, size: number): postgres.Sql {
  try {
    return ownerConnection(ownerUrl, { connectTimeout, idleTimeout, applicationName: 'rowgate owner' }, size);
  } catch (error) {
    throw explained(error);
  }
}

/** @throws BootError when nothing there answers as PostgreSQL does, or it is too old. */
export async function reach(owner: postgres.Sql, { connectTimeout }: OwnerOptions): Promise<void> {
  await Promise.race([requireSupported(owner), silence(connectTimeout)]);
}

const OLDEST = 15;

async function requireSupported(owner: postgres.Sql): Promise<void> {
  const [row] = await owner<{ version: string }[]>`select current_setting('server_version_num') as version`;
  const major = Math.floor(Number(row?.version) / 10_000);
  if (major < OLDEST) throw new BootError(`PostgreSQL ${major} is not supported; ${OLDEST} is the oldest that is.`);
}

/** The driver connects again for ever, and at once, to what accepts a connection and closes it without a word. */
async function silence(connectTimeout: number): Promise<void> {
  if (connectTimeout === 0) return new Promise(() => undefined);
  const patience = connectTimeout + 1_000;
  await setTimeout(patience, undefined, { ref: false });
  throw new BootError(`The database of DATABASE_URL cannot be reached: nothing there answered as PostgreSQL does in ${patience} ms.`);
}

/** Whether a pooler shares sessions: LISTEN needs one of its own, and so do the locks of the project's migrations. */
export async function sessionsOf(
  owner: postgres.Sql, options: OwnerOptions, listens: boolean, log: Logger,
): Promise<Record<'owner' | 'listen', Sessions>> {
  const { ownerUrl, directUrl } = options;
  const ofOwner = await inspectSessions(owner, () => checking(ownerUrl, options), 'The owner\'s connection');
  if (!listens) return { owner: ofOwner, listen: 'own' };
  const listen = directUrl === ownerUrl ? ofOwner : await directSessions(options);
  if (listen === 'shared') {
    log.warn('LISTEN does not work through a pooler that shares sessions between transactions: changes of tables are noticed '
      + 'at the next start. Set DATABASE_DIRECT_URL to the database itself.');
  }
  return { owner: ofOwner, listen };
}

async function directSessions(options: OwnerOptions): Promise<Sessions> {
  const connect = () => checking(options.directUrl, options);
  const one = connect();
  try {
    return await inspectSessions(one, connect, 'DATABASE_DIRECT_URL');
  } finally {
    await one.end({ timeout: 1 });
  }
}

function checking(url: string, { connectTimeout }: OwnerOptions): postgres.Sql {
  return ownerConnection(url, { connectTimeout, applicationName: 'rowgate check' }, 1);
}

type Explanation = { of: (error: Failure) => boolean; says: (error: Failure) => string };
type Failure = Partial<DatabaseError> & { message: string };

/** Explanations of failures that an operator can mend; the first match counts. */
const EXPLANATIONS: Explanation[] = [
  { of: isDenied, says: ({ message }) => `The owner lacks a right it needs: ${message}. It needs CREATE on the database and CREATEROLE `
    + '(or a superuser runs: create role service_user nologin noinherit; grant service_user to <owner> with admin option;).' },
  { of: isRefusedLogin, says: ({ message }) => `The database refused the login of DATABASE_URL: ${message}.` },
  { of: isNameTaken, says: ({ message, hint = '' }) => `${message}. ${hint}` },
  { of: isNoUrl, says: () => 'DATABASE_URL (or another of the connection URLs) is not a valid URL: '
    + 'characters such as @ / : # % in a name or password must be percent-encoded.' },
  { of: isMissingDatabase, says: ({ message }) => `The database of DATABASE_URL does not exist: ${message}.` },
  { of: isUnreachable, says: ({ message, code = '' }) => `The database of DATABASE_URL cannot be reached: ${message} (${code}).` },
];

/** One line for what an operator can mend; anything else is a fault of ours and keeps its stack. */
export function explained(error: unknown): unknown {
  if (error instanceof BootError || !(error instanceof Error)) return error;
  const explanation = EXPLANATIONS.find(({ of }) => of(error));
  return explanation === undefined ? error : new BootError(explanation.says(error), { cause: error });
}

function isNoUrl(error: Failure): boolean {
  return error.code === 'ERR_INVALID_URL' || error instanceof URIError;
}

/** Codes of the system and of the driver. */
function isUnreachable({ code }: Failure): boolean {
  return code !== undefined && /^(E[A-Z]+|CONNECT_TIMEOUT|CONNECTION_.*)$/.test(code);
}
