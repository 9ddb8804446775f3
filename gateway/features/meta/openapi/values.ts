import type { PropertyType } from '../../../catalog/document.ts';
import type { ElementAttributes, PropertyAttributes } from '../../../catalog/rows.ts';

/** A Schema Object of OpenAPI 3.0.3. */
export type Schema = Readonly<Record<string, unknown>>;
/** Rows as they are read, or bodies as they are written: the rules of a collection file hold for what is written. */
export type Direction = 'read' | 'write';
/** A property, an element of an array or a part of a map; the latter two have no column and so no `sqlType`. */
export type Value = { type: PropertyType; sqlType: string; attributes: Partial<PropertyAttributes> };

type Blocks = NonNullable<PropertyAttributes['oneOf']>;

const text: Schema = { type: 'string' };
const row: Schema = { type: 'object' };

/** The JSON form of a column type. Types that are not listed are text. */
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

const byType: Record<PropertyType, (value: Value, direction: Direction) => Schema> = {
  string: scalar,
  number: scalar,
  boolean: scalar,
  date: scalar,
  binary: scalar,
  array: ({ sqlType, attributes: { arrayDimensions = 1, composite, elementEnum, of, oneOf } }, direction) => inArrays(
    composite ? row : oneOf ? blockSchema(oneOf, direction)
    : {
      ...(sqlType.endsWith('[]') ? sqlTypeSchema(sqlType.slice(0, -2)) : {}), ...(elementEnum && { enum: elementEnum }),
      ...(of && elementSchema(of, direction)),
    },
    arrayDimensions),
  map,
  geopoint: () => ({
    type: 'object',
    required: ['latitude', 'longitude'],
    properties: { latitude: { type: 'number' }, longitude: { type: 'number' } },
  }),
  // A sparse one may have a billion dimensions: it is PostgreSQL's text, {1:0.5,7:1}/1000000.
  vector: ({ sqlType, attributes: { dimensions } }) => sqlType.endsWith('sparsevec') ? { type: 'string' } : ({
    type: 'array',
    items: { type: 'number' },
    ...(dimensions !== undefined && { minItems: dimensions, maxItems: dimensions }),
  }),
};

function inArrays(items: Schema, depth: number): Schema {
  return depth > 0 ? { type: 'array', items: inArrays(items, depth - 1) } : items;
}

export function valueSchema(value: Value, direction: Direction): Schema {
  return { ...byType[value.type](value, direction), ...(direction === 'write' && bounds[value.type]?.(value.attributes.validation ?? {})) };
}

/** The rules of a value that OpenAPI has no keyword for. PostgreSQL's regular expressions are not those of `pattern`. */
export function describeRules({ type, attributes: { validation: { matches, min, max } = {} } }: Value): string[] {
  return [
    ...(typeof matches === 'string' ? [`Matches the PostgreSQL regular expression \`${matches}\`.`] : []),
    ...(type === 'date' && typeof min === 'string' ? [`Not before ${min}.`] : []),
    ...(type === 'date' && typeof max === 'string' ? [`Not after ${max}.`] : []),
  ];
}

function scalar({ type, sqlType, attributes: { composite, format, maxLength, enum: values } }: Value): Schema {
  if (composite) return row;
  return {
    ...(bySqlType.get(sqlType) ?? fallback[type] ?? text),
    ...(format !== undefined && { format }),
    ...(maxLength !== undefined && { maxLength }),
    ...(values !== undefined && { enum: values }),
  };
}

/** Property types whose JSON is known without the column type. */
const fallback: Partial<Record<PropertyType, Schema>> = { number: { type: 'number' }, boolean: { type: 'boolean' } };

const sqlTypeSchema = (sqlType: string): Schema => bySqlType.get(sqlType) ?? text;

/** A map of a collection file is an object. A JSON column that was there before holds any JSON, which is the schema without keywords. */
function map({ sqlType, attributes: { column, properties = {} } }: Value, direction: Direction): Schema {
  if (sqlType !== '' && column === undefined) return {};
  const parts = Object.entries(properties).filter(([, part]) => isOpen(part, direction));
  const required = direction === 'write' ? parts.filter(([, part]) => isRequired(part)).map(([name]) => name) : [];
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(parts.length > 0 && { properties: Object.fromEntries(parts.map(([name, part]) => [name, partSchema(part, direction)])) }),
    additionalProperties: true,
  };
}

/** One of several objects, told apart by the one text that each has for its type. */
function blockSchema({ typeField, valueField, properties }: Blocks, direction: Direction): Schema {
  return {
    // No discriminator: it knows schemas by reference alone (OpenAPI 3.0.3, Discriminator Object).
    oneOf: Object.entries(properties).map(([type, value]) => ({
      type: 'object',
      required: [typeField, ...(direction === 'write' && isRequired(value) ? [valueField] : [])],
      properties: {
        [typeField]: { type: 'string', enum: [type] },
        ...(isOpen(value, direction) && { [valueField]: partSchema(value, direction) }),
      },
      additionalProperties: true,
    })),
  };
}

function partSchema(part: ElementAttributes, direction: Direction): Schema {
  return isRequired(part) ? elementSchema(part, direction) : nullable(elementSchema(part, direction));
}

function elementSchema(element: ElementAttributes, direction: Direction): Schema {
  const value = { type: element.type, sqlType: '', attributes: element };
  const sentences = [element.description, ...describeRules(value), ...describeAccess(element)];
  const description = sentences.filter(sentence => sentence !== undefined).join(' ');
  return {
    ...valueSchema(value, direction),
    ...(direction === 'read' && element.writeRoles?.length === 0 && { readOnly: true }),
    ...(description !== '' && { description }),
    ...accessOf(element),
  };
}

type Access = { readRoles?: string[] | null; writeRoles?: string[] | null };

/** Whether every role may read it, or write it. */
export function isOpen({ readRoles, writeRoles }: Access, direction: Direction): boolean {
  return (direction === 'read' ? readRoles : writeRoles)?.length !== 0;
}

/** Describes the roles that a property, or a part of one, is limited to. */
export function describeAccess({ readRoles, writeRoles }: Access): string[] {
  return [
    ...(isLimited(readRoles) ? [`Read only with one of the roles ${readRoles.join(', ')}, admin.`] : []),
    ...(isLimited(writeRoles) ? [`Written only with one of the roles ${writeRoles.join(', ')}, admin.`] : []),
  ];
}

export function accessOf({ readRoles, writeRoles }: Access): Schema {
  const lists = { ...(isLimited(readRoles) && { read: readRoles }), ...(isLimited(writeRoles) && { write: writeRoles }) };
  return Object.keys(lists).length > 0 ? { 'x-service-access': lists } : {};
}

function isLimited(roles: string[] | null | undefined): roles is string[] {
  return roles !== null && roles !== undefined && roles.length > 0;
}

function isRequired({ validation, defaultValue }: ElementAttributes): boolean {
  return validation?.['required'] === true && defaultValue === undefined;
}

/**
 * `nullable` alone does not let null past an enum: it has to be listed. Beside no type it means nothing: null is among
 * the values already (OpenAPI 3.0.3, Schema Object).
 */
export function nullable(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (type === undefined) return schema;
  return { ...schema, ...(Array.isArray(values) && { enum: [...values as unknown[], null] }), nullable: true };
}

type Rules = Record<string, unknown>;

const bounds: Partial<Record<PropertyType, (rules: Rules) => Schema>> = {
  string: ({ length, min, max }) => sized('minLength', length ?? min, 'maxLength', length ?? max),
  array: ({ min, max, uniqueInArray }) => ({
    ...sized('minItems', min, 'maxItems', max),
    ...(uniqueInArray === true && { uniqueItems: true }),
  }),
  number: ({ min, max, moreThan, lessThan, positive, negative, integer }) => ({
    ...(integer === true && { type: 'integer' }),
    ...bound('minimum', 'exclusiveMinimum', min, [moreThan, positive === true ? 0 : undefined], Math.max),
    ...bound('maximum', 'exclusiveMaximum', max, [lessThan, negative === true ? 0 : undefined], Math.min),
  }),
};

function sized(least: string, min: unknown, most: string, max: unknown): Schema {
  return { ...(typeof min === 'number' && { [least]: min }), ...(typeof max === 'number' && { [most]: max }) };
}

/** The tightest of several bounds on one side holds. In OpenAPI 3.0 an exclusive bound is a flag beside it. */
function bound(keyword: string, flag: string, inclusive: unknown, exclusive: unknown[], tightest: (...values: number[]) => number): Schema {
  const open = exclusive.filter(value => typeof value === 'number');
  const all = typeof inclusive === 'number' ? [inclusive, ...open] : open;
  if (all.length === 0) return {};
  const value = tightest(...all);
  return { [keyword]: value, ...(open.includes(value) && { [flag]: true }) };
}

export function reference(component: string): Schema {
  return { $ref: `#/components/schemas/${component}` };
}
