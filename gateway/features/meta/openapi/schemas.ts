import type { Collection, Property, PropertyType, Relation } from '../../../catalog/document.ts';
import type { PropertyAttributes } from '../../../catalog/rows.ts';
import type { Named } from './names.ts';
import {
  accessOf, describeAccess, describeRules, isOpen, nullable, reference, valueSchema, type Direction, type Schema,
} from './values.ts';

/** The schemas of a collection by name: its rows and, where it is written, the bodies of a create and of an update. */
export function componentsOf({ collection, stem }: Named, targets: ReadonlyMap<string, Named>): [name: string, schema: Schema][] {
  const row: [string, Schema] = [stem, rowSchema(collection, targets)];
  if (collection.readOnly) return [row];
  const body = bodySchema(collection, targets);
  const required = collection.properties.filter(property => isWritable(property) && isNeeded(property, collection)).map(({ name }) => name);
  const update = { ...body, ...withOperations(collection, body) };
  return [row, [`${stem}Input`, { ...body, ...(required.length > 0 && { required }) }], [`${stem}Update`, update]];
}

/** A row as reads return it. Relations are present when the request includes them. */
function rowSchema(collection: Collection, targets: ReadonlyMap<string, Named>): Schema {
  const properties = collection.properties.filter(isReadable);
  const required = properties.filter(property => isAlwaysThere(property, collection)).map(({ name }) => name);
  return {
    type: 'object',
    ...(collection.description !== null && { description: collection.description }),
    ...(required.length > 0 && { required }),
    // fromEntries defines, where an assignment to `__proto__` would be lost.
    properties: Object.fromEntries([
      ...(vectorsOf(collection).length > 0 ? [['_distance', distance] as const] : []),
      ...(collection.search !== null ? [['_score', score] as const, ['_matches', matches] as const] : []),
      ...collection.relations.flatMap(relation => relatedRows(relation, targets)),
      ...properties.map(property => [property.name, propertySchema(property, collection, 'read')] as const),
    ]),
  };
}

/** The embedded value of `include`: a row or null, or a list of rows. */
function relatedRows({ name, single, target, pivot }: Relation, targets: ReadonlyMap<string, Named>): [name: string, schema: Schema][] {
  const found = targets.get(target);
  if (found === undefined) return [];
  const description = 'There only where `include` names it.';
  const row = reference(found.stem);
  if (single) return [[name, { type: 'object', nullable: true, readOnly: true, description, allOf: [row] }]];
  return [[name, { type: 'array', readOnly: true, description, items: linkedRow(row, pivot) }]];
}

/** A row of a relation, with what its link says where that says something. */
export function linkedRow(row: Schema, pivot: string[] | null): Schema {
  return pivot === null ? row : { allOf: [row, { type: 'object', properties: { _pivot: pivotSchema(pivot) } }] };
}

const distance: Schema = {
  type: 'number', nullable: true, readOnly: true,
  description: 'There only in a list with `vector_search`: how far the row is from `vector`. Null for a row without a vector.',
};

const score: Schema = {
  type: 'number', readOnly: true,
  description: 'There only in a list with `searchString`: how well the row fits. More is better.',
};

const snippet: Schema = { type: 'string', description: 'HTML: what was found stands in `<mark>`, everything else is escaped.' };

const matches: Schema = {
  type: 'array', readOnly: true,
  description: 'There only in a list with `searchString` and `searchExplain=true`: the fields in which the words were found.',
  items: { type: 'object', required: ['field', 'snippet'], properties: { field: { type: 'string' }, snippet } },
};

/** The fields that may be written. An update takes the key as well, if it is the row's own. */
function bodySchema(collection: Collection, targets: ReadonlyMap<string, Named>): Schema {
  const byName = foreignKeysByName(collection, targets);
  const description = 'A foreign key may also go by the name of its relation, '
    + `with the same value or the related row as an object: ${byName.join(', ')}.`;
  const written = collection.properties.filter(isWritable);
  return {
    type: 'object',
    ...(byName.length > 0 && { description }),
    properties: Object.fromEntries([
      ...collection.relations.flatMap(relation => linkSchema(relation, targets)),
      ...written.map(property => [property.name, propertySchema(property, collection, 'write')] as const),
    ]),
  };
}

/** The related rows that are to be linked, and no others, where a relation has no column here. */
function linkSchema({ name, kind, target, pivot }: Relation, targets: ReadonlyMap<string, Named>): [name: string, schema: Schema][] {
  const found = targets.get(target);
  if (found === undefined || kind === 'belongsTo' || kind === 'via') return [];
  const id = idSchema(found.collection);
  const link = { nullable: true, 'x-service-relation': target };
  if (kind === 'hasOne') return [[name, { ...nullable(id), ...link, description: 'The id of the related row, or null.' }]];
  const withPivot: Schema = { type: 'object', required: ['id'], properties: { id, _pivot: pivotSchema(pivot ?? []) } };
  const items = pivot === null ? id : { anyOf: [id, withPivot] };
  const description = 'The ids of the related rows, all of them. Left out: as they are.';
  return [[name, { type: 'array', ...link, items, description }]];
}

/** The columns of a link besides its two ends. */
export function pivotSchema(names: string[]): Schema {
  return { type: 'object', properties: Object.fromEntries(names.map(name => [name, {}])) };
}

/** Which fields of an update may say what becomes of their value in place of a value. */
function withOperations(collection: Collection, { description }: Schema): { description?: string } {
  const ofType = (type: PropertyType, operations: string): string[] => {
    const names = collection.properties.filter(property => property.type === type && isWritable(property) && isReadable(property)
      && !collection.key.includes(property.name)).map(({ name }) => name);
    return names.length > 0 ? [`${operations}: ${names.join(', ')}`] : [];
  };
  const operations = [
    ...ofType('number', '`{"$inc": 1}`'), ...ofType('array', '`{"$push": item}` or `{"$pull": item}`, or a list of items'),
    ...ofType('map', '`{"$merge": {…}}`'),
  ];
  const sentence = `A field may carry an operation in place of a value. ${operations.join('. ')}.`;
  return operations.length === 0 ? {} : { description: typeof description === 'string' ? `${description} ${sentence}` : sentence };
}

/** The id of a row in a path: its key, or the parts of its key joined by `:::`. */
export function idSchema({ key, properties }: Collection): Schema {
  const property = key.length === 1 ? properties.find(({ name }) => name === key[0]) : undefined;
  return property ? valueSchema(property, 'read') : { type: 'string' };
}

/** Whether every role may read it. */
export const isReadable = (property: Property): boolean => isOpen(property, 'read');

/** Whether rows can be found by it. */
export const isFilterable = (property: Property): boolean => isReadable(property) && property.attributes.masked !== true;

/** Names of the properties that a vector search can be about. */
export function vectorsOf({ properties }: Collection): string[] {
  return properties.filter(property => property.type === 'vector' && isFilterable(property)).map(({ name }) => name);
}

/** Appends to a property's description the roles that it is limited to. */
export function describe(property: Property, direction: Direction = 'read'): string {
  const { attributes } = property;
  return [
    attributes.description,
    attributes.masked ? 'Masked: shown as something else than is stored, so rows cannot be found, sorted or grouped by it.' : undefined,
    attributes.tenant ? 'The tenant of the row: taken from the caller where a create leaves it out, and never changed.' : undefined,
    ...(direction === 'write' ? describeRules(property) : []),
    ...describeAccess(property),
  ].filter(sentence => sentence !== undefined).join(' ');
}

function propertySchema(property: Property, collection: Collection, direction: Direction): Schema {
  const schema = valueSchema(property, direction);
  const isKey = collection.key.includes(property.name);
  const ofKey = direction === 'write' && isKey ? 'An update takes only the value that it has.' : '';
  const description = `${describe(property, direction)} ${ofKey}`.trim();
  return {
    ...(property.nullable && !isKey ? nullable(schema) : schema),
    ...(direction === 'read' && (collection.readOnly || !isWritable(property)) && { readOnly: true }),
    ...(description !== '' && { description }),
    ...accessOf(property),
    ...(property.attributes.tenant && { 'x-service-tenant': true }),
  };
}

function isAlwaysThere({ name, required, readRoles, attributes }: Property, { key }: Collection): boolean {
  return readRoles === null && (required || attributes.tenant === true || key.includes(name));
}

/** Whether every role may write it: neither the database nor the service sets its value. */
export function isWritable({ generated, writeRoles, attributes }: Property): boolean {
  const { autoValue }: Partial<PropertyAttributes> = attributes;
  return !generated && writeRoles?.length !== 0 && autoValue === undefined;
}

/** Whether a create fails without it. A key of a collection file is not required by rule, but its column has to be filled. */
export function isNeeded({ name, required, attributes }: Property, { key }: Collection): boolean {
  const { column }: Partial<PropertyAttributes> = attributes;
  return required || (key.includes(name) && column !== undefined && column.default === null && !column.identity);
}

/** The relations that have one column here, as far as the catalog tells. */
function foreignKeysByName({ relations }: Collection, targets: ReadonlyMap<string, Named>): string[] {
  const isOneColumn = ({ kind, target }: Relation) => kind === 'belongsTo' && targets.get(target)?.collection.key.length === 1;
  return relations.filter(isOneColumn).map(({ name }) => name);
}

export const fixedSchemas: Readonly<Record<'ErrorResponse' | 'PaginationMeta', Schema>> = {
  ErrorResponse: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message', 'code'],
        properties: {
          message: { type: 'string', description: 'For people; its wording may change.' },
          code: { type: 'string', description: 'Stable: what a program branches on.', example: 'NOT_FOUND' },
          details: {
            type: 'object', additionalProperties: true,
            description: 'What the error is about. Diagnostic, not part of the contract.',
          },
          requestId: { type: 'string', format: 'uuid', description: 'Names the request in the server log.' },
        },
      },
    },
  },
  PaginationMeta: {
    type: 'object',
    required: ['limit', 'offset', 'hasMore'],
    properties: {
      total: {
        type: 'integer', format: 'int64',
        description: 'Rows that match, on all pages. Absent when the request says Prefer: count=none.',
      },
      limit: { type: 'integer' },
      offset: { type: 'integer', format: 'int64' },
      hasMore: { type: 'boolean', description: 'Whether there is another page.' },
      nextCursor: {
        type: 'string',
        description: 'Opaque. Sent as `after` it continues behind the last row; '
          + 'absent on the last page, with `distinct` or `vector_search`, and ordered by `_score`: there `offset` goes on.',
      },
    },
  },
};
