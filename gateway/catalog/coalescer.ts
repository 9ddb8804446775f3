import { arrayText } from '../grammar/array-text.ts';
import { first, type Row, type Statement } from '../database/statement.ts';
import type { Client } from '../database/lane.ts';
import { spend } from '../database/spent.ts';
import type { ReadLanes } from '../database/lanes.ts';
import { busy, unavailable } from '../database/refusal.ts';
import { isSlow, mostTogether, note, restFrom, wentAlone, wentTogether } from './coalescing.ts';
import type { Coalescing, Compiled } from './compiled.ts';

/** The values of `service.enter`. Those of a caller are one array for all its requests: by that array callers are told apart. */
export type Claims = readonly string[];
/** A read that may be coalesced with others. */
export type Coalescable = Compiled & { coalescing: Coalescing };

/** Coalesces reads that wait for the same statement of the same caller. */
export type Coalescer = {
  run: (read: Coalescable, claims: Claims, values: readonly string[], client: Client) => Promise<Row>;
  /** Those of all shapes. */
  counts: Readonly<Coalescing['counts']>;
};
export type CoalescerOptions = {
  /** Milliseconds after which the reads of a failed statement are not repeated. */
  deadline: number;
  /** Every read waits for the others of its turn of the event loop, also where nothing is under way: for tests. */
  always?: boolean;
};

type Waiting = {
  values: readonly string[];
  client: Client;
  since: number;
  resolve: (row: Row) => void;
  reject: (error: unknown) => void;
};
/** Reads with one statement of one caller. */
type Group = {
  read: Coalescable;
  claims: Claims;
  underWay: number;
  waiting: Waiting[];
  /** Its reads are sent at the end of this turn of the event loop. */
  endsTurn: boolean;
};

/**
 * Statements of one group under way before its reads wait for one another, by lane. More would leave fewer to go together; with one get the
 * server rests while the gateway answers, and of lists four work at once as without this.
 */
const AT_ONCE = { point: 2, scan: 4 };
/** From so many reads that went as one statement on average, each waits for the others of its turn of the event loop. */
const CROWDED = 2;
/** Reads that may wait in one group: a database that hangs would else fill this process's memory. */
const MOST_WAITING = 10_000;
/** Milliseconds after which reads do not wait for those under way any longer. */
const PATIENCE = 5;
const NONE: Row = [];

/**
 * A read whose group has few statements under way is sent at once, alone; while many come, together with those that come in the
 * same turn of the event loop. The others would have queued behind these on their connections: they wait here, and go together as soon
 * as one ends. A statement for several that fails is repeated one by one, so that each read has its own answer.
 */
export function createCoalescer(lanes: ReadLanes, { deadline, always = false }: CoalescerOptions): Coalescer {
  const groups = new WeakMap<Compiled, WeakMap<Claims, Group>>();
  const withWaiting = new Set<Group>();
  const counts = { alone: 0, coalesced: 0, statements: 0 };
  let looking: NodeJS.Timeout | undefined;

  return { run, counts };

  function run(read: Coalescable, claims: Claims, values: readonly string[], client: Client): Promise<Row> {
    const { coalescing } = read;
    const group = groupOf(read, claims);
    const startsNow = mayStart(group);
    const goesAlone = !always && (isSlow(coalescing) || (startsNow && coalescing.averages.together < CROWDED));
    if (goesAlone || !coalescing.takes(values)) return alone(group, values, client);
    if (group.waiting.length >= MOST_WAITING) return Promise.reject(busy());
    const { promise, resolve, reject } = Promise.withResolvers<Row>();
    group.waiting.push({ values, client, since: performance.now(), resolve, reject });
    withWaiting.add(group);
    if (startsNow) sendAtEndOfTurn(group);
    else looking ??= setTimeout(look, PATIENCE);
    return promise;
  }

  function groupOf(read: Coalescable, claims: Claims): Group {
    let ofRead = groups.get(read);
    if (ofRead === undefined) groups.set(read, ofRead = new WeakMap<Claims, Group>());
    let group = ofRead.get(claims);
    if (group === undefined) ofRead.set(claims, group = { read, claims, underWay: 0, waiting: [], endsTurn: false });
    return group;
  }

  function mayStart({ underWay, read }: Group): boolean {
    return always || underWay < AT_ONCE[read.lane];
  }

  function sendAtEndOfTurn(group: Group): void {
    if (group.endsTurn) return;
    group.endsTurn = true;
    setImmediate(() => {
      group.endsTurn = false;
      if (mayStart(group)) sendWaiting(group);
      else looking ??= setTimeout(look, PATIENCE);
    });
  }

  function sendWaiting(group: Group): void {
    const { coalescing } = group.read;
    const reads: Waiting[] = [];
    const now = performance.now();
    const most = mostTogether(coalescing);
    for (let next = group.waiting.shift(); next !== undefined; next = reads.length < most ? group.waiting.shift() : undefined) {
      if (next.client.isGone?.()) next.reject(unavailable(undefined));
      else reads.push(next);
      if (next.client.spent !== undefined) spend(next.client.spent, now - next.since);
    }
    if (group.waiting.length === 0) withWaiting.delete(group);
    else looking ??= setTimeout(look, PATIENCE);
    if (reads.length === 0) return;
    note(coalescing, 'together', reads.length);
    void send(group, reads);
  }

  async function send(group: Group, reads: Waiting[]): Promise<void> {
    const [only] = reads;
    if (only !== undefined && reads.length === 1 && !always) return settle(group, only);
    try {
      const rows = await runMany(group, reads);
      for (const [i, { resolve }] of reads.entries()) resolve(rows[i] ?? NONE);
    } catch {
      // Its error may name the values of others, so no read is answered with it.
      restFrom(group.read.coalescing);
      const tooOld = performance.now() - deadline;
      for (const late of reads.filter(({ since }) => since < tooOld)) late.reject(busy());
      await Promise.all(reads.filter(({ since }) => since >= tooOld).map(one => settle(group, one)));
    }
  }

  function settle(group: Group, { values, client, resolve, reject }: Waiting): Promise<void> {
    return alone(group, values, client).then(resolve, reject);
  }

  async function alone(group: Group, values: readonly string[], client: Client): Promise<Row> {
    const { read: { coalescing, lane }, claims } = group;
    coalescing.counts.alone += 1;
    counts.alone += 1;
    const statement = statementOf(group.read, milliseconds => { wentAlone(coalescing, milliseconds); });
    group.underWay += 1;
    try {
      const row = first(await lanes[lane].rows(statement, [...claims, ...values], client));
      note(coalescing, 'bytes', row[0]?.length ?? 0);
      return row;
    } finally {
      ended(group);
    }
  }

  /** The rows in the order of the reads; undefined where there is none. No client that leaves cancels the statement. */
  async function runMany(group: Group, reads: Waiting[]): Promise<(Row | undefined)[]> {
    const { read: { coalescing }, claims } = group;
    const [{ values, client: { key } }] = reads as [Waiting];
    const spent = { waited: 0, served: 0 };
    group.underWay += 1;
    try {
      const found = await coalescing.find(values.length, key);
      // A policy that was changed since may want it, and the transaction that then enters is for one read.
      if (found.enterFirst) throw new Error('The statement for several must not read before it has entered.');
      for (const these of [coalescing.counts, counts]) {
        these.coalesced += reads.length;
        these.statements += 1;
      }
      const statement = statementOf(found, milliseconds => {
        if (found.uses > 1) wentTogether(coalescing, milliseconds, reads.length); // the first is not prepared
      });
      const arrays = values.map((_, i) => arrayText(reads.map(one => one.values[i] ?? '')));
      const sorted: (Row | undefined)[] = [];
      for (const row of await lanes[found.lane].rows(statement, [...claims, ...arrays], { key, spent })) {
        sorted[Number(Buffer.from(row.at(-1) ?? []).toString('latin1')) - 1] ??= row.slice(0, -1);
        note(coalescing, 'bytes', row[0]?.length ?? 0);
      }
      return sorted;
    } finally {
      for (const { client } of reads) if (client.spent !== undefined) spend(client.spent, spent.waited, spent.served);
      ended(group);
    }
  }

  function ended(group: Group): void {
    group.underWay -= 1;
    if (mayStart(group)) sendWaiting(group);
  }

  /** No event tells that what is under way has become slow. */
  function look(): void {
    looking = undefined;
    const tooOld = performance.now() - PATIENCE;
    for (const group of withWaiting) if ((group.waiting[0]?.since ?? Infinity) < tooOld) sendWaiting(group);
    if (withWaiting.size > 0) looking = setTimeout(look, PATIENCE);
  }
}

function statementOf({ text, uses }: Compiled, onEnd: (milliseconds: number) => void): Statement {
  return { text, prepare: uses > 1, enterFirst: false, onEnd };
}
