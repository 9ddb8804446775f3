import type postgres from 'postgres';
import type { Client, Lane } from './lane.ts';
import { unavailable } from './refusal.ts';
import { isBrokenSocket } from './transaction.ts';

/**
 * Lends work a connection of a lane, where no statement of others runs meanwhile. The work leaves the session as it was.
 * @throws ApiError 503 SERVICE_UNAVAILABLE when the connection is lost.
 */
export async function hold<T>(lane: Lane, work: (sql: postgres.Sql) => Promise<T>, client?: Client): Promise<T> {
  let done: [T] | undefined;
  const held = async (sql: postgres.Sql) => { done = [await work(sql)]; };
  await lane.run({ text: '', prepare: false, enterFirst: false, held }, [], client).catch((error: unknown) => {
    throw isBrokenSocket(error) ? unavailable(error) : error;
  });
  return (done as unknown as [T])[0];
}
