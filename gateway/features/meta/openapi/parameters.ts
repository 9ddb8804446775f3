import type { Collection, Property, PropertyType, Relation } from '../../../catalog/document.ts';
import { splitQuery } from '../../../grammar/query.ts';
import type { Named } from './names.ts';
import { describe, idSchema, isFilterable, vectorsOf } from './schemas.ts';
import type { Parameter, SharedParameters } from './shared-parameters.ts';
import type { Schema } from './values.ts';

export type Limits = { defaultLimit: number; maxLimit: number; defaultIncludeLimit: number; maxIncludeLimit: number };
/** The kinds of operations. */
export type Kind = 'list' | 'count' | 'aggregate' | 'get' | 'create' | 'update' | 'delete' | BulkKind | 'history' | 'revert';
type BulkKind = 'bulkCreate' | 'bulkUpdate' | 'bulkDelete';

type Row = {
  name: string;
  on: Kind[];
  /** The query, if it is not said. */
  in?: 'header';
  required?: true;
  /** Which collections have it; all if it is not said. */
  when?: (collection: Collection) => boolean;
  schema: Schema | ((collection: Collection, limits: Limits) => Schema);
  description: string | ((collection: Collection, limits: Limits) => string);
};

const text: Schema = { type: 'string' };
const matching: Kind[] = ['list', 'count', 'aggregate'];
const isRanked = ({ search }: Collection): boolean => search !== null;
const hasVectors = (collection: Collection): boolean => vectorsOf(collection).length > 0;

function limit(_: Collection, { defaultLimit, maxLimit }: Limits): Schema {
  return { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit };
}

const keyAndNamed = 'every other column only when it is named, required or not.';

/**
 * The parameters of an operation besides the id in its path and filters, one row each. A parameter that is answered with 501 gets its row
 * when it is served.
 */
const rows: Row[] = [
  {
    name: 'limit', on: ['list'], schema: limit,
    description: collection => [
      'Rows on a page.',
      ...(hasVectors(collection) ? ['With `vector_search` the default is at most 10.'] : []),
    ].join(' '),
  },
  { name: 'offset', on: ['list'], schema: { type: 'integer', minimum: 0, default: 0 }, description: 'Rows to skip.' },
  {
    name: 'page', on: ['list'], schema: { type: 'integer', minimum: 1 },
    description: 'Page by number, from 1, `limit` rows each. Stands above `offset`.',
  },
  { name: 'after', on: ['list'], schema: text, description: 'The `meta.nextCursor` of the page before. Not with `offset` or `page`.' },
  {
    name: 'orderBy', on: ['list'], schema: text,
    description: collection => [
      '`field`, `field:desc`, `field:desc:last`, or a JSON array of `{field, direction, nulls}`. The key, descending, breaks ties.',
      ...(isRanked(collection) ? ['With `searchString` also `_score`, which has no cursor.'] : []),
    ].join(' '),
  },
  {
    name: 'select', on: ['aggregate'], required: true, schema: { type: 'string', example: 'count()' },
    description: 'What to compute, separated by commas: `count()`, `count(field)`, `sum(field)`, `avg(field)`, `min(field)`, `max(field)`.',
  },
  {
    name: 'groupBy', on: ['aggregate'], schema: text,
    description: 'Fields separated by commas: one row for each combination of their values. Without it there is one row.',
  },
  {
    name: 'orderBy', on: ['aggregate'], schema: text,
    description: 'As in a list, by what is returned: the fields of `groupBy`, `count`, `sum_price`. By default the groups ascend.',
  },
  { name: 'limit', on: ['aggregate'], schema: limit, description: 'Groups to return. Only with `groupBy`.' },
  { name: 'offset', on: ['aggregate'], schema: { type: 'integer', minimum: 0 }, description: 'Groups to skip. Only with `groupBy`.' },
  {
    name: 'fields', on: ['list', 'get'], schema: text,
    description: `Columns to return, separated by commas. The key is always returned, ${keyAndNamed}`,
  },
  {
    name: 'fields', on: ['create', 'update', 'bulkCreate', 'bulkUpdate'], schema: text,
    description: `Columns to answer with, separated by commas. The key is always there, ${keyAndNamed}`,
  },
  {
    name: 'distinct', on: ['list'], schema: { type: 'boolean', default: false },
    description: 'With `fields`: rows that are equal in them are returned once, without the key. `orderBy` then names some of them. '
      + 'Not with `after` or `vector_search`, nor with `searchString` where that gives a `_score`.',
  },
  {
    name: 'include', on: ['list', 'get'], schema: text,
    description: ({ relations }, { defaultIncludeLimit, maxIncludeLimit }) => [
      'Relations to embed, up to three hops: `author,comments.author`, `*`, or a JSON object of relations with '
        + '`limit`, `where`, `logical`, `orderBy`, `fields`, `include`.',
      `A \`limit\` is for each parent, at most ${maxIncludeLimit}.`,
      `Without one a parent with more than ${defaultIncludeLimit} rows is refused.`,
      relations.length > 0 ? `Here: ${relations.map(({ name }) => name).join(', ')}.` : 'Here there are none.',
      ...relations.flatMap(pivotInWords),
    ].join(' '),
  },
  { name: 'searchString', on: matching, schema: text, description: searchInWords },
  {
    name: 'searchExplain', on: ['list'], when: isRanked, schema: { type: 'boolean', default: false },
    description: 'With `searchString`: each row has `_matches`, which says where the words were found.',
  },
  {
    name: 'vector_search', on: matching, when: hasVectors, schema: collection => ({ type: 'string', enum: vectorsOf(collection) }),
    description: 'The property that `vector` is compared with. A list then begins with the nearest rows, and each has its `_distance`.',
  },
  {
    name: 'vector', on: matching, when: hasVectors, schema: text,
    description: 'A JSON array of numbers, as many as the property has. Goes with `vector_search`.',
  },
  {
    name: 'vector_distance', on: matching, when: hasVectors,
    schema: { type: 'string', enum: ['cosine', 'l2', 'inner_product'], default: 'cosine' },
    description: 'How the distance is measured. The inner product is negated, so that smaller is nearer.',
  },
  {
    name: 'vector_threshold', on: matching, when: hasVectors, schema: { type: 'number' },
    description: 'Only rows that are nearer than this.',
  },
  {
    name: 'where', on: matching, schema: text,
    description: 'Filters as a JSON object: `{"price": [">=", 10], "status": "active"}`. All of them must hold.',
  },
  {
    name: 'or', on: matching, schema: text,
    description: 'At least one must hold: `(price.lt.10,and(active.eq.true,not(sku.like.TMP%)))`. Stands above `and` and `not`.',
  },
  { name: 'and', on: matching, schema: text, description: 'All must hold, in the form of `or`. Stands above `not`.' },
  { name: 'not', on: matching, schema: text, description: 'Not all may hold, in the form of `or`.' },
  {
    name: 'deleted', on: [...matching, 'get'], schema: { type: 'string', enum: ['include', 'only'] },
    description: 'Rows that were deleted but kept, beside the others or alone. Only collections with `softDelete` keep them.',
  },
  {
    name: 'on_conflict', on: ['create'], schema: text,
    description: 'Makes it an upsert: the columns of the key or of a unique index, separated by commas. A row that has their values '
      + 'already is changed.',
  },
  {
    name: 'hard', on: ['delete', 'bulkDelete'], schema: { type: 'boolean', default: false },
    description: 'Deletes for good where a collection with `softDelete` would keep the row.',
  },
  {
    name: 'Prefer', in: 'header', on: ['list'], schema: text,
    description: '`count=none` leaves `meta.total` out, which is faster; `count=estimated` stops counting at 10,001.',
  },
  {
    name: 'If-None-Match', in: 'header', on: ['get'], schema: text,
    description: 'Tags of earlier answers: a row that still has one of them is a 304. Not heeded with `include`.',
  },
  { name: 'limit', on: ['history'], schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, description: 'Entries on a page.' },
  { name: 'offset', on: ['history'], schema: { type: 'integer', minimum: 0, default: 0 }, description: 'Entries to skip.' },
  {
    name: 'If-Match', in: 'header', on: ['update', 'delete'], schema: text,
    description: 'Tags of earlier answers: a row that has none of them any more is left as it is, 412.',
  },
  {
    name: 'Prefer', in: 'header', on: ['create', 'update'], schema: text,
    description: '`return=minimal` leaves the row out of the answer: 204.',
  },
  {
    name: 'Prefer', in: 'header', on: ['bulkCreate', 'bulkUpdate'], schema: text,
    description: '`return=minimal` answers with ids instead of rows.',
  },
  {
    name: 'Idempotency-Key', in: 'header', on: ['create', 'update', 'delete', 'bulkCreate', 'bulkUpdate', 'bulkDelete'],
    schema: { type: 'string', maxLength: 255 },
    description: 'Makes it safe to send the request again, within 24 hours: it is done once, and answered as before.',
  },
];

const filtered: ReadonlySet<Kind> = new Set(matching);
const scalars: ReadonlySet<PropertyType> = new Set<PropertyType>(['string', 'number', 'boolean', 'date']);

export type Context = { limits: Limits; shared: SharedParameters };
type Reference = { $ref: string };

/** A collection that has nothing: what a parameter is there, it is for every collection that it says nothing particular of. */
const PLAIN: Collection = {
  slug: '', name: '', singularName: '', description: null, key: [], readOnly: true, history: false, softDelete: null,
  accounts: false, bodyNames: 0, readers: null, schema: '', table: '', search: null, properties: [], relations: [],
};

/** The query and the headers of an operation: the parameters of its kind, then one filter a scalar property. */
export function parametersOf(kind: Kind, { collection, stem }: Named, { limits, shared }: Context): Reference[] {
  const own = rows.filter(({ on, when }) => on.includes(kind) && when?.(collection) !== false).map(row => {
    const parameter = ownParameter(row, collection, limits);
    const isPlain = JSON.stringify(parameter) === JSON.stringify(ownParameter(row, PLAIN, limits));
    return shared.refer(parameter, isPlain ? [row.name, `${kind}.${row.name}`] : [`${stem}.${row.name}`]);
  });
  if (!filtered.has(kind)) return own;
  const filters = collection.properties.filter(isFilter);
  return [...own, ...filters.map(property =>
    shared.refer(filterParameter(property), [`filter.${property.name}`, `${stem}.${property.name}`]))];
}

/** The id of a row in a path, as `id` or, above a relation, `parentId`. */
export function idParameter(name: 'id' | 'parentId', { collection, stem }: Named, { shared }: Context): Reference {
  const parameter: Parameter = { name, in: 'path', required: true, description: keyInWords(collection), schema: idSchema(collection) };
  return shared.refer(parameter, [`path.${name}`, `${stem}.${name}`]);
}

/** The id of an entry of a row's history, in a path. */
export function historyIdParameter({ shared }: Context): Reference {
  const description = 'The id of an entry of the history of the row.';
  const schema: Schema = { type: 'string', format: 'uuid' };
  return shared.refer({ name: 'historyId', in: 'path', required: true, description, schema }, ['path.historyId']);
}

function keyInWords({ key }: Collection): string {
  if (key.length === 1) return `The ${key.join()} of the row.`;
  return `The row's ${key.join(', ')}, in this order, joined by \`:::\`. `
    + 'A colon or a percent sign in one of them is written `%3A` or `%25`.';
}

function pivotInWords({ name, pivot }: Relation): string[] {
  return pivot === null ? [] : [`Included rows of ${name} carry \`_pivot\`, what the link says: ${pivot.join(', ')}.`];
}

function searchInWords({ search }: Collection): string {
  const phrases = '`"two words"` are looked for together.';
  if (search === null) return `Words that must all be found, in any text columns, in upper or lower case. ${phrases}`;
  return [
    `Words that must all be found in ${search.fields.map(field => `\`${field}\``).join(', ')}. ${phrases}`,
    ...(search.hybrid ? ['Parts of words are found too.'] : []),
    ...(search.fuzzy ? ['Words that are alike are found too.'] : []),
    'Each row of a list has its `_score`; `orderBy=_score:desc` sorts by it.',
  ].join(' ');
}

function ownParameter({ name, in: place, required, schema, description }: Row, collection: Collection, limits: Limits): Parameter {
  return {
    name, in: place ?? 'query', ...(required && { required }),
    description: typeof description === 'function' ? description(collection, limits) : description,
    schema: typeof schema === 'function' ? schema(collection, limits) : schema,
  };
}

function filterParameter(property: Property): Parameter {
  const form = '`<operator>.<value>` such as `gte.10` or `in.(a,b)`, or the value that it equals.';
  const description = `${form} ${describe(property)}`.trim();
  return { name: property.name, in: 'query', description, schema: { type: 'string' } };
}

/** A property whose name has a meaning of its own in a query can be filtered in `where` only. */
function isFilter(property: Property): boolean {
  return isFilterable(property) && scalars.has(property.type) && splitQuery(encodeURIComponent(property.name)).filters.has(property.name);
}
