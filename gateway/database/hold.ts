import type postgres from 'postgres';
import type { Client, Lane } from './lane.ts';

/** Lends work a connection of a lane, where no statement of others runs meanwhile. The work leaves the session as it was. */
export async function hold<T>(lane: Lane, work: (sql: postgres.Sql) => Promise<T>, client?: Client): Promise<T> {
  let done: [T] | undefined;
  const held = async (sql: postgres.Sql) => { done = [await work(sql)]; };
  await lane.run({ text: '', prepare: false, enterFirst: true, held }, [], client);
  return (done as unknown as [T])[0];
}
