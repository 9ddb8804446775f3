import { FIELDS, keyOf, related, relationOf, RELATIONS, type Row, type World } from './world.ts';

// The meaning of a request, without code of the compiler: rows as plain JSON, three-valued logic in JavaScript.

export type Truth = boolean | null;
/** `field` is a column, a relation, or relation.column. `spelling` picks one of the ways to write it, which must not matter. */
export type Leaf = { field: string; op: string; value: any; spelling: number };
export type Group = { type: 'and' | 'or' | 'not'; parts: (Group | Leaf)[] };
/** `field` is a column, a belongsTo, or fn(relation[.column]). */
export type Key = { field: string; direction: 'asc' | 'desc'; nulls?: 'first' | 'last' };
export type Node = {
  leaves: Leaf[]; group: Group | undefined; keys: Key[]; limit: number | undefined; fields: string[] | undefined;
  include: Record<string, Node>; all: boolean; spelling: number;
};

const and = (truths: Truth[]): Truth => truths.includes(false) ? false : truths.includes(null) ? null : true;
const or = (truths: Truth[]): Truth => truths.includes(true) ? true : truths.includes(null) ? null : false;

/** By code point, as the tests' databases sort: the order of UTF-8's bytes. */
export const compare = (a: any, b: any): number =>
  typeof a === 'number' ? a - b : Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));

function like(text: string, pattern: string, flags: string): boolean {
  const source = pattern.replaceAll(/\\([^])|([^])/gu, (_, literal: string | undefined, character: string) =>
    literal === undefined && character === '%' ? '[^]*'
      : literal === undefined && character === '_' ? '[^]'
      : (literal ?? character).replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'));
  return new RegExp(`^${source}$`, `u${flags}`).test(text);
}

const some = (actual: any, list: any[]): boolean => list.some(item => compare(actual, item) === 0);
const TESTS: Record<string, (actual: any, value: any) => boolean> = {
  eq: (a, v) => compare(a, v) === 0, neq: (a, v) => compare(a, v) !== 0, gt: (a, v) => compare(a, v) > 0, gte: (a, v) => compare(a, v) >= 0,
  lt: (a, v) => compare(a, v) < 0, lte: (a, v) => compare(a, v) <= 0, in: some, nin: (a, v) => !some(a, v),
  cs: (a, v) => compare(a, v) === 0, csa: some, like: (a, v) => like(a, v, ''), ilike: (a, v) => like(a, v, 'i'),
  nlike: (a, v) => !like(a, v, ''), nilike: (a, v) => !like(a, v, 'i'),
};
/** Across a relation these mean that no related row matches. */
const POSITIVE: Record<string, string> = { neq: 'eq', nin: 'in', nlike: 'like', nilike: 'ilike' };

function compared(actual: any, op: string, value: any): Truth {
  if (op === 'isnull') return actual === null;
  if (op === 'notnull') return actual !== null;
  if (op === 'in' && value.length === 0) return false;
  if (op === 'nin' && value.length === 0) return true;
  return actual === null ? null : TESTS[op]?.(actual, value) ?? null;
}

function truth(world: World, collection: string, row: Row, node: Group | Leaf): Truth {
  if ('op' in node) return leafTruth(world, collection, row, node);
  const truths = node.parts.map(part => truth(world, collection, row, part));
  if (node.type === 'not') return and(truths) !== true;
  return node.type === 'and' ? and(truths) : or(truths);
}

function leafTruth(world: World, collection: string, row: Row, { field, op, value }: Leaf): Truth {
  if (FIELDS[collection]?.includes(field)) return compared(row[field], op, value);
  const [name = '', column] = field.split('.');
  const relation = relationOf(collection, name);
  if (!relation) throw new Error(`${collection} has no ${name}`);
  if (column === undefined && relation.kind === 'belongsTo') return compared(row[relation.local], op, value);
  const rows = related(world, collection, row, name);
  if (column === undefined && op === 'isnull') return rows.length === 0;
  if (column === undefined && op === 'notnull') return rows.length > 0;
  const found = rows.some(row => compared(row[column ?? keyOf(relation.target)], POSITIVE[op] ?? op, value) === true);
  return op in POSITIVE ? !found : found;
}

/** Prices have two digits, and binary fractions none: sums are of cents. */
export const sum = (values: number[]): number => values.reduce((total, value) => total + Math.round(value * 100), 0) / 100;

export function aggregate(fn: string, values: any[]): any {
  if (fn === 'count') return values.length;
  if (values.length === 0) return null;
  if (fn === 'sum') return sum(values);
  if (fn === 'avg') return sum(values) / values.length;
  const sorted = values.toSorted(compare);
  return fn === 'min' ? sorted[0] : sorted.at(-1);
}

function sortValue(world: World, collection: string, row: Row, field: string): any {
  const [, fn, name = '', column] = /^(\w+)\((\w+)(?:\.(\w+))?\)$/.exec(field) ?? [];
  if (fn === undefined) return row[FIELDS[collection]?.includes(field) ? field : relationOf(collection, field)?.local ?? ''];
  const rows = related(world, collection, row, name);
  return aggregate(fn, column === undefined ? rows : rows.map(row => row[column]).filter(value => value !== null));
}

export function byKeys<T>(keys: Key[], valueOf: (item: T, key: Key) => any): (a: T, b: T) => number {
  return (a, b) => {
    for (const key of keys) {
      const { direction, nulls = direction === 'asc' ? 'last' : 'first' } = key;
      const [x, y] = [valueOf(a, key), valueOf(b, key)];
      if (x === null && y === null) continue;
      if (x === null || y === null) return (x === null) === (nulls === 'first') ? -1 : 1;
      const difference = compare(x, y) * (direction === 'asc' ? 1 : -1);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

/** Whether every word stands in some text, whatever its case. */
export const holds = (row: Row, words: string[]): boolean => words.every(word =>
  Object.entries(row).some(([name, value]) =>
    typeof value === 'string' && !name.endsWith('Date') && value.toLowerCase().includes(word.toLowerCase())));

/** The rows that fit, in their order: newest first where nothing else is said. */
export function found(
  world: World, collection: string, rows: Row[], { leaves, group, keys }: Pick<Node, 'leaves' | 'group' | 'keys'>,
): Row[] {
  const conditions = [...leaves, ...(group ? [group] : [])];
  const order: Key[] = [...keys, { field: keyOf(collection), direction: 'desc' }];
  return rows
    .filter(row => and(conditions.map(condition => truth(world, collection, row, condition))) === true)
    .map(row => ({ row, values: new Map(order.map(({ field }) => [field, sortValue(world, collection, row, field)])) }))
    .sort(byKeys(order, ({ values }, { field }) => values.get(field)))
    .map(({ row }) => row);
}

/** A row as it is shown: its fields, and below their names the rows that it includes. */
export function shown(world: World, collection: string, row: Row, { fields, include, all }: Pick<Node, 'fields' | 'include' | 'all'>): Row {
  const columns = fields ? [keyOf(collection), ...fields] : FIELDS[collection] ?? [];
  const plain: Node = { leaves: [], group: undefined, keys: [], limit: undefined, fields: undefined, include: {}, all: false, spelling: 0 };
  const names = all ? Object.keys(RELATIONS[collection] ?? {}) : Object.keys(include);
  return Object.fromEntries([
    ...columns.map(column => [column, row[column]]),
    ...names.map(name => {
      const { target = '', kind } = relationOf(collection, name) ?? {};
      const node = include[name] ?? plain;
      const rows = found(world, target, related(world, collection, row, name), node).slice(0, node.limit).map(row =>
        shown(world, target, row, node));
      return [name, kind === 'belongsTo' ? rows[0] ?? null : rows];
    }),
  ]);
}
