import type { DataScope } from '../../config/scopes.ts';
import { ApiError } from '../../error.ts';
import type { CatalogDocument } from '../../catalog/document.ts';
import { validOperators } from '../../grammar/read/operators.ts';
import type { InnerRequest } from '../../http/inner-call.ts';
import { isObject, plainText } from '../../json/exact.ts';
import { encoded, jsonText, keyOf, keyValue, listText, queryText, rowPathOf } from '../data-query.ts';

type Arguments = Readonly<Record<string, unknown>>;

export type Tool = {
  name: string;
  title: string;
  description: string;
  scope: DataScope;
  /** Whether its schema names the fields of each collection: one tool that reads and one that writes are enough. */
  namesFields?: true;
  /** Its arguments beside the collection, as JSON Schema; those of the first list are required. */
  required: readonly string[];
  arguments: Readonly<Record<string, object>>;
  /** JSON Schema of its structured content. */
  output: object;
  hints: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: false };
  /** The request of REST that it is. @throws ApiError */
  request: (given: Arguments, collection: string, document: CatalogDocument) => InnerRequest;
  /** Its structured content as JSON, of the body of the answer; as it is by default. */
  shown?: (body: string, given: Arguments, collection: string) => string;
};

const [DEFAULT_LIMIT, MAX_LIMIT] = [25, 200];
/** REST counts the rows it finds, which agents ask for by themselves. */
const UNCOUNTED = { prefer: 'count=none' };

const row = { type: 'object', description: 'The row, by the names of its fields.' };
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const id = { type: ['string', 'number'], description: 'The id of the row; of a key of several columns, their values with commas.' };
const filter = {
  type: 'object',
  description: 'Conditions that all hold, by field: {"status": "open", "total": [">", 100], "customer.city": "Graz"}. '
    + `Operators: ${validOperators.join(', ')}. A path leads into a related row.`,
};
const orderBy = { type: 'string', description: 'A field to sort by, or several: "placedAt:desc,id".' };
const limit = { type: 'integer', description: `Rows at most: ${DEFAULT_LIMIT} by default, up to ${MAX_LIMIT}.` };
const offset = { type: 'integer', description: 'Rows to pass over.' };
const values = { type: 'object', description: 'Values by the names of fields.' };
const names = { type: 'array', items: { type: 'string' } };

/** It has no request: the catalog is known. */
export const LIST_COLLECTIONS = {
  name: 'list_collections', title: 'List collections', scope: 'data:read', hints: READS,
  description: 'The collections that you may read, with their fields and relations.',
  output: { type: 'object', required: ['collections'], properties: { collections: { type: 'array', items: { type: 'object' } } } },
} as const;

/** In the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'query_collection', title: 'Query rows', scope: 'data:read', namesFields: true, hints: READS,
    description: 'Rows of a collection: filtered, searched, sorted, with related rows.',
    required: [],
    arguments: {
      filter,
      logical: {
        type: 'object',
        description: 'A group: {"type": "or", "conditions": [{"column": "status", "operator": "==", "value": "open"}]}.',
      },
      search: { type: 'string', description: 'Text to look for in the texts of a row.' },
      fields: { ...names, description: 'The fields to return; all by default.' },
      include: { type: ['array', 'object'], description: 'Relations to return with each row: ["customer", "items.product"].' },
      orderBy,
      order: { type: 'string', enum: ['asc', 'desc'], description: 'The direction, where orderBy is one field.' },
      limit, offset,
    },
    output: {
      type: 'object', required: ['collection', 'count', 'truncated', 'rows'],
      properties: {
        collection: { type: 'string' }, count: { type: 'integer', description: 'How many rows are here.' },
        truncated: { type: 'boolean', description: 'Whether there may be more.' }, rows: { type: 'array', items: row },
      },
    },
    request: (given, collection) => ({
      method: 'GET', path: ['data', collection], headers: UNCOUNTED,
      query: queryText({
        ...given, orderBy: orderOf(given), searchString: given['search'], limit: limitOf(given), offset: offsetOf(given),
      }),
    }),
    shown(body, given, collection) {
      const limit = limitOf(given);
      const end = body.lastIndexOf(',"meta":');
      const rows = body.slice('{"data":'.length, end);
      const { hasMore } = JSON.parse(body.slice(end + ',"meta":'.length, -1)) as { hasMore: boolean };
      const count = hasMore ? limit : (JSON.parse(rows) as unknown[]).length;
      return `${JSON.stringify({ collection, count, truncated: count === limit }).slice(0, -1)},"rows":${rows}}`;
    },
  },
  {
    name: 'get_document', title: 'Get a row', scope: 'data:read', hints: READS,
    description: 'One row of a collection, by its id.',
    required: ['id'], arguments: { id }, output: row,
    request: (given, collection) => ({ method: 'GET', path: ['data', ...rowPathOf({ path: collection, id: given['id'] })] }),
  },
  {
    name: 'aggregate_collection', title: 'Count and sum rows', scope: 'data:read', hints: READS,
    description: 'Numbers of a collection: count, sum, avg, min, max, of all rows that match or of each group.',
    required: ['select'],
    arguments: {
      select: { ...names, description: 'What to compute: ["count()", "sum(total)", "max(placedAt)"].' },
      groupBy: { ...names, description: 'Fields whose values make the groups.' },
      filter,
      orderBy: { type: 'string', description: 'What the groups are sorted by, values of the answer: "count:desc,origin".' },
      limit: { type: 'integer', description: `Groups at most: ${DEFAULT_LIMIT} by default, up to ${MAX_LIMIT}.` },
    },
    output: { type: 'object', required: ['data'], properties: { data: { type: 'array', items: { type: 'object' } } } },
    request: (given, collection) => ({
      method: 'GET', path: ['data', collection, 'aggregate'], query: aggregateText(given),
    }),
  },
  {
    name: 'create_document', title: 'Create a row', scope: 'data:write', namesFields: true,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    description: 'Creates a row, and returns it.',
    required: ['values'], arguments: { values, id }, output: row,
    request({ values, id }, collection, document) {
      if (!isObject(values)) throw new ApiError(400, 'INVALID_INPUT', '"values" must be an object.');
      return { method: 'POST', path: ['data', collection], body: jsonText({ ...keyValue(keyOf(document, collection), id), ...values }) };
    },
  },
  {
    name: 'update_document', title: 'Change a row', scope: 'data:write',
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    description: 'Changes the fields of a row that are named, and returns the row.',
    required: ['id', 'values'], arguments: { id, values }, output: row,
    request({ values, id }, collection) {
      if (!isObject(values)) throw new ApiError(400, 'INVALID_INPUT', '"values" must be an object.');
      return { method: 'PATCH', path: ['data', ...rowPathOf({ path: collection, id })], body: jsonText(values) };
    },
  },
  {
    name: 'delete_document', title: 'Delete a row', scope: 'data:delete',
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    description: 'Deletes a row.',
    required: ['id'], arguments: { id },
    output: {
      type: 'object', required: ['deleted', 'id'], properties: { deleted: { type: 'boolean' }, id: { type: ['string', 'number'] } },
    },
    request: ({ id }, collection) => ({ method: 'DELETE', path: ['data', ...rowPathOf({ path: collection, id })] }),
    shown: (_, { id }) => jsonText({ deleted: true, id }),
  },
];

/** A limit that cannot be read is the default, and one out of bounds is the bound: an agent gets rows, not a lesson. */
function limitOf({ limit }: Arguments): number {
  return Math.min(MAX_LIMIT, Math.max(1, wholeNumber(limit) ?? DEFAULT_LIMIT));
}

function offsetOf({ offset }: Arguments): number {
  return Math.max(0, wholeNumber(offset) ?? 0);
}

/** "placedAt:desc,id" as REST takes several keys: a list. */
function orderOf({ orderBy }: Arguments): unknown {
  if (typeof orderBy !== 'string' || !orderBy.includes(',')) return orderBy;
  return orderBy.split(',').map(key => key.trim().split(':'));
}

function wholeNumber(value: unknown): number | undefined {
  const number = Number(plainText(value) ?? NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Without groups there is one row, and nothing to page. */
function aggregateText({ select, groupBy, filter, limit, ...more }: Arguments): string {
  const groups = listText(groupBy, 'groupBy', 'INVALID_PARAM');
  const isGrouped = groups !== undefined && groups !== '';
  const own = { select: listText(select, 'select', 'INVALID_AGGREGATE_SELECT'), groupBy: groups };
  const named = Object.entries(own).flatMap(([name, text]) => text === undefined ? [] : [`${name}=${encoded(text, name)}`]);
  const rest = queryText({ filter, orderBy: orderOf(more), ...(isGrouped && { limit: limitOf({ limit }) }) });
  return [...named, rest].filter(part => part !== '').join('&');
}
