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
  if (!pattern) {
    pattern = new RegExp(`([{,]\\s*(?:${key})\\s*:\\s*)(?:(-?\\d[\\d.eE+-]*)|(\\[[-+\\d.eE,\\s[\\]nul]*]))`, 'g');
    patterns.set(key, pattern);
  }
  return pattern;
}

function namesOf({ digits, relations, items = [] }: Shape): string[] {
  return [...new Set([...digits, ...[...Object.values(relations), ...items].flatMap(namesOf)])];
}

/**
 * Parses an answer, its exact numbers as text: numbers of their names are marked as text before, wherever they stand, and those that are
 * not exact there, in a map or in the meta, become numbers again. A reviver, which platforms give the source text, takes ten times as long.
 * @throws SyntaxError
 */
export function readJson(text: string, shape: Shape | undefined): unknown {
  const names = shape ? namesOf(shape) : [];
  if (names.length === 0) return JSON.parse(text);
  const marked = text.replace(patternOf(names), (_, before: string, number: string | undefined, list: string) =>
    before + (number === undefined ? list.replace(/[-\d][\d.eE+-]*/g, '"\\u0000$&"') : `"\\u0000${number}"`));
  return settled(JSON.parse(marked), shape, false);
}

/** Takes the marks away. */
function settled(value: unknown, shape: Shape | undefined, isExact: boolean): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith(MARK)) return value;
    return isExact ? value.slice(1) : Number(value.slice(1));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = settled(value[i], shape?.items?.[i] ?? shape, isExact);
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const name in object) {
    const found = object[name];
    const isMarked = typeof found === 'string' && found.startsWith(MARK);
    if (!isMarked && typeof found !== 'object') continue;
    const left = settled(found, own(shape?.relations, name), shape?.digits.includes(name) === true);
    if (isMarked) object[name] = left;
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
