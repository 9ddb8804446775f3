import type { CatalogDocument } from '../catalog/document.ts';
import { ApiError, type ErrorCode } from '../error.ts';
import { segmentsOf } from '../grammar/path.ts';
import { LONGEST_URL } from '../http/dispatch.ts';
import { isObject, plainText } from '../json/exact.ts';
import { isStorable } from '../storable.ts';

type Payload = Record<string, unknown>;

/** Parameters of REST that a payload may have under their own names too. */
const OWN_NAMES = [
  'offset', 'page', 'after', 'searchString', 'searchExplain', 'distinct', 'deleted', 'where', 'or', 'and', 'not',
  'vector_search', 'vector', 'vector_distance', 'vector_threshold',
] as const;
const TRANSLATED = ['filter', 'logical', 'orderBy', 'limit', 'startAfter', 'include', 'fields', 'vectorSearch'];
const LIST_NAMES: ReadonlySet<string> = new Set([...OWN_NAMES, ...TRANSLATED]);
/** Members of a frame that are no parameters of REST. */
const FRAME_NAMES = ['path', 'subscriptionId', 'since', 'count', 'explain'];

/**
 * Translates the list or the row that a frame asks for into REST's path and query string. The grammar checks the values.
 * @throws ApiError 400 with the code of the wrong member, 404 NOT_FOUND for a path that leads elsewhere, 414 URI_TOO_LONG.
 */
export function requestOf(payload: Payload, isOne = false): { path: string[]; query: string } {
  if (payload['explain']) throw new ApiError(400, 'INVALID_PARAM', 'A frame gets no plan.', { parameter: 'explain' });
  // Clients may attach the description that they have of a collection.
  const more = new Set([...FRAME_NAMES, ...(isOne ? ['id'] : []), ...(isObject(payload['collection'] ?? {}) ? ['collection'] : [])]);
  return { path: isOne ? rowPathOf(payload) : listPathOf(payload), query: queryText(payload, more) };
}

/** @throws ApiError 400 INVALID_INPUT, 404 NOT_FOUND for a path that is no list. */
export function listPathOf({ path }: Payload): string[] {
  if (typeof path !== 'string') throw new ApiError(400, 'INVALID_INPUT', '"path" must be a text.');
  const segments = segmentsOf(path);
  if (segments.length % 2 === 0 || !segments.every(isStorable)) throw notFound();
  return segments;
}

/** The row that a payload names by `path` and `id`. @throws ApiError 404 NOT_FOUND, 400 INVALID_INPUT. */
export function rowPathOf({ path, id }: Payload): string[] {
  const list = listPathOf({ path });
  const text = typeof id === 'boolean' ? undefined : plainText(id);
  if (text === undefined) throw new ApiError(400, 'INVALID_INPUT', '"id" must be a text or a number.');
  if (text === 'count' || text === 'aggregate' || !isStorable(text)) throw notFound(); // nor has REST such a row
  return [...list, text];
}

/** The properties of the key of a collection. */
export function keyOf({ collections }: CatalogDocument, slug: string): readonly string[] {
  return collections.find(collection => collection.slug === slug)?.key ?? [];
}

/** A new row may be told its id beside its values. */
export function keyValue([name, ...more]: readonly string[], id: unknown): Payload {
  return name === undefined || more.length > 0 || isAbsent(id) ? {} : { [name]: id };
}

/**
 * The query string of a payload.
 * @param more members with another meaning. Where they are given, any further member is a parameter as in REST: the filter of a field.
 */
export function queryText(payload: Payload, more?: ReadonlySet<string>): string {
  const parts = new Map<string, string>();
  const put = (name: string, text: string | undefined) => { if (text !== undefined) parts.set(name, text); };
  for (const name of OWN_NAMES) put(name, scalar(payload[name], name));
  put('where', filter(payload));
  for (const [type, conditions] of logical(payload['logical'])) put(type, conditions);
  put('orderBy', order(payload));
  put('limit', limit(payload['limit']));
  put('after', cursor(payload['startAfter']));
  put('include', listText(payload['include'], 'include', 'INVALID_INCLUDE'));
  put('fields', listText(payload['fields'], 'fields', 'INVALID_PARAM'));
  for (const [name, text] of vector(payload['vectorSearch'])) put(name, text);
  if (more) for (const name of furtherNames(payload, more)) put(name, plain(payload[name], name));
  const query = Array.from(parts, ([name, text]) => `${encoded(name, name)}=${encoded(text, name)}`).join('&');
  if (query.length >= LONGEST_URL) throw new ApiError(414, 'URI_TOO_LONG', `What is asked for is longer than ${LONGEST_URL} bytes.`);
  return query;
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function scalar(value: unknown, parameter: string): string | undefined {
  return isAbsent(value) ? undefined : plain(value, parameter);
}

function plain(value: unknown, parameter: string): string {
  const text = plainText(value);
  if (text === undefined) throw new ApiError(400, 'INVALID_PARAM', `"${parameter}" must be a plain value.`, { parameter });
  return text;
}

/** An `order` belongs to `orderBy`. */
function furtherNames(payload: Payload, more: ReadonlySet<string>): string[] {
  const isOrderOwn = isAbsent(payload['order']) || !isAbsent(payload['orderBy']);
  return Object.keys(payload).filter(name => !LIST_NAMES.has(name) && !more.has(name) && !(name === 'order' && isOrderOwn));
}

/** As JSON, which the grammar reads with all digits. */
function filter({ filter, where }: Payload): string | undefined {
  if (isAbsent(filter)) return undefined;
  if (!isObject(filter) || !isAbsent(where)) {
    throw new ApiError(400, 'INVALID_WHERE', '"filter" must be an object, and goes without "where".');
  }
  return Object.keys(filter).length === 0 ? undefined : jsonText(filter);
}

function logical(group: unknown): [type: string, conditions: string][] {
  if (isAbsent(group)) return [];
  const { type, conditions } = isObject(group) ? group : {};
  if ((type === 'or' || type === 'and' || type === 'not') && Array.isArray(conditions)) return [[type, jsonText(conditions)]];
  throw new ApiError(400, 'INVALID_LOGICAL_GROUP', 'The logical group is not a type (and, or, not) and conditions.');
}

/** A field name with `order`, or tuples of field, direction and nulls. */
function order({ orderBy, order }: Payload): string | undefined {
  if (isAbsent(orderBy)) return undefined;
  if (typeof orderBy === 'string') return isAbsent(order) ? orderBy : jsonText([{ field: orderBy, direction: order }]);
  if (!Array.isArray(orderBy)) throw invalidOrder();
  const keys: unknown[] = isOneTuple(orderBy) ? [orderBy] : orderBy;
  return jsonText(keys.map(key => Array.isArray(key) ? keyOfTuple(key) : key));
}

function isOneTuple([field, direction]: unknown[]): boolean {
  return typeof field === 'string' && typeof direction === 'string' && /^(?:asc|desc)$/i.test(direction);
}

function keyOfTuple([field, direction, nulls, ...rest]: unknown[]): object {
  if (rest.length > 0) throw invalidOrder();
  return { field, direction, nulls };
}

function invalidOrder(): ApiError {
  return new ApiError(400, 'INVALID_ORDER_BY', '"orderBy" is neither a field nor a list of fields with their directions.');
}

function limit(value: unknown): string | undefined {
  if (isAbsent(value)) return undefined;
  const text = plainText(value);
  if (text === undefined) throw new ApiError(400, 'INVALID_LIMIT', '"limit" is not a whole number.', { parameter: 'limit' });
  return text;
}

function cursor(value: unknown): string | undefined {
  if (isAbsent(value) || (isObject(value) && Object.keys(value).length === 0)) return undefined;
  if (typeof value !== 'string') throw new ApiError(400, 'INVALID_CURSOR', '"startAfter" is not a cursor that the service issued.');
  return value;
}

/** A list of names, or what the REST parameter takes: text, and of includes an object. */
export function listText(value: unknown, parameter: string, code: ErrorCode): string | undefined {
  if (isAbsent(value) || typeof value === 'string') return value ?? undefined;
  if (Array.isArray(value) && value.every(name => typeof name === 'string')) return value.join(',');
  if (parameter === 'include' && isObject(value)) return jsonText(value);
  throw new ApiError(400, code, `"${parameter}" is not a list of names.`, { parameter });
}

function vector(search: unknown): [name: string, text: string | undefined][] {
  if (isAbsent(search)) return [];
  if (!isObject(search)) throw new ApiError(400, 'INVALID_VECTOR', '"vectorSearch" must be an object of property and vector.');
  const { property, vector, distance, threshold } = search;
  return [
    ['vector_search', scalar(property, 'vectorSearch.property')],
    ['vector', Array.isArray(vector) ? jsonText(vector) : scalar(vector, 'vectorSearch.vector')],
    ['vector_distance', scalar(distance, 'vectorSearch.distance')],
    ['vector_threshold', scalar(threshold, 'vectorSearch.threshold')],
  ];
}

/** A value of a client, as JSON again. @throws ApiError 400 INVALID_INPUT for a value that nests too deep to be written. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new ApiError(400, 'INVALID_INPUT', 'The JSON nests too deeply.', undefined, { cause });
  }
}

/** The text of a parameter in a query string. @throws ApiError 400 INVALID_PARAM for half a surrogate pair. */
export function encoded(text: string, parameter: string): string {
  if (text.isWellFormed()) return encodeURIComponent(text);
  throw new ApiError(400, 'INVALID_PARAM', `"${parameter}" is not valid text.`, { parameter });
}

function notFound(): ApiError {
  return new ApiError(404, 'NOT_FOUND', 'There is nothing at this path.');
}
