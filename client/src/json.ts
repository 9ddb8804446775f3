/** JSON whose numbers keep every digit, in both directions, on platforms with and without the source text of JSON.parse. */
import { refuse } from './error.ts';
import type { CollectionFacts, Facts } from './schema.ts';

/** Precedes a number that stands as text. No text of PostgreSQL holds this character. */
const MARK = '\0';

/** Which numbers of a row are exact, and which rows are in it. */
export interface Shape {
  readonly digits: readonly string[];
  readonly relations: { readonly [name: string]: Shape };
  /** For a list whose items differ: the shape of each. */
  readonly items?: readonly Shape[];
}

type Node = { readonly include?: Include };
type Include = { readonly [name: string]: true | Node } | undefined;

const NONE: readonly string[] = [];
const NOWHERE: Shape['relations'] = {};
export const own = <T>(object: { readonly [name: string]: T } | undefined, name: string): T | undefined =>
  object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;

export function factsOf(facts: Facts, slug: string): CollectionFacts {
  return own(facts.collections, slug) ?? {};
}

/** The shape of a row of a collection with what is included. `pivots`: the exact numbers of the link that led to it. */
export function shapeOf(facts: Facts, slug: string, include: Include, pivots: readonly string[] = NONE): Shape {
  const known = factsOf(facts, slug);
  const relations: [string, Shape][] = Object.entries(include ?? {}).map(([name, node]) =>
    [name, shapeOf(facts, own(known.relations, name) ?? '', (node as Node).include, own(known.pivots, name))]);
  if (pivots[0]) relations.push(['_pivot', { digits: pivots, relations: {} }]);
  return { digits: known.digits ?? NONE, relations: relations[0] ? Object.fromEntries(relations) : NOWHERE };
}

const patterns = new Map<string, RegExp>();

/** Finds values of a name. Inside of a text a quote has a backslash. The name itself comes first: engines search for it quickly. */
function patternOf(name: string, value: string): RegExp {
  let pattern = patterns.get(name + value);
  if (!pattern) {
    const key = JSON.stringify(name).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    patterns.set(name + value, pattern = new RegExp(`${key}(?<!\\\\${key})\\s*:\\s*${value}`, 'g'));
  }
  pattern.lastIndex = 0;
  return pattern;
}

function namesOf({ digits, relations, items = [] }: Shape): string[] {
  return [...new Set([...digits, ...[...Object.values(relations), ...items].flatMap(namesOf)])];
}

type Members = { [name: string]: Value };
type Value = Members | string | number | boolean | null | undefined;
type Reading = (value: Value, twin: Value, name: string) => Value;

/** Calls back for the values of these names, in the order of the text unless a name begins with a digit. `twin` has the same members. */
function eachNumber(names: readonly string[], value: Value, twin: Value, shape: Shape, read: Reading): void {
  if (!value || typeof value !== 'object') return;
  const { digits, relations, items } = shape;
  if (Array.isArray(value)) {
    return value.forEach((item: Value, i) => eachNumber(names, item, (twin as Members)[i], items?.[i] ?? shape, read));
  }
  for (const name of relations === NOWHERE ? names : Object.keys(value)) {
    const inner = own(relations, name);
    if (inner) eachNumber(names, value[name], (twin as Members)[name], inner, read);
    else if (names.includes(name) && Object.hasOwn(value, name)) {
      const exact = read(value[name], (twin as Members)[name], name);
      if (digits.includes(name)) value[name] = exact;
    }
  }
}

/** The rest of a number or of a list of numbers, up to the next name or the end of its object. */
const REST = '([-\\d[][^"{}]*)';

/**
 * Parses an answer, its exact numbers as text: that of the n-th number of their name. Where a map has such a name too, or lists are exact,
 * the text is parsed once more with quotes around them. A reviver, which platforms give the source text, takes ten times as long.
 * @throws SyntaxError
 */
export function readJson(text: string, shape: Shape | undefined): unknown {
  const value = JSON.parse(text) as Value;
  if (!shape) return value;
  const names = namesOf(shape);
  const found = new Map(names.map(name => [name, patternOf(name, '(-?\\d[^,}\\s]*)')]));
  let isSure = !/"\d/.test(JSON.stringify(shape));
  eachNumber(names, value, value, shape, (number, _, name) => {
    if (Array.isArray(number)) isSure = false;
    if (typeof number !== 'number') return number;
    const exact = (found.get(name) as RegExp).exec(text)?.[1];
    isSure &&= exact !== undefined;
    return exact;
  });
  for (const pattern of found.values()) isSure &&= !pattern.test(text);
  if (!isSure) {
    const quoted = names.reduce((text, name) => text.replace(patternOf(name, REST), (found, exact: string) =>
      found.slice(0, -exact.length) + exact.replace(/-?\d[\d.eE+-]*/g, '"$&"')), text);
    eachNumber(names, value, JSON.parse(quoted) as Value, shape, (_, exact) => exact);
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
  const isWrong = typeof given === 'number' ? !Number.isFinite(given) : given instanceof Date ? Number.isNaN(given.getTime())
    : typeof given === 'string' ? given.includes(MARK)
    : given === undefined ? Array.isArray(this) : typeof given === 'function' || typeof given === 'symbol';
  if (isWrong) refuse(`${key === '' ? 'The value' : `"${key}"`} is ${String(given)}, which cannot be sent.`);
  const isNumber = typeof value === 'bigint' || (key === '$inc' && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
  return isNumber ? `${MARK}${value}` : value;
}
