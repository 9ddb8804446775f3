import { setTimeout as delay } from 'node:timers/promises';
import type postgres from 'postgres';
import { createFairQueue } from './fair-queue.ts';
import type { LaneCounts } from './lane-counts.ts';
import { begin, newConnection, served, type Connection } from './lane-connection.ts';
import { busy, unavailable } from './refusal.ts';
import { createShares } from './shares.ts';
import { breaksConnection, isLockTimeout } from './sqlstate.ts';
import { spend, type Spent } from './spent.ts';
import { single, withIdentity, withoutHoles, withRun, type Row, type Statement } from './statement.ts';
import { thisTurn } from './turns.ts';

export type LaneOptions = {
  connect: () => postgres.Sql;
  /** How many connections. */
  size: number;
  /** How many statements may be under way on one connection. */
  depth: number;
  /** How many connections may be at work at once (default: all), but for those whose statement takes longer than `patience` ms. */
  eager?: number;
  patience?: number;
  /** Milliseconds after which a call is answered 503 and its connection thrown away. Above statement_timeout. */
  deadline: number;
  /** How many connections one caller may have at work (default: all). */
  share?: number;
  /** Distinct prepared statements after which a connection is replaced: PostgreSQL keeps them all, the driver frees none. */
  preparedLimit: number;
  /** Milliseconds after which a connection with nothing to do is closed; without it, or with 0, none is. */
  idleTimeout?: number;
  /** Milliseconds that a statement waits for a lock, where that is not as long as its login may. */
  lockTimeout?: number;
  /** Told of each statement that comes. */
  onUse?: (() => void) | undefined;
  /** Told of each statement that ended how many milliseconds the server was at it; not of those that gave up for a lock. */
  onEnd?: (statement: Statement, milliseconds: number) => void;
};

export type { Row, Statement } from './statement.ts';

/** The client of a statement. */
export type Client = {
  /** The caller that the statement counts against. */
  key: () => string;
  /** Aborted when it leaves, where that ends the statement. */
  signal?: () => AbortSignal;
  /** Whether it has left. */
  isGone?: () => boolean;
  /** The time of its statements is added here. */
  spent?: Spent | undefined;
};

type Run<Answer> = (statement: Statement, parameters: readonly string[], client?: Client) => Promise<Answer>;
export type Lane = {
  rows: Run<readonly Row[]>;
  /** The first row. */
  run: Run<Row>;
  counts: () => LaneCounts;
  /** Lets what is under way finish, at most so many milliseconds. */
  close: (deadline: number) => Promise<void>;
};

/** A place on a connection, and the caller it counts against, where that is counted. */
type Claim = { connection: Connection; holder: string | undefined };
type Waiting = {
  holder: string; start: (claim: Claim) => void; reject: (error: Error) => void; since: number; spent: Spent | undefined;
};

/** How often deadlines are looked at. One timer a lane: a timer a call would cost more than the call's own work. */
const SWEEP = 250;
const QUEUE_LIMIT = 10_000;
/**
 * Characters. A plan takes ten times its text in the server, in each process that prepared it; so a longer statement is never prepared, and
 * a connection is also replaced when the texts prepared there exceed that in total.
 */
const LONGEST_PREPARED = 32_768;
const PREPARED_LENGTH = 2_097_152;
/** Milliseconds for a connection with nothing under way to say goodbye, so that its successor never makes one too many. */
const GOODBYE = 1_000;
const PATIENCE = 5;

/**
 * A set of connections with a fixed depth each. A connection that breaks is discarded as a whole, with every statement on it: the driver
 * would send the rest of its queue again elsewhere, and assign a FATAL to the wrong statement.
 *
 * More busy server processes than the server has cores only disturb each other: ten took a quarter to a half more CPU time for a list than
 * four. So few work at once while statements are short, and a slow one prevents none from starting.
 */
export function createLane(options: LaneOptions): Lane & { isHeldUp: () => boolean } {
  const { connect, size, depth, eager = size, patience = PATIENCE, share = size } = options;
  const { deadline, idleTimeout = 0, preparedLimit, lockTimeout, onUse, onEnd } = options;
  const connections = Array.from({ length: size }, () => newConnection(connect));
  const waiting = createFairQueue<Waiting>(QUEUE_LIMIT);
  const shares = createShares(share);
  const sweeper = setInterval(sweep, Math.min(SWEEP, deadline)).unref();
  let statements = 0;
  let waited = 0;
  let closed = false;
  let lookingAgain: NodeJS.Timeout | undefined;
  /** Called at the end of each call while the lane closes. */
  let whenQuiet: (() => void) | undefined;

  return { ...withRun(rows), counts, close, isHeldUp: () => connections.every(isOld) };

  async function rows(statement: Statement, parameters: readonly string[], client?: Client): Promise<readonly Row[]> {
    onUse?.();
    statements += 1;
    const { connection, holder } = await take(client);
    const started = performance.now();
    connection.since.push(started);
    const turn = thisTurn();
    let hasWaited = false;
    try {
      return withoutHoles(await execute(connection, statement, parameters, client));
    } catch (error) {
      if (breaksConnection(error)) discard(connection);
      hasWaited = isLockTimeout(error);
      throw error;
    } finally {
      const now = performance.now();
      const milliseconds = now - Math.max(started, connection.ended);
      statement.onEnd?.(served(connection, turn));
      // Behind others on its connection it still waits.
      if (client?.spent !== undefined) spend(client.spent, now - started - milliseconds, milliseconds);
      if (!hasWaited) onEnd?.(statement, milliseconds);
      connection.ended = now;
      connection.since.splice(connection.since.indexOf(started), 1);
      release(connection, holder);
    }
  }

  function take(client: Client | undefined): Claim | Promise<Claim> {
    if (closed) throw unavailable(undefined);
    const holder = share < size ? client?.key() : undefined;
    // Where callers have shares, waiting statements may all wait for their own callers' earlier ones.
    const free = (waiting.size === 0 || share < size) && shares.mayHold(holder) ? leastBusy() : undefined;
    if (free !== undefined) return claim(free, holder);
    return wait(holder ?? client?.key() ?? '', client?.spent);
  }

  function wait(holder: string, spent: Spent | undefined): Promise<Claim> {
    const { promise, resolve, reject } = Promise.withResolvers<Claim>();
    if (!waiting.push(holder, { holder, start: resolve, reject, since: performance.now(), spent })) throw busy();
    if (eager < size) lookAgain();
    return promise;
  }

  function leastBusy(): Connection | undefined {
    if (eager < size && connections.filter(connection => connection.underWay > 0 && !isOld(connection)).length >= eager) return undefined;
    let best: Connection | undefined;
    for (const connection of connections) {
      if (!connection.retired && connection.underWay < depth && (best === undefined || load(connection) < load(best))) best = connection;
    }
    return best;
  }

  /** One that is held up comes last. */
  function load(connection: Connection): number {
    return connection.underWay + (isOld(connection) ? depth : 0);
  }

  /** Is the server at a slow statement there? */
  function isOld({ since, ended }: Connection): boolean {
    return since[0] !== undefined && Math.max(since[0], ended) < performance.now() - patience;
  }

  /** Nothing tells when a statement has become a slow one. */
  function lookAgain(): void {
    lookingAgain ??= setTimeout(() => {
      lookingAgain = undefined;
      startWaiting();
      if (waiting.size > 0) lookAgain();
    }, patience);
  }

  function claim(connection: Connection, holder: string | undefined): Claim {
    connection.underWay += 1;
    shares.hold(holder);
    return { connection, holder };
  }

  function release(connection: Connection, holder: string | undefined): void {
    connection.underWay -= 1;
    shares.letGo(holder);
    if (connection.prepared.size > preparedLimit || connection.preparedLength > PREPARED_LENGTH) connection.retired = true;
    if (connection.retired && connection.underWay === 0) void recycle(connection);
    startWaiting();
    whenQuiet?.();
  }

  function startWaiting(): void {
    for (let free = leastBusy(); free !== undefined && waiting.size > 0; free = leastBusy()) {
      const next = waiting.next(share < size ? shares.mayHold : undefined);
      if (next === undefined) return;
      const milliseconds = performance.now() - next.since;
      waited += milliseconds;
      if (next.spent !== undefined) spend(next.spent, milliseconds);
      next.start(claim(free, share < size ? next.holder : undefined));
    }
  }

  function counts(): LaneCounts {
    return { statements, waited, waiting: waiting.size, connections: connections.filter(({ begun }) => begun).length, limit: size };
  }

  /** Ends a connection that has nothing under way. Never one that has: the driver forgets what it has not sent yet. */
  async function recycle(connection: Connection): Promise<void> {
    if (!connections.includes(connection)) return;
    await connection.sql.end({ timeout: GOODBYE / 1000 });
    replace(connection);
  }

  function retire(connection: Connection): void {
    connection.retired = true;
    void recycle(connection);
  }

  /** Ends a connection at once, and everything under way on it with an error. */
  function discard(connection: Connection): void {
    connection.retired = true;
    replace(connection);
    void connection.sql.end({ timeout: 0 });
  }

  function replace(connection: Connection): void {
    const place = connections.indexOf(connection);
    if (place === -1 || closed) return;
    connections[place] = newConnection(connect);
    startWaiting();
  }

  function sweep(): void {
    const tooOld = performance.now() - deadline;
    for (const connection of [...connections]) {
      if (connection.since[0] !== undefined && connection.since[0] < tooOld) discard(connection);
      else if (isIdle(connection)) retire(connection);
    }
    for (const { reject, since, spent } of waiting.remove(({ since }) => since < tooOld)) {
      if (spent !== undefined) spend(spent, performance.now() - since);
      reject(busy());
    }
  }

  /** One that was never used is not there yet. */
  function isIdle({ begun, retired, underWay, ended }: Connection): boolean {
    return idleTimeout > 0 && begun && !retired && underWay === 0 && ended < performance.now() - idleTimeout;
  }

  /**
   * A statement whose client left is cancelled where no other can be hit: on a connection of its own, which is then discarded, since the
   * cancel may arrive late.
   */
  async function execute(
    connection: Connection, given: Statement, parameters: readonly string[], client: Client | undefined,
  ): Promise<readonly Row[]> {
    const gone = depth === 1 ? client?.signal?.() : undefined;
    if (gone?.aborted) throw unavailable(gone.reason);
    const statement = given.prepare && given.text.length > LONGEST_PREPARED ? { ...given, prepare: false } : given;
    if (statement.prepare && !connection.prepared.has(statement.text)) {
      connection.prepared.add(statement.text);
      connection.preparedLength += statement.text.length;
    }
    if (!connection.begun) begin(connection, lockTimeout);
    if (statement.held !== undefined) return statement.held(connection.sql).then(() => []);
    if (statement.enterFirst) return withIdentity(connection.sql, statement, parameters);
    const query = single(connection.sql, statement, parameters);
    if (gone === undefined) return query;
    const cancel = () => {
      connection.retired = true;
      // Declared to return nothing; it rejects when the server cannot be reached, and then there is nothing to cancel.
      Promise.resolve(query.cancel() as unknown).catch(() => undefined);
    };
    gone.addEventListener('abort', cancel, { once: true });
    try {
      return await query;
    } finally {
      gone.removeEventListener('abort', cancel);
    }
  }

  async function close(grace: number): Promise<void> {
    closed = true;
    for (const { reject } of waiting.remove(() => true)) reject(unavailable(undefined));
    clearTimeout(lookingAgain);
    await Promise.race([quiet(), delay(grace, undefined, { ref: false })]);
    clearInterval(sweeper);
    await Promise.all(connections.map(connection => connection.sql.end({ timeout: connection.underWay === 0 ? GOODBYE / 1000 : 0 })));
  }

  function quiet(): Promise<void> {
    return new Promise(resolve => {
      whenQuiet = () => { if (connections.every(({ underWay }) => underWay === 0)) resolve(); };
      whenQuiet();
    });
  }
}
