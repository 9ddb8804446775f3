import { ApiError } from '../error.ts';

/** Keys with a meaning of their own; every other key filters a field. `on_conflict` and the like belong to writes. */
export const reservedKeys = [
  'limit', 'offset', 'page', 'after', 'orderBy', 'include', 'fields', 'distinct', 'searchString', 'searchExplain',
  'vector_search', 'vector', 'vector_distance', 'vector_threshold', 'or', 'and', 'not', 'where', 'select', 'groupBy',
  'deleted', 'hard', 'explain', 'on_conflict', 'onConflict',
] as const;
type ReservedKey = (typeof reservedKeys)[number];

/** A reserved key that was not sent, or sent empty, is undefined. */
export type Reserved = { [key in ReservedKey]?: string | undefined };

/** A query string by meaning. `filters` keeps every value of a field, in the order sent. */
export type Query = { reserved: Reserved; filters: Map<string, string[]> };

const reservedSet: ReadonlySet<string> = new Set(reservedKeys);
const isReserved = (key: string): key is ReservedKey => reservedSet.has(key);

/**
 * Splits a raw query string. A reserved key sent twice: the last one wins. An empty reserved value is an absent one.
 * By hand, because URLSearchParams silently replaces malformed percent-encoding, which we refuse.
 * @throws ApiError 400 INVALID_PARAM for malformed percent-encoding.
 */
export function splitQuery(text: string): Query {
  const query: Query = { reserved: {}, filters: new Map() };
  for (const part of text.split('&')) {
    if (part !== '') addPart(query, part);
  }
  return query;
}

function addPart({ reserved, filters }: Query, part: string): void {
  const [key, value] = splitPart(part);
  if (isReserved(key)) {
    reserved[key] = value === '' ? undefined : value;
    return;
  }
  const values = filters.get(key);
  if (values) values.push(value);
  else filters.set(key, [value]);
}

/** Key and value of a part between `&`, decoded. @throws ApiError as splitQuery. */
export function splitPart(part: string): [key: string, value: string] {
  const equals = part.indexOf('=');
  return equals === -1 ? [decode(part), ''] : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))];
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch (cause) {
    throw new ApiError(400, 'INVALID_PARAM', 'The query string is not valid percent-encoded UTF-8.', { text }, { cause });
  }
}
