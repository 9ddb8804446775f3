import { type Collection, type Property, type PropertyType } from '../database/catalog-document.ts';
import { splitQuery } from '../grammar/query.ts';
import { describe, idSchema, isReadable, type Schema } from './openapi-schemas.ts';

/** A Parameter Object of OpenAPI 3.0.3. */
export type Parameter = { name: string; in: 'query' | 'path'; required?: true; description: string; schema: Schema };
export type Limits = { defaultLimit: number; maxLimit: number };
/** The kinds of reads that take a query. */
export type Read = 'list' | 'count' | 'get';

type Row = { name: string; on: Read[]; schema: Schema | ((limits: Limits) => Schema); description: string | ((collection: Collection) => string) };

/** What a read takes besides filters. One row each; what is parsed but answered with 501 gets its row when it is served. */
const rows: Row[] = [
  {
    name: 'limit', on: ['list'], description: 'Rows on a page.',
    schema: ({ defaultLimit, maxLimit }) => ({ type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit }),
  },
  { name: 'offset', on: ['list'], schema: { type: 'integer', minimum: 0, default: 0 }, description: 'Rows to skip.' },
  { name: 'page', on: ['list'], schema: { type: 'integer', minimum: 1 }, description: 'Page by number, from 1, `limit` rows each. Stands above `offset`.' },
  { name: 'after', on: ['list'], schema: { type: 'string' }, description: 'The `meta.nextCursor` of the page before. Not with `offset` or `page`.' },
  {
    name: 'orderBy', on: ['list'], schema: { type: 'string' },
    description: '`field`, `field:desc`, `field:desc:last`, or a JSON array of `{field, direction, nulls}`. The key, descending, breaks ties.',
  },
  { name: 'fields', on: ['list', 'get'], schema: { type: 'string' }, description: 'Columns to return, separated by commas. The key is always returned, every other column only when it is named.' },
  {
    name: 'include', on: ['list', 'get'], schema: { type: 'string' },
    description: ({ relations }) => [
      'Relations to embed, up to three hops: `author,comments.author`, `*`, or a JSON object of relations with `limit`, `where`, `logical`, `orderBy`, `fields`, `include`.',
      relations.length > 0 ? `Here: ${relations.map(({ name }) => name).join(', ')}.` : 'Here there are none.',
    ].join(' '),
  },
  {
    name: 'where', on: ['list', 'count'], schema: { type: 'string' },
    description: 'Filters as a JSON object: `{"price": [">=", 10], "status": "active"}`. All of them must hold.',
  },
  { name: 'or', on: ['list', 'count'], schema: { type: 'string' }, description: 'At least one must hold: `(price.lt.10,and(active.eq.true,not(sku.like.TMP%)))`. Stands above `and` and `not`.' },
  { name: 'and', on: ['list', 'count'], schema: { type: 'string' }, description: 'All must hold, in the form of `or`. Stands above `not`.' },
  { name: 'not', on: ['list', 'count'], schema: { type: 'string' }, description: 'Not all may hold, in the form of `or`.' },
];

const filtered: ReadonlySet<Read> = new Set<Read>(['list', 'count']);
const scalars: ReadonlySet<PropertyType> = new Set<PropertyType>(['string', 'number', 'boolean', 'date']);

/** The query of a read: the parameters of its kind, then one filter a scalar property. */
export function queryParameters(read: Read, collection: Collection, limits: Limits): Parameter[] {
  const own = rows.filter(({ on }) => on.includes(read)).map(row => ownParameter(row, collection, limits));
  return filtered.has(read) ? [...own, ...collection.properties.filter(isFilter).map(filterParameter)] : own;
}

/** The id of a row in a path, as `id` or, above a relation, `parentId`. */
export function idParameter(name: 'id' | 'parentId', collection: Collection): Parameter {
  const { key } = collection;
  const description = key.length === 1 ? `The ${key.join()} of the row.` : `The row's ${key.join(', ')}, in this order, joined by \`:::\`.`;
  return { name, in: 'path', required: true, description, schema: idSchema(collection) };
}

function ownParameter({ name, schema, description }: Row, collection: Collection, limits: Limits): Parameter {
  return {
    name, in: 'query',
    description: typeof description === 'function' ? description(collection) : description,
    schema: typeof schema === 'function' ? schema(limits) : schema,
  };
}

function filterParameter(property: Property): Parameter {
  const description = ['`<operator>.<value>` such as `gte.10` or `in.(a,b)`, or the value that it equals.', describe(property)].join(' ').trim();
  return { name: property.name, in: 'query', description, schema: { type: 'string' } };
}

/** A property whose name has a meaning of its own in a query can be filtered in `where` only. */
function isFilter(property: Property): boolean {
  return isReadable(property) && scalars.has(property.type) && splitQuery(encodeURIComponent(property.name)).filters.has(property.name);
}
