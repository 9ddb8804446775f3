import type { Kind } from './parameters.ts';
import { reference, type Schema } from './values.ts';

/** How the rows of an answer look, and their ids. */
export type Rows = { row: Schema; id: Schema };
type Answer = { status: 200 | 201 | 204 | 304; description: string; schema?: (rows: Rows) => Schema; headers?: object };

const count: Schema = { type: 'object', required: ['count'], properties: { count: { type: 'integer', format: 'int64' } } };

/** The members of an aggregate are named by the request. */
const aggregate: Schema = {
  type: 'object', required: ['data'],
  properties: { data: { type: 'array', items: { type: 'object', additionalProperties: true } } },
};

const deleted = answerOf({ meta: answerOf({ deleted: { type: 'integer' } }) });

/** A write that was asked to leave its answer out. */
const minimal: Answer = {
  status: 204, description: 'Done; the request said `Prefer: return=minimal`.',
  headers: { 'Preference-Applied': { schema: { type: 'string', enum: ['return=minimal'] } } },
};

/** For the whole row, also where only parts of it are shown. */
const tag = { ETag: { schema: { type: 'string' }, description: 'Changes with every write to the row.' } };

const snapshot: Schema = { type: 'object', additionalProperties: true };

/** A field that came later is not in it, so it is no row. */
const entry: Schema = {
  type: 'object',
  required: ['id', 'table_name', 'entity_id', 'action', 'changed_fields', 'values', 'previous_values', 'updated_by', 'updated_at'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    table_name: { type: 'string', description: 'The collection.' },
    entity_id: { type: 'string', description: 'The id of the row.' },
    action: { type: 'string', enum: ['create', 'update', 'delete'] },
    changed_fields: { type: 'array', nullable: true, items: { type: 'string' }, description: 'Of an update.' },
    values: { ...snapshot, description: 'The fields after the change, of a delete before it: those that this caller may read.' },
    previous_values: { ...snapshot, nullable: true, description: 'Of an update the fields before it.' },
    updated_by: { type: 'string', nullable: true, description: 'Who it was; null without a sign-in.' },
    updated_at: { type: 'string', format: 'date-time' },
  },
};

const history: Schema = {
  type: 'object', required: ['data', 'meta'],
  properties: { data: { type: 'array', items: entry }, meta: reference('PaginationMeta') },
};

function reverted({ row }: Rows): Schema {
  const meta: Schema = { type: 'object', required: ['reverted_from'], properties: { reverted_from: { type: 'string', format: 'uuid' } } };
  return { type: 'object', required: ['data', 'meta'], properties: { data: row, meta } };
}

const answers: Record<Kind, Answer[]> = {
  list: [{ status: 200, description: 'A page of rows.', schema: page }],
  count: [{ status: 200, description: 'How many rows match.', schema: () => count }],
  aggregate: [{
    status: 200, schema: () => aggregate,
    description: 'One row, or with `groupBy` one a group: the fields of the group, and each aggregate as `count`, `count_name`, '
      + '`sum_price`. Numbers for `count`, `sum` and `avg`; null where there was no value.',
  }],
  get: [
    { status: 200, description: 'The row.', schema: one, headers: tag },
    { status: 304, description: 'The row has not changed.', headers: tag },
  ],
  create: [{ status: 201, description: 'The row as this caller reads it, after defaults and triggers.', schema: one }, minimal],
  update: [{ status: 200, description: 'The row as this caller reads it, after triggers.', schema: one }, minimal],
  delete: [{ status: 204, description: 'Done.' }],
  bulkCreate: [{ status: 200, description: 'The rows, in the order sent.', schema: written }],
  bulkUpdate: [{ status: 200, description: 'The rows, in the order sent.', schema: written }],
  bulkDelete: [{ status: 200, description: 'How many were deleted.', schema: () => deleted }],
  history: [{ status: 200, description: 'A page of entries.', schema: () => history }],
  revert: [{ status: 200, description: 'The row as this caller reads it, after triggers, and the entry.', schema: reverted }],
};

/** By status: the name of the component, and what it means. */
const meanings = {
  400: ['BadRequest', 'Malformed, asks for something that the collection does not have, or breaks a rule or a constraint.'],
  401: ['Unauthorized', 'Not signed in, or the credential was refused.'],
  403: ['Forbidden', 'Signed in, but not allowed.'],
  404: ['NotFound', 'There is no such row or collection, or row security hides it.'],
  409: ['Conflict', 'Another row has these values already, or the request collided with another one.'],
  412: ['PreconditionFailed', 'The row has changed since it had the tags of `If-Match`.'],
  413: ['ContentTooLarge', 'The body is larger than the server takes, or the answer than it gives.'],
  415: ['UnsupportedMediaType', 'The body is not JSON.'],
  422: ['UnprocessableContent', 'The `Idempotency-Key` belongs to another request.'],
  500: ['InternalError', 'The server failed.'],
  503: ['Unavailable', 'The server could not answer in time; try again.'],
} as const;
type Failure = keyof typeof meanings;

/** Failures have the same form everywhere, so a document has them once. */
export const failureResponses: Readonly<Record<string, object>> = Object.fromEntries(Object.values(meanings).map(([name, description]) =>
  [name, { description, content: json(reference('ErrorResponse')) }]));

const ofReads: Failure[] = [400, 401, 403, 404, 413, 500, 503];
const ofBodies: Failure[] = [400, 401, 403, 404, 409, 413, 415, 422, 500, 503];
const failures: Record<Kind, Failure[]> = {
  list: ofReads, count: ofReads, aggregate: ofReads, get: ofReads,
  create: ofBodies, update: [...ofBodies, 412], bulkCreate: ofBodies, bulkUpdate: ofBodies, bulkDelete: ofBodies,
  delete: [400, 401, 403, 404, 409, 412, 422, 500, 503],
  history: ofReads, revert: [400, 401, 403, 404, 409, 413, 500, 503],
};

/** The Responses Object of an operation on such rows. */
export function responses(kind: Kind, rows: Rows): object {
  return Object.fromEntries<object>([
    ...answers[kind].map(answer => [answer.status, response(answer, rows)] as const),
    ...Object.entries(refusals(failures[kind])),
  ]);
}

function refusals(statuses: readonly Failure[]): Record<string, object> {
  return Object.fromEntries(statuses.map(status => [status, { $ref: `#/components/responses/${meanings[status][0]}` }]));
}

function response({ description, schema, headers }: Answer, rows: Rows): object {
  return { description, ...(headers && { headers }), ...(schema && { content: json(schema(rows)) }) };
}

/** Rows; or ids, where the request said `Prefer: return=minimal`. */
function written({ row, id }: Rows): Schema {
  const items = { anyOf: [row, id] };
  return answerOf({ data: { type: 'array', items }, meta: answerOf({ written: { type: 'integer' } }) });
}

/** An object with all of these. */
function answerOf(properties: Record<string, Schema>): Schema {
  return { type: 'object', required: Object.keys(properties), properties };
}

/** The rows of a batch may be of any collection. */
export const batchResponses: object = {
  200: {
    description: 'The rows, in the order of the operations; null for a delete. Ids with `Prefer: return=minimal`.',
    content: json(answerOf({ data: { type: 'array', items: {} }, meta: answerOf({ operations: { type: 'integer' } }) })),
  },
  ...refusals(ofBodies),
};

const listed: Schema = {
  type: 'object', required: ['slug', 'name', 'singularName', 'primaryKey', 'schemaVersion'],
  properties: {
    slug: { type: 'string' }, name: { type: 'string' }, singularName: { type: 'string' }, description: { type: 'string' },
    primaryKey: {
      description: 'A name; of a composite key the list of its names.',
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    },
    schemaVersion: { type: 'string' },
  },
};

export const collectionsResponses: object = {
  200: { description: 'The collections, by slug.', content: json(answerOf({ data: { type: 'array', items: listed } })) },
  ...refusals([401, 403, 404, 500, 503]),
};

function one({ row }: Rows): Schema {
  return row;
}

function page({ row }: Rows): Schema {
  const properties = { data: { type: 'array', items: row }, meta: reference('PaginationMeta') };
  return { type: 'object', required: ['data', 'meta'], properties };
}

/** A body as the Media Type Objects of OpenAPI. */
export function json(schema: Schema): object {
  return { 'application/json': { schema } };
}

