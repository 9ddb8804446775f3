import { arrayText } from '../grammar/array-text.ts';
import { first, type Row, type Statement } from '../database/statement.ts';
import type { Client, Lane } from '../database/lane.ts';
import { busy, unavailable } from '../database/refusal.ts';
import type { Compiled, Coalescing } from './statements.ts';

/** A get that may be coalesced with others. */
export type Coalescable = Compiled & { coalescing: Coalescing };

/** Coalesces gets that wait for the same statement of the same caller. */
export type Coalescer = { run: (get: Coalescable, parameters: readonly string[], client: Client) => Promise<Row> };
export type CoalescerOptions = {
  /** Milliseconds after which the gets of a failed statement are not repeated. */
  deadline: number;
  /** Every get waits for the others of its turn of the event loop, also where nothing is under way: for tests. */
  always?: boolean;
};

type Get = {
  parameters: readonly string[];
  client: Client;
  since: number;
  resolve: (row: Row) => void;
  reject: (error: unknown) => void;
};
/** Gets with one statement and equal parameters but for the id: the claims of the caller are among these. */
type Group = {
  get: Coalescable;
  underWay: number;
  waiting: Get[];
  /** Its gets are sent at the end of this turn of the event loop. */
  endsTurn: boolean;
  forget: () => void;
};

/** Most gets in one statement, and most bytes that they are expected to return. */
const MOST = 32;
const MOST_BYTES = 1024 * 1024;
/**
 * Statements of one group under way before its gets wait for one another. More would leave fewer to go together, with one the server
 * rests while the gateway answers.
 */
const AT_ONCE = 2;
/** Gets that went as one statement on average, from which on more are expected: each waits for the others of its turn of the event loop. */
const CROWDED = 2;
/** Milliseconds of the server for a row. Gets of a slower statement go one by one, so that none waits for the slow row of another. */
const SLOW = 1;
/** Milliseconds after which gets do not wait for those under way any longer. */
const PATIENCE = 5;
/** How much the last time counts for an average. */
const WEIGHT = 0.1;
const NONE: Row = [];

/**
 * A get whose group has less than two statements under way is sent at once, alone; while many come, together with those that come in the
 * same turn of the event loop. The others would have queued behind these on their connections: they wait here, and go together as soon
 * as one ends. A statement for several that fails is repeated one by one, so that each get has its own answer.
 */
export function createCoalescer(lane: Lane, { deadline, always = false }: CoalescerOptions): Coalescer {
  const groups = new WeakMap<Compiled, Map<string, Group>>();
  const withWaiting = new Set<Group>();
  const atOnce = always ? Infinity : AT_ONCE;
  let looking: NodeJS.Timeout | undefined;

  return { run };

  function run(get: Coalescable, parameters: readonly string[], client: Client): Promise<Row> {
    const { milliseconds, takes, place, together } = get.coalescing;
    if ((milliseconds > SLOW && !always) || !takes.test(parameters[place] ?? '')) return alone(get, parameters, client);
    const group = groupOf(get, parameters);
    const mayStart = group.underWay < atOnce;
    if (mayStart && !always && together < CROWDED) return occupied(group, () => alone(get, parameters, client));
    const { promise, resolve, reject } = Promise.withResolvers<Row>();
    group.waiting.push({ parameters, client, since: performance.now(), resolve, reject });
    withWaiting.add(group);
    if (mayStart) sendAtEndOfTurn(group);
    else looking ??= setTimeout(look, PATIENCE);
    return promise;
  }

  function groupOf(get: Coalescable, parameters: readonly string[]): Group {
    let ofGet = groups.get(get);
    if (ofGet === undefined) groups.set(get, ofGet = new Map<string, Group>());
    const key = JSON.stringify(parameters.toSpliced(get.coalescing.place, 1));
    const known = ofGet.get(key);
    if (known !== undefined) return known;
    const group: Group = { get, underWay: 0, waiting: [], endsTurn: false, forget: () => ofGet.delete(key) };
    ofGet.set(key, group);
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
      if (group.underWay < atOnce) sendWaiting(group);
    });
  }

  function sendWaiting(group: Group): void {
    const { coalescing } = group.get;
    const gets: Get[] = [];
    const most = Math.min(MOST, MOST_BYTES / coalescing.bytes);
    for (let next = group.waiting.shift(); next !== undefined; next = gets.length < most ? group.waiting.shift() : undefined) {
      if (next.client.isGone?.()) next.reject(unavailable(undefined));
      else gets.push(next);
    }
    if (group.waiting.length === 0) withWaiting.delete(group);
    if (gets.length === 0) return;
    note(coalescing, 'together', gets.length);
    void occupied(group, () => send(group, gets));
  }

  async function send({ get }: Group, gets: Get[]): Promise<void> {
    const [only] = gets;
    if (only !== undefined && gets.length === 1 && !always) return settle(get, only);
    try {
      const rows = await runMany(get, gets);
      for (const [i, { resolve }] of gets.entries()) resolve(rows[i] ?? NONE);
    } catch {
      // Its error may name the ids of others, so no get is answered with it.
      get.coalescing.milliseconds = 2 * SLOW;
      const tooOld = performance.now() - deadline;
      for (const late of gets.filter(({ since }) => since < tooOld)) late.reject(busy());
      await Promise.all(gets.filter(({ since }) => since >= tooOld).map(one => settle(get, one)));
    }
  }

  function settle(get: Coalescable, { parameters, client, resolve, reject }: Get): Promise<void> {
    return alone(get, parameters, client).then(resolve, reject);
  }

  async function alone(get: Coalescable, parameters: readonly string[], client: Client): Promise<Row> {
    get.coalescing.alone += 1;
    const row = first(await lane.rows(statementOf(get, get.coalescing, 1), parameters, client));
    note(get.coalescing, 'bytes', row[0]?.length ?? 0);
    return row;
  }

  /** The rows in the order of the gets; undefined where there is none. */
  async function runMany(get: Coalescable, gets: Get[]): Promise<(Row | undefined)[]> {
    const { place, find } = get.coalescing;
    const [{ parameters, client }] = gets as [Get];
    const ids = gets.map(one => one.parameters[place] ?? '');
    const found = await find(client.key);
    get.coalescing.coalesced += gets.length;
    get.coalescing.statements += 1;
    const sorted: (Row | undefined)[] = [];
    for (const row of await lane.rows(statementOf(found, get.coalescing, gets.length), parameters.with(place, arrayText(ids)), client)) {
      sorted[Number(Buffer.from(row[2] ?? []).toString('latin1')) - 1] = row;
      note(get.coalescing, 'bytes', row[0]?.length ?? 0);
    }
    return sorted;
  }

  function statementOf({ text, uses }: Compiled, averages: Coalescing, gets: number): Statement {
    const onEnd = (milliseconds: number) => { note(averages, 'milliseconds', milliseconds / gets); };
    return { text, prepare: uses > 1, enterFirst: false, onEnd };
  }

  /** No event tells that what is under way has become slow. */
  function look(): void {
    looking = undefined;
    const tooOld = performance.now() - PATIENCE;
    for (const group of withWaiting) if ((group.waiting[0]?.since ?? Infinity) < tooOld) sendWaiting(group);
    if (withWaiting.size > 0) looking = setTimeout(look, PATIENCE);
  }
}

function note(averages: Coalescing, which: 'milliseconds' | 'bytes' | 'together', value: number): void {
  averages[which] = averages[which] * (1 - WEIGHT) + value * WEIGHT;
}
