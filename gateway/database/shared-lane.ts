import { LRUCache } from 'lru-cache';
import { createLane, type Client, type Lane, type LaneOptions, type Row, type Statement } from './lane.ts';
import { sumOf } from './lane-counts.ts';
import { isLockTimeout } from './sqlstate.ts';
import { withRun } from './statement.ts';

/**
 * The number of a lane's connections that short statements share, and how many may be under way on each. `lockTimeout`: milliseconds that a
 * statement waits for a lock there, before it waits on a connection of its own.
 */
export type Sharing = { size: number; depth: number; lockTimeout?: number };

/** Milliseconds that a statement may take on average, and still be a short one. */
const SHORT = 10;
/** How much the last time counts for the average. */
const WEIGHT = 0.1;
/** The initial estimate of a statement that never ran, in short ones: it counts as short after sixteen quick runs. */
const UNKNOWN = 5;
/** Milliseconds after which a statement holds up those behind it on a shared connection. */
const PATIENCE = 50;
/** How much of the connections for long statements one caller may have at work. */
const SHARE = 0.75;
/** Statements whose averages are known. One that was forgotten starts anew. */
const KEPT = 2000;

/**
 * A lane for statements of any length. Statements that have been short share a few of its connections, many under way on each: alone on
 * one, each costs a write to a socket in the gateway and a process switch in the server, a third of the cost of a list of 50 rows or an
 * update. The others have a connection to themselves, where they delay no other and can be cancelled.
 */
export function createSharedLane(options: LaneOptions, shared: Sharing, short = SHORT): Lane {
  /** Statements that have gone on waiting for a lock. */
  const waiting = new WeakSet<Statement>();
  const averages = new LRUCache<string, number>({ max: KEPT });
  const together = createLane({ ...options, ...shared, eager: shared.size, patience: PATIENCE, onEnd });
  const size = options.size - shared.size;
  const alone = createLane({ ...options, size, share: Math.max(1, Math.floor(size * SHARE)), onEnd });

  return {
    ...withRun(rows),
    counts: () => sumOf(together.counts(), alone.counts()),
    close: deadline => Promise.all([together.close(deadline), alone.close(deadline)]).then(() => undefined),
  };

  /** A statement that gave up waiting for a lock has done nothing, and its time says nothing about such statements. */
  async function rows(statement: Statement, ...asked: [readonly string[], Client?]): Promise<readonly Row[]> {
    if (!isShort(statement) || together.isHeldUp()) return alone.rows(statement, ...asked);
    try {
      return await together.rows(statement, ...asked);
    } catch (error) {
      if (!isLockTimeout(error) || shared.lockTimeout === undefined) throw error;
      const again = { ...statement };
      waiting.add(again);
      return alone.rows(again, ...asked);
    }
  }

  function isShort({ text, enterFirst }: Statement): boolean {
    return !enterFirst && average(text) < short;
  }

  function onEnd(statement: Statement, milliseconds: number): void {
    const { text } = statement;
    if (!waiting.has(statement)) averages.set(text, average(text) * (1 - WEIGHT) + milliseconds * WEIGHT);
  }

  function average(text: string): number {
    return averages.get(text) ?? UNKNOWN * short;
  }
}
