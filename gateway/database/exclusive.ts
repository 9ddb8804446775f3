import type postgres from 'postgres';
import { inTransaction } from './transaction.ts';

/** Any number that other users of the database are unlikely to lock. */
const LOCK = 7_261_946_173;
export const lockStatement = `select pg_advisory_xact_lock(${LOCK})`;

/** One transaction that changes what the service keeps in a database, one gateway at a time: the others wait. */
export async function exclusively<T>(owner: postgres.Sql, work: (transaction: postgres.TransactionSql) => Promise<T>): Promise<T> {
  return inTransaction(owner, 'read write', async transaction => {
    await transaction.unsafe(lockStatement);
    return work(transaction);
  });
}
