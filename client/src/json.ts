/** JSON whose numbers keep every digit, in both directions, on platforms with and without the source text of JSON.parse. */
import { refuse } from './error.ts';
import type { CollectionFacts, Facts } from './schema.ts';

/** Precedes a number that stands as text. No text of PostgreSQL holds this character. */
export const MARK = '\0';

/** Which numbers of a row are exact, and which rows are in it. */
export interface Shape {
  readonly digits?: readonly string[] | undefined;
  readonly relations?: { readonly [name: string]: Shape } | undefined;
  /** For a list whose items differ: the shape of each. */
  readonly items?: readonly Shape[];
}

type Node = { readonly include?: Include };
type Include = { readonly [name: string]: true | Node } | undefined;

export const own = <T>(object: { readonly [name: string]: T } | undefined, name: string): T | undefined =>
  object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;

export function factsOf(facts: Facts, slug: string): CollectionFacts {
  return own(facts.collections, slug) ?? {};
}

/** The shape of a row of a collection with what is included. `pivots`: the exact numbers of the link that led to it. */
export function shapeOf(facts: Facts, slug: string, include?: Include, pivots: readonly string[] = []): Shape {
  const known = factsOf(facts, slug);
  const relations: [string, Shape][] = Object.entries(include ?? {}).map(([name, node]) =>
    [name, shapeOf(facts, own(known.relations, name) ?? '', (node as Node | undefined)?.include, own(known.pivots, name))]);
  if (pivots[0]) relations.push(['_pivot', { digits: pivots }]);
  return { digits: known.digits, relations: relations[0] && Object.fromEntries(relations) };
}

function namesOf({ digits = [], relations = {}, items }: Shape, names = new Set<string>()): Set<string> {
  for (const name of digits) names.add(name);
  for (const inner of items ?? Object.values(relations)) namesOf(inner, names);
  return names;
}

type Members = { [name: string]: Value };
type Value = Members | string | number | boolean | null | undefined;

/**
 * Gives the numbers of a name, one after another, as they stand in the text; an empty text for a list, an exponent and white space.
 * The name is looked for without its first quote: engines are quick to find what begins with a rare character.
 */
function numbersOf(text: string, name: string): () => string | undefined {
  // Here, and not at the top of the file, because bundlers put numbers in the place of such names.
  const SPACE = 32;
  const QUOTE = 34;
  const COMMA = 44;
  const COLON = 58;
  const LIST = 91;
  const CLOSE = 125;
  const key = JSON.stringify(name).slice(1);
  let from = 0;
  return () => {
    for (let begin; (begin = text.indexOf(key, from)) >= 0;) {
      const start = from = begin + key.length;
      let code;
      while ((code = text.charCodeAt(from)) > COMMA && code <= COLON) from++;
      const isValue = from > start + 1 || code === LIST || code <= SPACE;
      // Else it is null, a text, or the end of a longer name.
      if (isValue && text.charCodeAt(begin - 1) === QUOTE) return code === COMMA || code === CLOSE ? text.slice(start + 1, from) : '';
    }
    return undefined;
  };
}

type Take = (row: Members, isExact?: boolean, twin?: Members) => void;

/**
 * Calls back for the rows that may have a member of this name, in the order of the text, and whether it is exact there; undefined where the
 * order is not known. `twin` has the same rows.
 */
function eachRow(name: string, value: Value, twin: Value, shape: Shape, take: Take): void {
  if (typeof value !== 'object') return;
  const { digits, relations, items } = shape;
  const isExact = !!digits?.includes(name);
  const isList = Array.isArray(value);
  const [members, twins] = [value as Members, twin as Members];
  if (isList && !relations && !items) {
    for (let i = 0; i < value.length; i++) {
      const row = members[i];
      if (row && typeof row === 'object') take(row, isExact, twins[i] as Members);
    }
  } else {
    for (const member in members) {
      const inner = isList ? items?.[+member] ?? shape : own(relations, member);
      if (inner) eachRow(name, members[member], twins[member], inner, take);
      else if (member === name) take(members, isExact, twins);
      // Indices come first in an object, wherever the text has them: nothing is sure then.
      if (!isList && member < ':') take({ [name]: 0 });
    }
  }
}

/**
 * Parses an answer, its exact numbers as text: that of the n-th number of their name. Where the text has more of a name or fewer, as a map
 * may have it too and lists may be exact, it is parsed once more with quotes around all numbers. A reviver, which platforms give the
 * source text, takes ten times as long.
 * @throws SyntaxError
 */
export function readJson(text: string, shape: Shape | undefined): unknown {
  const value = JSON.parse(text) as Value;
  if (!shape) return value;
  let twin: Value;
  for (const name of namesOf(shape)) {
    const next = numbersOf(text, name);
    let missing = 0;
    eachRow(name, value, value, shape, (row, isExact) => {
      if (typeof row[name] !== 'number') return;
      const exact = next();
      if (!exact || isExact === undefined) missing++;
      else if (isExact) row[name] = exact;
    });
    if (missing || next() !== undefined) {
      twin ??= JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|([-\d][\d.eE+-]*)/g,
        (found, number?: string) => number ? `"${number}"` : found)) as Value;
      eachRow(name, value, twin, shape, (row, isExact, its) => { if (isExact && Object.hasOwn(row, name)) row[name] = its?.[name]; });
    }
  }
  return value;
}

/** @throws RowgateError INVALID_INPUT for values that JSON would drop or change. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, sendable).replace(/"\\u0000(-?[\d.]+)"/g, '$1');
}

/** Called with the object that holds the value, which has a date as it was given. */
function sendable(this: unknown, key: string, value: unknown): unknown {
  const given = (this as Record<string, unknown>)[key];
  const isWrong = typeof given === 'number' ? !Number.isFinite(given) : typeof given === 'string' ? given.includes(MARK)
    : given instanceof Date ? value === null
    : given === undefined ? Array.isArray(this)
    // Other objects, as a Map, have no members that JSON would show.
    : Object(value) === value ? !/ (Object|Array)]/.test({}.toString.call(value)) : typeof value === 'symbol';
  if (isWrong) refuse(`"${key}" cannot be sent: ${String(given)}.`);
  return typeof value === 'bigint' ? MARK + String(value) : value;
}
