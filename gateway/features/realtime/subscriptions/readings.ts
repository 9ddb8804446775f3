import { setImmediate } from 'node:timers/promises';
import type { Change } from '../changes.ts';
import { ApiError } from '../../../error.ts';
import type { ParsedRead } from '../../../grammar/read/shape.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { Tables } from './tables.ts';
import type { Update } from './update-frame.ts';

/** A subscriber to the outcome of a read. */
export type Member = {
  /** The outcome that it got last; undefined: none yet, so that the next one is news. */
  told: string | undefined;
  /** It joined, or fell behind, after the read under way began: that one tells it nothing. */
  isNew: boolean;
  /** Sends an outcome. Undefined for a member that cannot take more now, or whose caller has expired; it receives a later state. */
  tell: (outcome: Outcome) => string | undefined;
};

/** The outcome of a read. `Subscription.tell` reduces it to a text that shows whether it is news. */
export type Outcome = { update: Update } | { failure: unknown };

export type Reading = {
  readonly key: string;
  readonly request: ParsedRead;
  readonly caller: Caller;
  readonly tables: Tables;
  readonly members: Set<Member>;
  state: 'idle' | 'due' | 'under way';
  /** Something changed after the one under way began. */
  isDirty: boolean;
  /** When the last one ended, by performance.now(). */
  readAt: number;
};

export type ReadingsOptions = {
  /** @throws the error that members receive. */
  read: (reading: Reading) => Promise<Update>;
  /** How many at once, for now. */
  most: () => number;
  /** Milliseconds from the end of one read to the next of the same: what changes meanwhile is read together. */
  pause: number;
  /** Milliseconds after which everything is read again, even without an announced change. */
  sweep: number;
};

/** How many members are notified before other readings get a turn. */
const TOLD_AT_ONCE = 256;
/** Milliseconds until a read is tried again that failed without a fault of the client. */
export const RETRY = 1_000;
/** How often it is looked for what is old. */
const TICK = 1_000;

/**
 * Reads that run again when the tables they read have changed. Equal reads of equal callers run once for all. A read is never under way
 * twice, so no older outcome follows a newer one; and it runs again after a change regardless of how many follow, so that constant writes
 * starve no reader.
 */
export function createReadings({ read, most, pause, sweep }: ReadingsOptions) {
  const readings = new Map<string, Reading>();
  /** By the table that moves them. */
  const readers = new Map<number, Set<Reading>>();
  const ready: Reading[] = [];
  let underWay = 0;
  let isHeld = false;
  const ticking = setInterval(tick, TICK).unref();

  return { join, leave, changed, hold, tables, close: () => clearInterval(ticking) };

  /** Reads for the member from now on, and notifies it as soon as the first reading for this caller is there. */
  function join(member: Member, key: string, request: ParsedRead, caller: Caller, tables: Tables): Reading {
    let reading = readings.get(key);
    if (reading === undefined) {
      reading = { key, request, caller, tables, members: new Set(), state: 'idle', isDirty: false, readAt: -Infinity };
      readings.set(key, reading);
      enlist(reading);
    }
    reading.members.add(member);
    readFor(reading, member);
    return reading;
  }

  /** The member needs a state that is read from now on. */
  function readFor(reading: Reading, member: Member): void {
    member.isNew = true;
    if (reading.state === 'under way') reading.isDirty = true;
    else soon(reading);
  }

  function leave(reading: Reading, member: Member): void {
    reading.members.delete(member);
    if (reading.members.size > 0) return;
    readings.delete(reading.key);
    strike(reading);
  }

  function enlist(reading: Reading): void {
    for (const relation of reading.tables.keys()) {
      const known = readers.get(relation);
      if (known === undefined) readers.set(relation, new Set([reading]));
      else known.add(reading);
    }
  }

  function strike(reading: Reading): void {
    for (const relation of reading.tables.keys()) {
      const known = readers.get(relation);
      known?.delete(reading);
      if (known?.size === 0) readers.delete(relation);
    }
  }

  function changed(changes: readonly Change[]): void {
    for (const { relation, keys } of changes) {
      const known = keys && new Set(keys);
      for (const reading of readers.get(relation) ?? []) {
        const key = reading.tables.get(relation) ?? null;
        if (known === null || key === null || known.has(key)) mark(reading);
      }
    }
  }

  function mark(reading: Reading): void {
    if (reading.state === 'under way') reading.isDirty = true;
    else soon(reading);
  }

  /** At once after quiet; else when the pause is over. */
  function soon(reading: Reading): void {
    if (reading.state !== 'idle') return;
    reading.state = 'due';
    const left = reading.readAt + pause - performance.now();
    if (left > 0) setTimeout(() => { begin(reading); }, left).unref();
    else begin(reading);
  }

  function begin(reading: Reading): void {
    ready.push(reading);
    go();
  }

  function go(): void {
    while (!isHeld && underWay < most()) {
      const next = ready.shift();
      if (next === undefined) return;
      if (readings.get(next.key) === next) void run(next);
    }
  }

  async function run(reading: Reading): Promise<void> {
    underWay += 1;
    reading.state = 'under way';
    reading.isDirty = false;
    for (const member of reading.members) member.isNew = false;
    try {
      const outcome = await outcomeOf(reading);
      await tell(reading, outcome);
      if ('failure' in outcome && mayPass(outcome.failure)) setTimeout(() => { mark(reading); }, RETRY).unref();
    } finally {
      underWay -= 1;
      reading.state = 'idle';
      reading.readAt = performance.now();
      if (isDirty(reading)) soon(reading);
      go();
    }
  }

  /** A function, because TypeScript holds that the flag is still false after the reads. */
  function isDirty(reading: Reading): boolean {
    return reading.isDirty;
  }

  async function outcomeOf(reading: Reading): Promise<Outcome> {
    try {
      return { update: await read(reading) };
    } catch (failure) {
      return { failure };
    }
  }

  /** Members that left meanwhile get nothing; neither do members that joined after the read. */
  async function tell(reading: Reading, outcome: Outcome): Promise<void> {
    let count = 0;
    for (const member of [...reading.members]) {
      if (isHeld) return void (reading.isDirty = true); // what was heard until now may be over
      if (!reading.members.has(member) || member.isNew) continue;
      member.told = member.tell(outcome);
      if (++count % TOLD_AT_ONCE === 0) await setImmediate();
    }
  }

  /** While nothing is heard of what callers may do, nothing is read or told. */
  function hold(held: boolean): void {
    isHeld = held;
    go();
  }

  function tick(): void {
    const old = performance.now() - sweep;
    for (const reading of readings.values()) if (reading.readAt < old) mark(reading);
  }

  /** The tables of all reads, and whether by the keys of their rows. */
  function tables(): Map<number, boolean> {
    const isKeyed = (relation: number, known: Set<Reading>) => [...known].some(({ tables }) => tables.get(relation) !== null);
    return new Map(Array.from(readers, ([relation, known]) => [relation, isKeyed(relation, known)]));
  }
}

/** An unsupported read (501) stays so. */
export function mayPass(failure: unknown): boolean {
  return !(failure instanceof ApiError) || (failure.status >= 500 && failure.status !== 501);
}

export type Readings = ReturnType<typeof createReadings>;
