import { arrayText } from '../grammar/array-text.ts';
import { CALLER_PARAMETERS } from '../grammar/read/shape.ts';
import { first, type Row, type Statement } from '../database/statement.ts';
import type { Client } from '../database/lane.ts';
import type { ReadLanes } from '../database/lanes.ts';
import { busy, unavailable } from '../database/refusal.ts';
import { isSlow, note, restFrom, wentAlone, wentTogether } from './coalescing.ts';
import type { Coalescing, Compiled } from './compiled.ts';

/** A read that may be coalesced with others. */
export type Coalescable = Compiled & { coalescing: Coalescing };

/** Coalesces reads that wait for the same statement of the same caller. */
export type Coalescer = { run: (read: Coalescable, parameters: readonly string[], client: Client) => Promise<Row> };
export type CoalescerOptions = {
  /** Milliseconds after which the reads of a failed statement are not repeated. */
  deadline: number;
  /** Every read waits for the others of its turn of the event loop, also where nothing is under way: for tests. */
  always?: boolean;
};

type Waiting = {
  parameters: readonly string[];
  client: Client;
  since: number;
  resolve: (row: Row) => void;
  reject: (error: unknown) => void;
};
/** Reads with one statement and equal claims of the caller. */
type Group = {
  read: Coalescable;
  underWay: number;
  waiting: Waiting[];
  /** Its reads are sent at the end of this turn of the event loop. */
  endsTurn: boolean;
  forget: () => void;
};

/** Most reads in one statement, and what they are expected to return and to take of the server at most. */
const MOST = { reads: 32, bytes: 1024 * 1024, milliseconds: 5 };
/**
 * Statements of one group under way before its reads wait for one another, by lane. More would leave fewer to go together; with one get the
 * server rests while the gateway answers, and of lists four work at once as without this.
 */
const AT_ONCE = { point: 2, scan: 4 };
/** From so many reads that went as one statement on average, each waits for the others of its turn of the event loop. */
const CROWDED = 2;
/** Milliseconds after which reads do not wait for those under way any longer. */
const PATIENCE = 5;
const NONE: Row = [];

/**
 * A read whose group has few statements under way is sent at once, alone; while many come, together with those that come in the
 * same turn of the event loop. The others would have queued behind these on their connections: they wait here, and go together as soon
 * as one ends. A statement for several that fails is repeated one by one, so that each read has its own answer.
 */
export function createCoalescer(lanes: ReadLanes, { deadline, always = false }: CoalescerOptions): Coalescer {
  const groups = new WeakMap<Compiled, Map<string, Group>>();
  const withWaiting = new Set<Group>();
  let looking: NodeJS.Timeout | undefined;

  return { run };

  function run(read: Coalescable, parameters: readonly string[], client: Client): Promise<Row> {
    const { coalescing } = read;
    if ((isSlow(coalescing) && !always) || !coalescing.takes(parameters.slice(CALLER_PARAMETERS))) return alone(read, parameters, client);
    const group = groupOf(read, parameters);
    const mayStart = always || group.underWay < AT_ONCE[read.lane];
    if (mayStart && !always && coalescing.averages.together < CROWDED) return occupied(group, () => alone(read, parameters, client));
    const { promise, resolve, reject } = Promise.withResolvers<Row>();
    group.waiting.push({ parameters, client, since: performance.now(), resolve, reject });
    withWaiting.add(group);
    if (mayStart) sendAtEndOfTurn(group);
    else looking ??= setTimeout(look, PATIENCE);
    return promise;
  }

  function groupOf(read: Coalescable, parameters: readonly string[]): Group {
    let ofRead = groups.get(read);
    if (ofRead === undefined) groups.set(read, ofRead = new Map<string, Group>());
    const key = JSON.stringify(parameters.slice(0, CALLER_PARAMETERS));
    const known = ofRead.get(key);
    if (known !== undefined) return known;
    const group: Group = { read, underWay: 0, waiting: [], endsTurn: false, forget: () => ofRead.delete(key) };
    ofRead.set(key, group);
    return group;
  }

  async function occupied<T>(group: Group, work: () => Promise<T>): Promise<T> {
    group.underWay += 1;
    try {
      return await work();
    } finally {
      group.underWay -= 1;
      sendWaiting(group);
      if (group.underWay === 0) group.forget();
    }
  }

  function sendAtEndOfTurn(group: Group): void {
    if (group.endsTurn) return;
    group.endsTurn = true;
    setImmediate(() => {
      group.endsTurn = false;
      if (always || group.underWay < AT_ONCE[group.read.lane]) sendWaiting(group);
    });
  }

  function sendWaiting(group: Group): void {
    const { coalescing } = group.read;
    const reads: Waiting[] = [];
    const { alone, coalesced, bytes } = coalescing.averages;
    const most = Math.min(MOST.reads, MOST.bytes / bytes, MOST.milliseconds / (coalesced || alone));
    for (let next = group.waiting.shift(); next !== undefined; next = reads.length < most ? group.waiting.shift() : undefined) {
      if (next.client.isGone?.()) next.reject(unavailable(undefined));
      else reads.push(next);
    }
    if (group.waiting.length === 0) withWaiting.delete(group);
    if (reads.length === 0) return;
    note(coalescing, 'together', reads.length);
    void occupied(group, () => send(group, reads));
  }

  async function send({ read }: Group, reads: Waiting[]): Promise<void> {
    const [only] = reads;
    if (only !== undefined && reads.length === 1 && !always) return settle(read, only);
    try {
      const rows = await runMany(read, reads);
      for (const [i, { resolve }] of reads.entries()) resolve(rows[i] ?? NONE);
    } catch {
      // Its error may name the values of others, so no read is answered with it.
      restFrom(read.coalescing);
      const tooOld = performance.now() - deadline;
      for (const late of reads.filter(({ since }) => since < tooOld)) late.reject(busy());
      await Promise.all(reads.filter(({ since }) => since >= tooOld).map(one => settle(read, one)));
    }
  }

  function settle(read: Coalescable, { parameters, client, resolve, reject }: Waiting): Promise<void> {
    return alone(read, parameters, client).then(resolve, reject);
  }

  async function alone(read: Coalescable, parameters: readonly string[], client: Client): Promise<Row> {
    const { coalescing } = read;
    coalescing.counts.alone += 1;
    const onEnd = (milliseconds: number) => { wentAlone(coalescing, milliseconds); };
    const row = first(await lanes[read.lane].rows(statementOf(read, onEnd), parameters, client));
    note(coalescing, 'bytes', row[0]?.length ?? 0);
    return row;
  }

  /** The rows in the order of the reads; undefined where there is none. No client that leaves cancels the statement. */
  async function runMany(read: Coalescable, reads: Waiting[]): Promise<(Row | undefined)[]> {
    const { coalescing } = read;
    const [{ parameters, client: { key } }] = reads as [Waiting];
    const values = Array.from({ length: parameters.length - CALLER_PARAMETERS },
      (_, i) => arrayText(reads.map(one => one.parameters[CALLER_PARAMETERS + i] ?? '')));
    const found = await coalescing.find(values.length, key);
    coalescing.counts.coalesced += reads.length;
    coalescing.counts.statements += 1;
    const statement = statementOf(found, milliseconds => { wentTogether(coalescing, milliseconds, reads.length); });
    const sorted: (Row | undefined)[] = [];
    for (const row of await lanes[found.lane].rows(statement, [...parameters.slice(0, CALLER_PARAMETERS), ...values], { key })) {
      sorted[Number(Buffer.from(row.at(-1) ?? []).toString('latin1')) - 1] = row.slice(0, -1);
      note(coalescing, 'bytes', row[0]?.length ?? 0);
    }
    return sorted;
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
