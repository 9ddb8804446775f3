import type postgres from 'postgres';
import { ApiError } from '../error.ts';
import { createFairQueue } from './fair-queue.ts';
import { unavailable } from './refusal.ts';

/**
 * Runs work when it is the caller's turn. A caller has one at work, and the others none that waits for it as long as a place is free.
 * @throws ApiError 503 SERVICE_UNAVAILABLE for a caller with too many that wait; the signal's reason, when it is aborted before the turn.
 */
export type RunInTurn = <T>(caller: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** `size`: how many at once, `waiting`: how many may wait, of all callers; one may have a quarter of that. */
export function createTurnQueue({ size, waiting: most = QUEUE_LIMIT }: { size: number; waiting?: number }): RunInTurn {
  const waiting = createFairQueue<() => void>(most);
  const atWork = new Set<string>();

  return async (caller, work, signal) => {
    await turn(caller, signal);
    try {
      return await work();
    } finally {
      atWork.delete(caller);
      waiting.next(mayGo)?.();
    }
  };

  async function turn(caller: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (mayGo(caller)) return void atWork.add(caller);
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const begin = () => { atWork.add(caller); resolve(undefined); };
    if (!waiting.push(caller, begin)) {
      throw new ApiError(503, 'SERVICE_UNAVAILABLE', 'Too many requests of this caller wait for their turn; try again.');
    }
    const leave = () => {
      waiting.remove(item => item === begin);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', leave);
    await promise.finally(() => { signal?.removeEventListener('abort', leave); });
  }

  function mayGo(caller: string): boolean {
    return atWork.size < size && !atWork.has(caller);
  }
}

/**
 * Runs a statement of the owner's in the caller's turn (RunInTurn).
 * @throws ApiError 503 SERVICE_UNAVAILABLE too of a server that says nothing; the database's error, after the deadline a cancel.
 */
export type FairExecutor = <Row extends postgres.MaybeRow[]>(
  caller: string, statement: (sql: postgres.Sql) => postgres.PendingQuery<Row>) => Promise<Row>;

export type FairExecutorOptions = {
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
export function createFairExecutor(connection: () => postgres.Sql, { size, deadline, onSilence }: FairExecutorOptions): FairExecutor {
  const takeTurn = createTurnQueue({ size });
  return (caller, statement) => takeTurn(caller, () => cancelledInTime(statement(connection())));

  async function cancelledInTime<Row extends postgres.MaybeRow[]>(query: postgres.PendingQuery<Row>): Promise<Row> {
    const late = setTimeout(cancel, deadline, query);
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

/** A member of a query that the driver's types do not declare. */
type Cancellable = { canceller?: ((query: unknown) => Promise<unknown> | undefined) | null };

/**
 * Asks the server to cancel a statement, which then fails. Not by the driver's own `cancel`, which drops the promise of it: that rejects
 * when the server cannot be reached, and then there is nothing to cancel.
 */
export function cancel(query: object): void {
  const { canceller } = query as Cancellable;
  if (!canceller) return;
  (query as Cancellable).canceller = null;
  void canceller(query)?.catch(() => undefined);
}
