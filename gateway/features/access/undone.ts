import type postgres from 'postgres';
import { inSavepoint, inTransaction } from '../../database/transaction.ts';

type Work<T> = (transaction: postgres.TransactionSql) => Promise<T>;

/** Runs work in a transaction that never commits. */
export function undone<T>(sql: postgres.Sql, mode: 'read only' | 'read write', work: Work<T>): Promise<T> {
  return rolledBack(body => inTransaction(sql, mode, body), work);
}

/** Runs work in a part of a transaction, and undoes it. */
export function undoneWithin<T>(transaction: postgres.TransactionSql, work: Work<T>): Promise<T> {
  return rolledBack(body => inSavepoint(transaction, body), work);
}

async function rolledBack<T>(begin: (body: Work<never>) => Promise<never>, work: Work<T>): Promise<T> {
  let done: [T] | undefined;
  const end = new Error('undone');
  const body: Work<never> = async transaction => {
    done = [await work(transaction)];
    throw end;
  };
  await begin(body).catch((error: unknown) => { if (error !== end) throw error; });
  return (done as unknown as [T])[0];
}
