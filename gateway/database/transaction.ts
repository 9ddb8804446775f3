import type postgres from 'postgres';
import { endsSession, isDatabaseError } from './sqlstate.ts';

type Work<T> = (transaction: postgres.TransactionSql) => Promise<T>;

/**
 * A transaction on one connection, each step awaited. When the connection is lost, the driver would write its rollback to a closed socket,
 * which throws outside of any handler and ends the process; so the work is left pending then, and the driver, which learns of the loss as
 * well, rejects the whole.
 */
export async function inTransaction<T>(sql: postgres.Sql, mode: 'read only' | 'read write', work: Work<T>): Promise<T> {
  const [result] = await sql.begin(mode, transaction => unlessLost(work(transaction))) as [T];
  return result;
}

/** A part of it, which is undone by itself when it fails. */
export async function inSavepoint<T>(transaction: postgres.TransactionSql, work: Work<T>): Promise<T> {
  const [result] = await transaction.savepoint(part => unlessLost(work(part))) as [T];
  return result;
}

function unlessLost<T>(work: Promise<T>): Promise<[T]> {
  return work.then(
    value => [value] as [T],
    (error: unknown) => isLoss(error) ? new Promise<[T]>(() => undefined) : Promise.reject(error as Error),
  );
}

/** A function may raise the same codes for a connection of its own, as of a foreign server: then it is an error as any other. */
function isLoss(error: unknown): boolean {
  return (endsSession(error) && (error as { severity?: string }).severity !== 'ERROR') || isBrokenSocket(error);
}

/** The driver's own codes, and the system's; a function may raise EPIPE. */
export function isBrokenSocket(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && !isDatabaseError(error) && /^(CONNECT_TIMEOUT|CONNECTION_|ECONN|EPIPE|ETIMEDOUT)/.test(code);
}
