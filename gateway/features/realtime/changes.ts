import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Listening } from '../../database/listen.ts';

/** Rows of a table changed: these, or any of them. A table is known by its oid. */
export type Change = { relation: number; keys: string[] | null };
/** The tables whose changes are wanted, and whether with the keys of their rows. */
export type Wanted = ReadonlyMap<number, boolean>;

/** Figures of a gateway for the operator of the database. */
export type Counts = { sockets: number; subscriptions: number };

export type ChangeListener = {
  counts: () => Counts;
  changed: (changes: readonly Change[]) => void;
  /** Changes are heard, from now on or again: what changed before is not known. */
  resumed: () => void;
  /** Until then nothing is heard. */
  silent: () => void;
};

export type ChangeFeed = {
  /** Resolves when every later commit is announced. A caller that reads after that, and again at each announcement, misses nothing. */
  want: (wanted: Wanted) => Promise<void>;
  end: () => Promise<void>;
};

/** Begins to hear of changes. */
export type OpenChanges = (ears: ChangeListener) => Promise<ChangeFeed>;

/** A table that reads of a collection read. */
export type ChangeSource = {
  collection: string;
  /** Only with this other collection, by a relation. */
  joined: string | null;
  relation: number;
  name: string;
  /** A row of the collection is the row of that table with the same key, whose text is of this kind. */
  keyType: 'integer' | 'uuid' | 'text' | null;
  /** Whether its changes are reported. */
  told: boolean;
};

export const CHANGES_CHANNEL = 'service_changes';

/** Milliseconds between two looks while there is something to see, and while only old transactions are waited for. */
const LOOKS = 30;
const SLOW_LOOKS = 250;
/** Milliseconds without a change after which writers are to ring. */
const QUIET = 1_000;
/** How often a gateway says that it is still there; the database forgets it after a minute. */
const KEEP = 15_000;

/**
 * Transactions below `bound` may not have seen what was said (that a table's changes are wanted, that one sleeps): as often as one
 * of them ends, these tables may have changed without a word.
 */
type Unsettled = { bound: bigint; relations: readonly number[]; left: number };

/**
 * Hears of changes as a network driver does: interrupted when idle, polling under load. While nothing changes the gateway sleeps, and
 * writers ring; after the first ring it looks by itself, and writers do not, because a NOTIFY in every commit makes them wait for each
 * other (18,900 inserts/s became 5,800 at 64 clients).
 */
export async function openChanges({ listen, ask }: Listening, ears: ChangeListener): Promise<ChangeFeed> {
  const id = randomUUID();
  let wanted: Wanted = new Map();
  /** The tables that the database was last told. */
  let asked: Wanted | undefined;
  const waiting: PromiseWithResolvers<undefined>[] = [];
  let seen: string | null = null;
  let unsettled: Unsettled[] = [];
  let isHeard = false;
  let isAwake = true;
  let isRung = false;
  let isEnded = false;
  let changedAt = 0;
  let keptAt = 0;
  let stir: () => void = () => undefined;

  const listening = await listen(CHANGES_CHANNEL, { heard: ring, resumed, silent });
  const over = run();
  return { want, end };

  function want(next: Wanted): Promise<void> {
    wanted = next;
    const told = Promise.withResolvers<undefined>();
    waiting.push(told);
    stir();
    return told.promise;
  }

  function ring(): void {
    isRung = true;
    stir();
  }

  function resumed(): void {
    isHeard = true;
    forget();
    stir();
  }

  function silent(): void {
    isHeard = false;
    ears.silent();
  }

  /** The database's record of this gateway is not known any more. */
  function forget(): void {
    asked = undefined;
    seen = null;
    unsettled = [];
  }

  async function run(): Promise<void> {
    for (;;) {
      try {
        if (isHeard) await step();
      } catch {
        // Where the connection is lost, it says so when it is there again; any other failure is tried again.
        forget();
        await wait(SLOW_LOOKS);
      }
      if (isEnded) return;
      await pause(delay());
    }
  }

  /** Ends early when something is to be done at once. */
  async function pause(milliseconds: number): Promise<void> {
    if (isHeard && (isRung || asked !== wanted)) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    stir = () => { resolve(undefined); };
    const timer = setTimeout(stir, milliseconds).unref();
    await promise;
    clearTimeout(timer);
  }

  function delay(): number {
    if (!isHeard || asked?.size === 0 || (!isAwake && unsettled.length === 0)) return KEEP;
    return Date.now() - changedAt < QUIET ? LOOKS : SLOW_LOOKS;
  }

  async function step(): Promise<void> {
    const isAnew = asked === undefined;
    isRung = false;
    if (asked !== wanted) await tell(wanted);
    if (asked?.size !== 0) {
      await look();
      await fallAsleep();
    }
    if (asked?.size !== 0 && Date.now() - keptAt > KEEP) await keep();
    if (isAnew) ears.resumed();
  }

  /** Waiters continue as soon as the database has been told, and read by themselves. */
  async function tell(next: Wanted): Promise<void> {
    const known: Wanted = asked ?? new Map<number, boolean>();
    const told = waiting.splice(0);
    try {
      if (next.size > 0 || known.size > 0) await tellAnew(next, known);
    } catch (error) {
      for (const { reject } of told) reject(error);
      throw error;
    }
    asked = next;
    for (const { resolve } of told) resolve(undefined);
  }

  async function tellAnew(next: Wanted, known: Wanted): Promise<void> {
    const relations = [...next.keys()].filter(relation => !known.has(relation));
    await ask('select service_private.lease_changes($1, $2::oid[], $3::boolean[])', [id, arrayText(next.keys()), arrayText(next.values())]);
    isAwake = true;
    changedAt = Date.now();
    if (relations.length > 0) unsettled.push({ bound: await bound(), relations, left: Infinity });
    if (next.size === 0) await keep(); // no subscription may be left
  }

  /** Every transaction of now has a lower number. */
  async function bound(): Promise<bigint> {
    const [row] = await ask<{ xid: string }>('select pg_current_xact_id()::text as xid');
    return BigInt(row?.xid ?? 0);
  }

  async function look(): Promise<void> {
    const [found] = await ask<Look>('select * from service_private.poll_changes($1, $2::pg_snapshot)', [id, seen]);
    if (!found?.known) throw new Error('The database has forgotten this gateway.');
    seen = found.snapshot;
    const changes = [...found.changes ?? [], ...settled(underWay(seen))];
    if (changes.length === 0) return;
    if (found.changes !== null) changedAt = Date.now();
    ears.changed(changes);
  }

  function settled(xids: bigint[]): Change[] {
    const changed = new Set<number>();
    for (const waited of unsettled) {
      const left = xids.filter(xid => xid < waited.bound).length;
      if (left < waited.left) for (const relation of waited.relations) changed.add(relation);
      waited.left = left;
    }
    unsettled = unsettled.filter(({ left }) => left > 0);
    return Array.from(changed, relation => ({ relation, keys: null }));
  }

  async function fallAsleep(): Promise<void> {
    const isQuiet = Date.now() - changedAt > QUIET;
    if (isAwake !== isQuiet) return;
    await ask('select service_private.pause_polling($1, $2)', [id, !isQuiet]);
    isAwake = !isQuiet;
    if (isQuiet) unsettled.push({ bound: await bound(), relations: [], left: Infinity });
  }

  async function keep(): Promise<void> {
    keptAt = Date.now();
    const { sockets, subscriptions } = ears.counts();
    const told = [id, seen, String(sockets), String(subscriptions)];
    const [kept] = await ask<{ known: boolean }>('select service_private.renew_lease($1, $2::pg_snapshot, $3, $4) as known', told);
    if (!kept?.known) throw new Error('The database has forgotten this gateway.');
  }

  async function end(): Promise<void> {
    isEnded = true;
    stir();
    await over;
    for (const { reject } of waiting.splice(0)) reject(new Error('The service ends.'));
    if (isHeard && asked !== undefined) await ask('select service_private.end_lease($1)', [id]).catch(() => undefined);
    await listening.end();
  }
}

/** The transactions of a pg_snapshot (`begin:end:xid,…`) that were in progress, as far as they are below its end. */
function underWay(snapshot: string): bigint[] {
  const [, , xids = ''] = snapshot.split(':');
  return xids === '' ? [] : xids.split(',').map(BigInt);
}

function arrayText(values: Iterable<number | boolean>): string {
  return `{${[...values].join()}}`;
}

type Look = { snapshot: string; known: boolean; changes: Change[] | null };
