import { setTimeout as delay } from 'node:timers/promises';
import { open } from 'node:fs/promises';
import type postgres from 'postgres';
import { startProgram, type Program } from '../../client/program.ts';
import { inTransaction } from '../../database/transaction.ts';
import { BootError } from '../../error.ts';
import type { Config } from '../config.ts';
import type { Destination, Receiving } from './destination.ts';
import { backupName, DUMP, ROLES } from './names.ts';
import { prune, sweep } from './prune.ts';
import { openSession, type Session } from './session.ts';

export type Proof = { tables: number; rows: number };

export type Backup = {
  key: string;
  rolesKey: string;
  sizeBytes: number;
  /** Names of older ones that were deleted. */
  deleted: string[];
  /** How many tables and rows the restored backup had, where it was proven. */
  proof?: Proof;
};
export type BackupOptions = {
  owner: postgres.Sql;
  config: Config;
  destination: Destination;
  signal: AbortSignal;
  /** With the snapshot of the backup, before another may begin. @throws where the backup cannot be restored. */
  prove?: ((made: Made) => Promise<Proof>) | undefined;
};
export type Made = { session: Session; key: string; transaction: postgres.TransactionSql };

/** Gateways of one database make one backup at a time. */
export const LOCK = 7_261_946_177;
/** Milliseconds for a lock that DDL holds: while pg_dump waits, requests may have to wait for it. */
const LOCK_WAIT = 60_000;

/**
 * Backs a database up: the dump and the roles of its server. Both have their names when pg_restore has read the dump's table of contents.
 * @throws BootError of one line; nothing of it is left then, and everything older is.
 */
export async function makeBackup(options: BackupOptions): Promise<Backup> {
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  let working: Promise<Backup> | undefined;
  try {
    const session = await openSession(options.owner, options.config);
    return await inTransaction(options.owner, 'read only', transaction => working = backUp(transaction, session, { ...options, signal }));
  } catch (error) {
    lost.abort(error); // pg_dump has a connection of its own, and goes on
    await working?.catch(() => undefined);
    throw inOneLine('The backup', error);
  }
}

/** The transaction holds the lock, and with `prove` the snapshot. */
async function backUp(
  transaction: postgres.TransactionSql, session: Session, { config, destination, prove, signal }: BackupOptions,
): Promise<Backup> {
  await transaction`set local idle_in_transaction_session_timeout = 0`;
  await transaction`set local statement_timeout = 0`;
  if (prove !== undefined) await transaction`set transaction isolation level repeatable read`;
  const [row] = await transaction<{ locked: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as locked`;
  if (row?.locked !== true) throw new BootError('Another backup of this database is under way.');
  await sweep(destination, session.database);
  const name = await freeName(session.database, destination);
  const snapshot = prove && await exportSnapshot(transaction);
  const dump = await dumped({ session, destination, name: `${name}${DUMP}`, size: await sizeOf(transaction), snapshot, signal });
  try {
    const roles = await rolesTaken(transaction, { session, destination, name: `${name}${ROLES}`, signal });
    await roles.finish();
    await dump.finish();
  } catch (error) {
    await dump.drop().catch(() => undefined); // the next sweep finds it
    // Its answer may have been lost: then the name is there.
    for (const file of [`${name}${DUMP}`, `${name}${ROLES}`]) await destination.remove(file).catch(() => undefined);
    throw error;
  }
  const key = destination.keyOf(`${name}${DUMP}`);
  const proof = await prove?.({ session, key, transaction });
  const deleted = await prune(destination, session.database, config);
  return { key, rolesKey: destination.keyOf(`${name}${ROLES}`), sizeBytes: dump.size(), deleted, ...(proof && { proof }) };
}

/** Names have seconds: two backups of one second would be one. */
async function freeName(database: string, destination: Destination): Promise<string> {
  const taken = (await destination.list()).map(({ name }) => name);
  for (;;) {
    const name = backupName(database, new Date());
    if (!taken.includes(`${name}${DUMP}`)) return name;
    await delay(1_000 - Date.now() % 1_000);
  }
}

async function exportSnapshot(transaction: postgres.TransactionSql): Promise<string> {
  const [row] = await transaction<{ id: string }[]>`select pg_export_snapshot() as id`;
  return row?.id ?? '';
}

async function sizeOf(transaction: postgres.TransactionSql): Promise<number> {
  const [row] = await transaction<{ size: number }[]>`select pg_database_size(current_database())::double precision as size`;
  return row?.size ?? 0;
}

type Dumping = {
  session: Session; destination: Destination; name: string; signal: AbortSignal; size?: number; snapshot?: string | undefined;
};
type Taken = Receiving & { size: () => number };

/** The dump at its destination, verified, without its name yet. */
async function dumped({ session: { client, env }, destination, name, size, snapshot, signal }: Dumping): Promise<Taken> {
  const args = ['-Fc', `--lock-wait-timeout=${LOCK_WAIT}`, ...(snapshot === undefined ? [] : [`--snapshot=${snapshot}`])];
  const dump = { path: client.dump, args, env, signal };
  const list = { path: client.restore, args: ['--list'], env: {}, signal };
  return receive(destination, name, size, ({ file, write }) =>
    file === undefined ? piped(dump, list, write) : intoFile(dump, list, file));
}

async function intoFile(dump: Program, list: Program, { descriptor, path }: NonNullable<Receiving['file']>): Promise<number> {
  await startProgram({ ...dump, stdout: descriptor }).ended;
  const written = await open(path);
  try {
    const reading = startProgram({ ...list, stdin: written.fd });
    reading.child.stdout?.resume();
    await reading.ended;
    return (await written.stat()).size;
  } finally {
    await written.close();
  }
}

/** Both programs at once: an object cannot be read before it is there. pg_restore ends when it has the table of contents. */
async function piped(dump: Program, list: Program, write: Receiving['write']): Promise<number> {
  const [writing, reading] = [startProgram(dump), startProgram({ ...list, stdin: 'pipe' })];
  const { stdin } = reading.child;
  reading.child.stdout?.resume();
  stdin?.on('error', () => undefined); // it has read enough
  let size = 0;
  try {
    for await (const bytes of writing.child.stdout ?? []) {
      size += (bytes as Buffer).length;
      if (stdin?.writable === true) stdin.write(bytes);
      await write(bytes as Buffer);
    }
    stdin?.end();
    await writing.ended;
    await reading.ended;
    return size;
  } catch (error) {
    for (const { child } of [writing, reading]) child.kill('SIGKILL');
    throw error;
  }
}

/** pg_dumpall reads passwords only where the login may. */
async function rolesTaken(
  transaction: postgres.TransactionSql, { session: { client, env, database }, destination, name, signal }: Dumping,
): Promise<Taken> {
  signal.throwIfAborted(); // on a connection that is lost the driver throws outside of any handler
  const [row] = await transaction<{ may: boolean }[]>`select has_table_privilege('pg_catalog.pg_authid', 'select') as may`;
  const connection = `dbname='${database.replace(/['\\]/g, '\\$&')}'`;
  const args = ['--roles-only', `--database=${connection}`, ...(row?.may === true ? [] : ['--no-role-passwords'])];
  return receive(destination, name, undefined, async receiving => {
    const { child, ended } = startProgram({ path: client.dumpAll, args, env, signal });
    let size = 0;
    for await (const bytes of child.stdout ?? []) {
      size += (bytes as Buffer).length;
      await receiving.write(bytes as Buffer);
    }
    await ended;
    return size;
  });
}

async function receive(
  destination: Destination, name: string, expected: number | undefined, fill: (receiving: Receiving) => Promise<number>,
): Promise<Taken> {
  const receiving = await destination.receive(name, expected);
  try {
    const size = await fill(receiving);
    return { ...receiving, size: () => size };
  } catch (error) {
    await receiving.drop().catch(() => undefined); // a destination that is away: the next sweep finds it
    throw error;
  }
}

/** Reasons of the destination stand in the cause. */
export function inOneLine(what: string, error: unknown): BootError {
  if (error instanceof BootError) return error;
  const { message, cause, code } = error as Error & { code?: unknown };
  const isLost = typeof code === 'string' && code.startsWith('CONNECTION_'); // the driver's
  if (isLost) return new BootError(`${what} failed: the connection to the database was lost.`, { cause: error });
  const reason = cause instanceof Error ? `${message} ${cause.message}` : message;
  return new BootError(`${what} failed: ${reason.split('\n')[0] ?? ''}`, { cause: error });
}
