import type postgres from 'postgres';
import { ApiError } from '../error.ts';
import { createFairQueue } from './fair-queue.ts';
import { unavailable } from './refusal.ts';

/**
 * Runs a statement of the owner's for a caller, when it is the caller's turn. A caller has one at work, and the others none
 * that waits for it as long as a connection is free.
 * @throws ApiError 503 SERVICE_UNAVAILABLE for a caller with too many that wait, and of a server that says nothing; the database's
 * error, after the deadline a cancel.
 */
export type Turns = <Row extends postgres.MaybeRow[]>(
  caller: string, statement: (sql: postgres.Sql) => postgres.PendingQuery<Row>) => Promise<Row>;

export type TurnsOptions = {
  /** How many statements at once. */
  size: number;
  /** Milliseconds that a statement may take. */
  deadline: number;
  /** Called when one is not over even some time after its cancel, and given up. */
  onSilence?: () => void;
};

const QUEUE_LIMIT = 1_000;
/** Milliseconds that a cancelled statement has to end. */
const SILENCE = 1_000;

/** @param connection asked for at each turn, so that one that is silent can be replaced */
export function createTurns(connection: () => postgres.Sql, { size, deadline, onSilence }: TurnsOptions): Turns {
  const waiting = createFairQueue<() => void>(QUEUE_LIMIT);
  const atWork = new Set<string>();

  return async (caller, statement) => {
    await turn(caller);
    try {
      return await cancelledInTime(statement(connection()));
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

  async function cancelledInTime<Row extends postgres.MaybeRow[]>(query: postgres.PendingQuery<Row>): Promise<Row> {
    // Declared to return nothing; it rejects when the server cannot be reached, and then there is nothing to cancel.
    const cancel = () => void Promise.resolve(query.cancel() as unknown).catch(() => undefined);
    const late = setTimeout(cancel, deadline);
    const { promise: silence, reject } = Promise.withResolvers<never>();
    const silent = setTimeout(() => { reject(unavailable(undefined)); onSilence?.(); }, deadline + SILENCE);
    try {
      return await Promise.race([query, silence]);
    } finally {
      clearTimeout(late);
      clearTimeout(silent);
    }
  }
}
