import type { ElementAttributes, PropertyAttributes } from '../../../catalog/rows.ts';
import { isOpen, type Direction, type Value } from '../openapi/values.ts';
import { literal, objectText, union, type Member } from './text.ts';

/** Types whose numbers a double cannot hold in every digit. */
const EXACT: readonly string[] = ['bigint', 'numeric', 'money'];

/** `Digits` is declared at the head of the file; `Exact` is what may be written in its place. */
const DIGITS = { read: 'Digits', write: 'Exact' } as const;

export const OBJECT = '{ [key: string]: Json }';

export function isExact(sqlType: string): boolean {
  return EXACT.includes(sqlType.replace(/(\[\])+$/, ''));
}

/** A time of the day, which no Date is. */
function isTime(sqlType: string): boolean {
  return /^time(?:tz| |$)/.test(sqlType);
}

/**
 * The kind of a column, from which a client derives how rows are found, sorted and summed up by it: its type, or one that can do less or
 * is written otherwise. `literal` is compared as text, `opaque` not at all; `list` is an array in JSON, `json map` a map in text of JSON.
 */
export function kindOf({ type, sqlType, attributes: { comparison, column } }: Value): string {
  const isDeclared = type === 'map' && column !== undefined;
  if (sqlType === 'json') return isDeclared ? 'json map' : sqlType;
  if (sqlType === 'money') return sqlType;
  if (sqlType === 'jsonb' && !isDeclared) return type === 'array' ? 'list' : sqlType;
  if (comparison === 'none') return 'opaque';
  if (type === 'date' && isTime(sqlType)) return 'time';
  if (comparison === 'order' && type === 'string') return 'literal';
  return type === 'number' && isExact(sqlType) ? 'digits' : type;
}

/** The type of a value, without null. */
export function valueType(value: Value, direction: Direction): string {
  const { type, sqlType, attributes } = value;
  if (attributes.composite && type !== 'array') return OBJECT;
  switch (type) {
    case 'string': return enumType(attributes.enum) ?? 'string';
    case 'number': return enumType(attributes.enum) ?? (isExact(sqlType) ? DIGITS[direction] : 'number');
    case 'boolean': return 'boolean';
    case 'date': return direction === 'read' || isTime(sqlType) ? 'string' : 'string | Date';
    case 'binary': return 'string';
    case 'array': return inLists(arrayType(value, direction), (attributes.arrayDimensions ?? 1) - 1, direction);
    case 'map': return mapType(value, direction);
    case 'geopoint': return '{ latitude: number; longitude: number }';
    // A sparse one may have a billion dimensions: it is PostgreSQL's text, {1:0.5,7:1}/1000000.
    case 'vector': return sqlType.endsWith('sparsevec') ? 'string' : listOf('number', direction);
  }
}

/** The union of the values that are declared, where they are. */
export function enumType(values: readonly (string | number)[] | undefined): string | undefined {
  return values && union(values.map(value => typeof value === 'number' ? String(value) : literal(value)));
}

export function listOf(type: string, direction: Direction): string {
  const element = type.includes(' ') && !isOneObject(type) ? `(${type})` : type;
  return direction === 'read' ? `${element}[]` : `readonly ${element}[]`;
}

function inLists(type: string, depth: number, direction: Direction): string {
  return depth > 0 ? listOf(inLists(type, depth - 1, direction), direction) : type;
}

function isOneObject(type: string): boolean {
  return /^\{[^{}]*\}$/.test(type);
}

function arrayType({ sqlType, attributes: { of, oneOf, composite, elementEnum } }: Value, direction: Direction): string {
  if (composite) return listOf(OBJECT, direction);
  const labels = enumType(elementEnum);
  if (labels !== undefined) return listOf(labels, direction);
  if (oneOf) return listOf(blockType(oneOf, direction), direction);
  const element = sqlType.endsWith('[]') ? sqlType.slice(0, -2) : '';
  if (of) return listOf(valueType({ type: of.type, sqlType: element, attributes: of }, direction), direction);
  return listOf(element === '' ? 'Json' : elementOf(element, direction), direction);
}

/** An element of an array column without a declaration. */
function elementOf(sqlType: string, direction: Direction): string {
  if (isExact(sqlType)) return DIGITS[direction];
  if (['smallint', 'integer', 'real', 'double precision'].includes(sqlType)) return 'number';
  if (sqlType === 'json' || sqlType === 'jsonb') return 'Json';
  return sqlType === 'boolean' ? 'boolean' : 'string';
}

/** A JSON column that was there before holds any JSON, as does a map that declares no parts. */
function mapType({ sqlType, attributes: { column, properties } }: Value, direction: Direction): string {
  if (sqlType !== '' && column === undefined) return 'Json';
  const parts = Object.entries(properties ?? {}).filter(([, part]) => part.excluded !== true && isOpen(part, direction));
  if (parts.length === 0) return OBJECT;
  return objectText(parts.map(([name, part]) => partMember(name, part, direction)));
}

/** The parts of a value are judged when they are written, and the database does not prove them, so that each may be missing. */
function partMember(name: string, part: ElementAttributes, direction: Direction): Member {
  const required = part.validation?.['required'] === true && part.defaultValue === undefined;
  const type = valueType({ type: part.type, sqlType: '', attributes: part }, direction);
  return { name, type: required ? type : `${type} | null`, optional: direction === 'read' || !required || part.writeRoles !== undefined };
}

function blockType({ typeField, valueField, properties }: NonNullable<PropertyAttributes['oneOf']>, direction: Direction): string {
  return union(Object.entries(properties).filter(([, part]) => isOpen(part, direction)).map(([name, part]) =>
    objectText([{ name: typeField, type: literal(name) }, partMember(valueField, part, direction)])));
}
