import { type Collection, type Property, type PropertyType } from '../database/catalog-document.ts';

/** A Schema Object of OpenAPI 3.0.3. */
export type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };

/** How a value of a column type stands in JSON. Types that are not here are text. */
const bySqlType: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['smallint', { type: 'integer', format: 'int32' }],
  ['integer', { type: 'integer', format: 'int32' }],
  ['bigint', { type: 'integer', format: 'int64' }],
  ['real', { type: 'number', format: 'float' }],
  ['double precision', { type: 'number', format: 'double' }],
  ['numeric', { type: 'number' }],
  ['money', { type: 'number' }],
  ['boolean', { type: 'boolean' }],
  ['uuid', { type: 'string', format: 'uuid' }],
  ['date', { type: 'string', format: 'date' }],
  ['timestamp with time zone', { type: 'string', format: 'date-time' }],
  ['timestamp without time zone', { type: 'string', format: 'date-time' }],
  ['bytea', { type: 'string', format: 'byte' }],
  ['json', {}],
  ['jsonb', {}],
]);

const byType: Record<PropertyType, (property: Property) => Schema> = {
  string: scalar,
  number: scalar,
  boolean: scalar,
  date: scalar,
  binary: scalar,
  array: ({ sqlType }) => ({ type: 'array', items: sqlType.endsWith('[]') ? sqlTypeSchema(sqlType.slice(0, -2)) : {} }),
  map: () => ({ type: 'object', additionalProperties: true }),
  geopoint: () => ({
    type: 'object',
    required: ['latitude', 'longitude'],
    properties: { latitude: { type: 'number' }, longitude: { type: 'number' } },
  }),
  vector: ({ attributes: { dimensions } }) => ({
    type: 'array',
    items: { type: 'number' },
    ...(dimensions !== undefined && { minItems: dimensions, maxItems: dimensions }),
  }),
};

/** A row as reads return it. Relations are not part of it: they are there when they are asked for. */
export function rowSchema(collection: Collection): Schema {
  const properties = collection.properties.filter(isReadable);
  const required = properties.filter(property => isAlwaysThere(property, collection)).map(({ name }) => name);
  return {
    type: 'object',
    ...(collection.description !== null && { description: collection.description }),
    ...(required.length > 0 && { required }),
    // fromEntries defines, where an assignment to `__proto__` would be lost.
    properties: Object.fromEntries(properties.map(property => [property.name, propertySchema(property, collection)])),
  };
}

/** What stands for a row in a path: its key, or the parts of its key joined by `:::`. */
export function idSchema({ key, properties }: Collection): Schema {
  const property = key.length === 1 ? properties.find(({ name }) => name === key[0]) : undefined;
  return property ? valueSchema(property) : text;
}

/** Whether anybody may read it. */
export const isReadable = ({ readRoles }: Property): boolean => readRoles?.length !== 0;

/** Whom the property is limited to, in words, after its own description. */
export function describe({ attributes, readRoles, writeRoles }: Property): string {
  return [
    attributes.description,
    isLimited(readRoles) ? `Read only with one of the roles ${readRoles.join(', ')}, admin.` : undefined,
    isLimited(writeRoles) ? `Written only with one of the roles ${writeRoles.join(', ')}, admin.` : undefined,
  ].filter(sentence => sentence !== undefined).join(' ');
}

function propertySchema(property: Property, collection: Collection): Schema {
  const nullable = property.nullable && !collection.key.includes(property.name);
  const description = describe(property);
  return {
    ...valueSchema(property),
    ...enumOf(property, nullable),
    ...(nullable && { nullable }),
    ...(isReadOnly(property, collection) && { readOnly: true }),
    ...(description !== '' && { description }),
    ...access(property),
  };
}

function valueSchema(property: Property): Schema {
  return byType[property.type](property);
}

function scalar({ type, sqlType, attributes: { format, maxLength } }: Property): Schema {
  return {
    ...(bySqlType.get(sqlType) ?? fallback[type] ?? text),
    ...(format !== undefined && { format }),
    ...(maxLength !== undefined && { maxLength }),
  };
}

/** Property types whose JSON is known without the column type. */
const fallback: Partial<Record<PropertyType, Schema>> = { number: { type: 'number' }, boolean: { type: 'boolean' } };

const sqlTypeSchema = (sqlType: string): Schema => bySqlType.get(sqlType) ?? text;

/** `nullable` alone does not let null past an enum: it has to be listed (OpenAPI 3.0.3, Schema Object). */
function enumOf({ attributes }: Property, nullable: boolean): Schema {
  if (attributes.enum === undefined) return {};
  return { enum: nullable ? [...attributes.enum, null] : attributes.enum };
}

function isAlwaysThere({ name, required, readRoles }: Property, { key }: Collection): boolean {
  return readRoles === null && (required || key.includes(name));
}

function isReadOnly({ generated, writeRoles }: Property, collection: Collection): boolean {
  return generated || collection.readOnly || writeRoles?.length === 0;
}

const isLimited = (roles: string[] | null): roles is string[] => roles !== null && roles.length > 0;

function access({ readRoles, writeRoles }: Property): Schema {
  const lists = { ...(isLimited(readRoles) && { read: readRoles }), ...(isLimited(writeRoles) && { write: writeRoles }) };
  return Object.keys(lists).length > 0 ? { 'x-service-access': lists } : {};
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
          details: { type: 'object', additionalProperties: true, description: 'What the error is about. Diagnostic, not part of the contract.' },
          requestId: { type: 'string', format: 'uuid', description: 'Names the request in the server log.' },
        },
      },
    },
  },
  PaginationMeta: {
    type: 'object',
    required: ['limit', 'offset', 'hasMore'],
    properties: {
      total: { type: 'integer', format: 'int64', description: 'Rows that match, on all pages. Absent when the request says Prefer: count=none.' },
      limit: { type: 'integer' },
      offset: { type: 'integer', format: 'int64' },
      hasMore: { type: 'boolean', description: 'Whether there is another page.' },
      nextCursor: { type: 'string', description: 'Opaque. Sent as `after` it continues behind the last row; absent on the last page.' },
    },
  },
};
