import postgres from 'postgres';
import { databaseOf } from './connection.ts';
import { cancel } from './fair-executor.ts';
import type { LaneLogin } from './lane-login.ts';
import { isCanceled } from './sqlstate.ts';
import { inTransaction } from './transaction.ts';

export type ServiceCall = {
  /** As service_private.service_function() writes it. */
  call: string;
  /** As JSON. */
  argument: string;
  /** Milliseconds; 0 or Infinity: none. */
  timeout: number;
  /** Aborted, the call is cancelled and undone. */
  signal?: AbortSignal;
  /** Receives the messages that the function raises, as they come. */
  notice?: (message: string) => void;
  /** A statement after it, in its transaction, as a login that is not the role of requests. $1 is the function's value, as text. */
  settle?: { text: string; parameters: string[] };
};

/**
 * Calls a function of the project as the service, under row security, in a transaction of its own. @returns its value, as JSON
 * @throws the database's error; CallTimeout; CallNotBegun; CallNotSettled; the signal's reason
 */
export type AsService = (call: ServiceCall) => Promise<string | null>;

export class CallTimeout extends Error {}
/** The database gave no session for it. */
export class CallNotBegun extends Error {}
/** The statement after it failed: `cause` is its error, whatever the function itself may raise. */
export class CallNotSettled extends Error {}

export type AsServiceOptions = {
  login: LaneLogin;
  connectTimeout: number;
  /** How many connections. A call that finds none free waits. */
  size: number;
  /** The arguments of service.enter. */
  claims: readonly string[];
};

type Connection = { sql: postgres.Sql; notice: ((message: string) => void) | undefined };

/** Milliseconds that a cancelled call has to end before its connection is closed. */
const PATIENCE = 5_000;

/**
 * Connections are opened for calls and kept for the next; their sessions are as new each time, because a function may change its own: after
 * the call, or behind a pooler that shares sessions, where the next call may meet any of them, before it.
 */
export function openAsService({ login, connectTimeout, size, claims }: AsServiceOptions): { run: AsService; close: () => Promise<void> } {
  const idle: Connection[] = [];
  const open = new Set<Connection>();
  const waiting: ((connection: Connection) => void)[] = [];

  return { run, close };

  async function run(call: ServiceCall): Promise<string | null> {
    call.signal?.throwIfAborted();
    const connection = await take(call.signal);
    connection.notice = call.notice;
    let isSound = false;
    try {
      const value = await calling(connection.sql, call, claims, login.sessions === 'shared');
      isSound = true;
      return value;
    } finally {
      connection.notice = undefined;
      await release(connection, isSound);
    }
  }

  function take(signal: AbortSignal | undefined): Connection | Promise<Connection> {
    const free = idle.pop();
    if (free !== undefined) return free;
    if (open.size < size) return connect();
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    waiting.push(resolve);
    const leave = () => {
      const place = waiting.indexOf(resolve);
      if (place < 0) return; // it has just got one
      waiting.splice(place, 1);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', leave, { once: true });
    return promise;
  }

  /** After a failure it is closed: some leave the session of the driver in doubt, and failures are rare. */
  async function release(connection: Connection, isSound: boolean): Promise<void> {
    const isNew = isSound && (login.sessions === 'shared' || await isReset(connection.sql));
    if (!isNew) {
      open.delete(connection);
      await connection.sql.end({ timeout: 0 });
    }
    const next = waiting.shift();
    if (next !== undefined) next(isNew ? connection : connect());
    else if (isNew) idle.push(connection);
  }

  function connect(): Connection {
    const connection: Connection = { notice: undefined, sql: postgres(login.url, {
      ...databaseOf(login.url),
      max: 1,
      connect_timeout: Math.ceil(connectTimeout / 1000),
      backoff: () => 0,
      fetch_types: false,
      prepare: false,
      connection: { ...login.startup, standard_conforming_strings: 'on', application_name: 'rowgate service' },
      onnotice: ({ message }) => connection.notice?.(String(message)),
    }) };
    open.add(connection);
    return connection;
  }

  async function close(): Promise<void> {
    await Promise.all([...open].map(({ sql }) => sql.end({ timeout: 0 })));
  }
}

function isReset(sql: postgres.Sql): Promise<boolean> {
  return sql.unsafe('discard all').then(() => true, () => false);
}

/** DISCARD ALL, which a transaction may not. Names are looked up as the role of the session, so that this comes before service.enter. */
const RENEW = 'close all; reset role; reset all; deallocate all; unlisten *; select pg_advisory_unlock_all(); '
  + 'discard sequences; discard temp';
/** A function whose gateway is gone could not commit, and would hold its locks to its end. */
const ENTER = 'select set_config(\'role\', \'service_user\', true), service.enter($1, $2, $3, $4, $5), '
  + 'set_config(\'statement_timeout\', $6, true), set_config(\'client_connection_check_interval\', \'2s\', true)';
const LEAVE = 'select set_config(\'role\', \'none\', true), set_config(\'statement_timeout\', \'0\', true)';

async function calling(
  sql: postgres.Sql, { call, argument, timeout, signal, settle }: ServiceCall, claims: readonly string[], isShared: boolean,
): Promise<string | null> {
  const limit = Number.isFinite(timeout) ? Math.ceil(timeout) : 0;
  const silence = Promise.withResolvers<never>();
  silence.promise.catch(() => undefined);
  const give = (reason: Error) => setTimeout(() => { silence.reject(reason); }, PATIENCE).unref();
  const timers = limit === 0 ? [] : [setTimeout(() => { timers.push(give(timedOut(limit))); }, limit)];
  const over = new AbortController();
  const onAbort = (act: () => void) => { signal?.addEventListener('abort', act, { signal: over.signal }); };
  onAbort(() => { timers.push(give(signal?.reason as Error)); });
  const began = performance.now();
  const progress: { stage: 'beginning' | 'calling' | 'settling' | 'committing' } = { stage: 'beginning' };
  const work = inTransaction(sql, 'read write', async transaction => {
    if (isShared) await transaction.unsafe(RENEW).simple();
    await transaction.unsafe(ENTER, [...claims, String(limit)]);
    progress.stage = 'calling';
    signal?.throwIfAborted();
    const asked = transaction.unsafe<{ value: string | null }[]>(`select (${call})::text as value`, [argument]);
    onAbort(() => { cancel(asked); });
    const value = (await asked)[0]?.value ?? null;
    signal?.throwIfAborted();
    if (settle !== undefined) {
      progress.stage = 'settling';
      await transaction.unsafe(LEAVE);
      await transaction.unsafe(settle.text, [value, ...settle.parameters] as string[]);
    }
    progress.stage = 'committing';
    return value;
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, silence.promise]);
  } catch (error) {
    signal?.throwIfAborted();
    const { message } = error as Error;
    if (progress.stage === 'beginning') throw new CallNotBegun(message, { cause: error });
    if (progress.stage === 'settling') throw new CallNotSettled(message, { cause: error });
    throw isCanceled(error) && limit > 0 && performance.now() - began >= limit ? timedOut(limit) : error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    over.abort();
  }
}

function timedOut(limit: number): CallTimeout {
  return new CallTimeout(`It took longer than ${limit / 1000} s.`);
}
