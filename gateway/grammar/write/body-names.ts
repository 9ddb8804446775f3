import type { Listener } from './json-reader.ts';

/** A table has at most 1,600 columns, each with two names. Further names are not kept. */
const MOST_NAMES = 3200;

/** The result of a listener after the text is read. */
type Found<Result> = Listener & { found: () => Result };

/** Operations that may replace a value: `{"views": {"$inc": 1}}`. */
const OPERATIONS: ReadonlySet<string> = new Set(['$inc', '$push', '$pull', '$merge']);

/** The names of the object itself, each once, and those whose value is an operation, as far as can be seen from here. */
export function createNames(): Found<{ names: string[]; operations?: Record<string, string> }> {
  const names = new Set<string>();
  const operations = new Map<string, string>();
  let last = '';
  /** Names in its value. */
  let inside = 0;
  return { depth: 2, opens: () => undefined, names: named, found };

  function named(depth: number, name: string): void {
    if (depth === 2) {
      inside++;
      if (inside === 1 && OPERATIONS.has(name)) operations.set(last, name);
      else operations.delete(last);
      return;
    }
    last = name;
    inside = 0;
    operations.delete(name);
    if (names.size < MOST_NAMES) names.add(name);
  }

  function found(): { names: string[]; operations?: Record<string, string> } {
    return { names: [...names], ...(operations.size > 0 && { operations: Object.fromEntries([...operations].sort(byName)) }) };
  }
}

function byName([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}

/** The names in the rows of a list. The members beside the list are short, and their values are read. */
export type Rows = {
  /** The name of the list. */
  list: string;
  /** The members beside the list; undefined for invalid JSON, or too long a text. */
  beside: Map<string, unknown>;
  /** The names in the rows, each once, and those that are not in all of them. */
  names: string[];
  sometimes: string[];
  /** Each is {id, data}, and these are the names in data. */
  apart: boolean;
};

const LISTS: ReadonlySet<string> = new Set(['rows', 'updates', 'ids', 'items']);
const MOST_BESIDE = 8192;
/** Depths of the names in a row, and of those in its data. */
const [ROW, DATA] = [3, 4];

/** The names of a body and, where it has one list at most, those of the objects in it: `{"rows": [{"title": …}, …]}`. */
export function createRows(json: Buffer): Found<{ names: string[]; rows?: Rows }> {
  const top: { name: string; from: number }[] = [];
  const [ofRow, ofData] = [createCounter(), createCounter()];
  let rows = 0;
  let isInList = false;
  let isInData = false;

  return { depth: DATA, opens, names, found };

  function opens(depth: number): void {
    if (isInList && depth === ROW) rows++;
  }

  function names(depth: number, name: string, valueFrom: number): void {
    if (depth === 1) {
      isInList = LISTS.has(name);
      if (top.length < MOST_NAMES) top.push({ name, from: valueFrom });
    }
    if (!isInList) return;
    if (depth === DATA && isInData) ofData.count(name, rows);
    if (depth !== ROW) return;
    isInData = name === 'data';
    ofRow.count(name, rows);
  }

  function found(): { names: string[]; rows?: Rows } {
    const all = [...new Set(top.map(({ name }) => name))];
    const lists = all.filter(name => LISTS.has(name));
    const [list] = lists;
    if (list === undefined || lists.length > 1) return { names: all };
    const apart = ofRow.has('data') && ofRow.names().every(name => name === 'id' || name === 'data');
    const counter = apart ? ofData : ofRow;
    const beside = new Map(top.flatMap(({ name }, i) => name === list ? [] : [[name, valueOf(i)]]));
    return { names: all, rows: { list, beside, names: counter.names(), sometimes: counter.namesBelow(rows), apart } };
  }

  /** Up to the next name of the object, or to its end. */
  function valueOf(i: number): unknown {
    const { from } = top[i] as { from: number };
    const next = top[i + 1];
    const end = next === undefined ? json.lastIndexOf('}') : json.lastIndexOf(',', next.from);
    if (end - from > MOST_BESIDE) return undefined;
    try {
      return JSON.parse(json.toString('utf8', from, end));
    } catch {
      return undefined;
    }
  }
}

/** Counts the rows that have each name. */
function createCounter() {
  const counts = new Map<string, { rows: number; last: number }>();
  return {
    count(name: string, row: number): void {
      const known = counts.get(name);
      if (known === undefined) {
        if (counts.size < MOST_NAMES) counts.set(name, { rows: 1, last: row });
      } else if (known.last !== row) {
        known.rows++;
        known.last = row;
      }
    },
    has: (name: string) => counts.has(name),
    names: () => [...counts.keys()],
    namesBelow: (rows: number) => [...counts].flatMap(([name, count]) => count.rows < rows ? [name] : []),
  };
}
