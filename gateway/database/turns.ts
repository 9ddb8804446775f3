import type postgres from 'postgres';
import { ApiError } from '../error.ts';
import { createFairQueue } from './fair-queue.ts';

/**
 * Runs a statement of the owner's for a caller, when it is the caller's turn. A caller has one at work, and the others none
 * that waits for it as long as a connection is free.
 * @throws ApiError 503 SERVICE_UNAVAILABLE for a caller with too many that wait; the database's error, after the deadline a cancel.
 */
export type Turns = <Row extends postgres.MaybeRow[]>(
  caller: string, statement: (sql: postgres.Sql) => postgres.PendingQuery<Row>) => Promise<Row>;

export type TurnsOptions = {
  /** How many statements at once. */
  size: number;
  /** Milliseconds that a statement may take. */
  deadline: number;
};

const QUEUE_LIMIT = 1_000;

export function createTurns(sql: postgres.Sql, { size, deadline }: TurnsOptions): Turns {
  const waiting = createFairQueue<() => void>(QUEUE_LIMIT);
  const atWork = new Set<string>();

  return async (caller, statement) => {
    await turn(caller);
    try {
      return await inTime(statement(sql));
    } finally {
      atWork.delete(caller);
      waiting.next(mayGo)?.();
    }
  };

  function turn(caller: string): void | Promise<void> {
    if (mayGo(caller)) return void atWork.add(caller);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const begin = () => { atWork.add(caller); resolve(undefined); };
    if (waiting.push(caller, begin)) return promise;
    throw new ApiError(503, 'SERVICE_UNAVAILABLE', 'Too many new requests of this caller are being prepared; try again.');
  }

  function mayGo(caller: string): boolean {
    return atWork.size < size && !atWork.has(caller);
  }

  async function inTime<Row extends postgres.MaybeRow[]>(query: postgres.PendingQuery<Row>): Promise<Row> {
    // Declared to return nothing; it rejects when the server cannot be reached, and then there is nothing to cancel.
    const cancel = () => void Promise.resolve(query.cancel() as unknown).catch(() => undefined);
    const late = setTimeout(cancel, deadline);
    try {
      return await query;
    } finally {
      clearTimeout(late);
    }
  }
}
