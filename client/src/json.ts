/** JSON whose numbers keep every digit, in both directions, on platforms with and without the source text of JSON.parse. */
import { refuse } from './error.ts';
import type { CollectionFacts, Facts } from './schema.ts';

/** Precedes a number that stands as text. No text of PostgreSQL holds this character. */
const MARK = '\0';
/** Characters that the marking of one number adds to a text: two quotes and the escaped mark. */
const ADDED = 8;

/** Which numbers of a row are exact, and which rows are in it. */
export interface Shape {
  readonly digits: readonly string[];
  readonly relations: { readonly [name: string]: Shape };
  /** For a list whose items differ: the shape of each. */
  readonly items?: readonly Shape[];
}

type Include = { readonly [name: string]: true | { readonly include?: Include } } | undefined;

const NONE: readonly string[] = [];
export const own = <T>(object: { readonly [name: string]: T } | undefined, name: string): T | undefined =>
  object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;

export function factsOf(facts: Facts, slug: string): CollectionFacts {
  return own(facts.collections, slug) ?? {};
}

/** The shape of a row of a collection with what is included. `pivots`: the exact numbers of the link that led to it. */
export function shapeOf(facts: Facts, slug: string, include: Include, pivots: readonly string[] = NONE): Shape {
  const known = factsOf(facts, slug);
  const relations: [string, Shape][] = Object.entries(include ?? {}).map(([name, node]) =>
    [name, shapeOf(facts, own(known.relations, name) ?? '', node === true ? undefined : node.include, own(known.pivots, name))]);
  if (pivots.length > 0) relations.push(['_pivot', { digits: pivots, relations: {} }]);
  return { digits: known.digits ?? NONE, relations: Object.fromEntries(relations) };
}

const patterns = new Map<string, RegExp>();

/** Finds the numbers, and lists of numbers, of these names. Inside of a text a quote has a backslash, so that no name is found there. */
function patternOf(names: readonly string[]): RegExp {
  const key = names.map(name => JSON.stringify(name).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  let pattern = patterns.get(key);
  if (pattern === undefined) {
    pattern = new RegExp(`([{,]\\s*(?:${key})\\s*:\\s*)(-?\\d[\\d.eE+-]*|\\[[-+\\d.eE,\\s[\\]nul]*])`, 'g');
    patterns.set(key, pattern);
  }
  return pattern;
}

function namesOf({ digits, relations, items = [] }: Shape, found = new Set<string>()): Set<string> {
  for (const name of digits) found.add(name);
  for (const shape of [...Object.values(relations), ...items]) namesOf(shape, found);
  return found;
}

/**
 * Parses an answer, its exact numbers as text. They are taken from the source by their names, one after another, which costs a fraction of
 * a reviver; where a name stands elsewhere too, in a map or a list, every number of that name is marked before the text is parsed.
 * @throws SyntaxError
 */
export function readJson(text: string, shape: Shape | undefined): unknown {
  const names = shape === undefined ? [] : [...namesOf(shape)];
  if (shape === undefined || names.length === 0) return JSON.parse(text);
  const answer: unknown = JSON.parse(text);
  const places = new Map<string, Place[]>(names.map(name => [name, []]));
  collect(answer, shape, places);
  return [...places].every(([name, found]) => takeSources(text, name, found)) ? answer : readMarked(text, shape, names);
}

/** A number of an object, and whether it is exact. */
type Place = { object: Record<string, unknown>; isExact: boolean };

/** Finds the numbers of these names, in the order of the text. */
function collect(value: unknown, shape: Shape, places: Map<string, Place[]>): void {
  if (typeof value !== 'object' || value === null) return;
  const rows = (Array.isArray(value) ? value : [value]) as (Record<string, unknown> | null)[];
  const alike = shape.items === undefined ? keysOf(rows[0], shape, places) : undefined;
  rows.forEach((row, i) => {
    if (row === null) return;
    const own = shape.items?.[i] ?? shape;
    for (const name of alike ?? keysOf(row, own, places)) {
      if (typeof row[name] === 'number') places.get(name)?.push({ object: row, isExact: own.digits.includes(name) });
      else if (Object.hasOwn(own.relations, name)) collect(row[name], own.relations[name] as Shape, places);
    }
  });
}

/** The names that matter in a row, in its order: rows of one list have the same. */
function keysOf(row: Record<string, unknown> | null | undefined, { relations }: Shape, places: Map<string, Place[]>): string[] {
  return Object.keys(row ?? {}).filter(name => places.has(name) || Object.hasOwn(relations, name));
}

/** Gives the exact numbers of a name their source. False where it stands in other places of the text than these. */
function takeSources(text: string, name: string, places: Place[]): boolean {
  const key = `${JSON.stringify(name)}:`;
  let count = 0;
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at)) {
    at += key.length;
    let end = at;
    while (isNumeric(text.charCodeAt(end))) end++;
    if (end === at) {
      if (/[\s[]/.test(text.charAt(at))) return false;
      continue;
    }
    const place = places[count++];
    const source = text.slice(at, end);
    if (place?.object[name] !== Number(source)) return false;
    if (place.isExact) place.object[name] = source;
  }
  return count === places.length;
}

/** A digit, or one of + - . E e */
function isNumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46 || code === 45 || code === 43 || code === 69 || code === 101;
}

function readMarked(text: string, shape: Shape, names: string[]): unknown {
  const marked = text.replace(patternOf(names), (_, before: string, value: string) =>
    before + value.replace(/[-\d][\d.eE+-]*/g, '"\\u0000$&"'));
  const answer: unknown = JSON.parse(marked);
  const left = (marked.length - text.length) / ADDED - settle(answer, shape, names);
  // A name of an exact number is that of another value too: in a map, or in the meta.
  if (left > 0) settle(answer, undefined, undefined);
  return answer;
}

/** Takes the marks away: exact numbers stay text, all others become numbers. Returns how many there were. */
function settle(value: unknown, shape: Shape | undefined, names: readonly string[] | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    value.forEach((item, i) => { count += settle(item, shape?.items?.[i] ?? shape, names); });
    return count;
  }
  const object = value as Record<string, unknown>;
  for (const name of names ?? Object.keys(object)) {
    if (!Object.hasOwn(object, name)) continue;
    const isExact = shape?.digits.includes(name) === true;
    const found = object[name];
    if (typeof found === 'string') {
      if (!found.startsWith(MARK)) continue;
      count++;
      object[name] = plain(found, isExact);
    } else if (Array.isArray(found) && (names === undefined || isExact)) {
      count += settleList(found, isExact);
    } else if (names === undefined) {
      count += settle(found, shape, names);
    }
  }
  for (const [name, related] of Object.entries(shape?.relations ?? {})) count += settle(object[name], related, names);
  return count;
}

function settleList(list: unknown[], isExact: boolean): number {
  let count = 0;
  list.forEach((item, i) => {
    if (Array.isArray(item)) count += settleList(item, isExact);
    else if (typeof item === 'string' && item.startsWith(MARK)) {
      count++;
      list[i] = plain(item, isExact);
    } else if (!isExact) count += settle(item, undefined, undefined);
  });
  return count;
}

function plain(marked: string, isExact: boolean): string | number {
  return isExact ? marked.slice(1) : Number(marked.slice(1));
}

/** @throws RowgateError INVALID_INPUT for values that JSON would drop or change. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, sendable).replace(/"\\u0000(-?[\d.]+)"/g, '$1');
}

/** Called with the object that holds the value, which has a date as it was given. */
function sendable(this: unknown, key: string, value: unknown): unknown {
  const given = (this as Record<string, unknown>)[key];
  const isWrong = typeof given === 'number' ? !Number.isFinite(given) : given instanceof Date ? Number.isNaN(given.getTime())
    : typeof given === 'string' ? given.includes(MARK)
    : given === undefined ? Array.isArray(this) : typeof given === 'function' || typeof given === 'symbol';
  if (isWrong) refuse(`${key === '' ? 'The value' : `"${key}"`} is ${String(given)}, which cannot be sent.`);
  const isNumber = typeof value === 'bigint' || (key === '$inc' && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
  return isNumber ? `${MARK}${value}` : value;
}
