import { arrayText } from '../grammar/array-text.ts';
import { kindOf, type PropertyDefinition, type Report } from './definition.ts';
import { enumValues } from './enums.ts';
import { isObject } from './json-file.ts';
import { quotedLiteral } from './names.ts';

/** The SQL expression of a property's defaultValue, null without one. */
export function defaultExpression(definition: PropertyDefinition, sqlType: string, path: string, report: Report): string | null {
  const { defaultValue: value } = definition;
  if (value === undefined || value === null) return null;
  const problem = problemOfDefault(definition, sqlType);
  if (problem !== undefined) {
    report(`${path}.defaultValue`, problem);
    return null;
  }
  if (sqlType.endsWith('[]')) return `${quotedLiteral(arrayText((value as unknown[]).map(String)))}::${sqlType}`;
  if (typeof value === 'object') return `${quotedLiteral(JSON.stringify(value))}::${sqlType}`;
  return typeof value === 'string' ? quotedLiteral(value) : JSON.stringify(value);
}

/** Why a property, or a part of a map, cannot have its defaultValue. A part has no column: a number is whole if its rules say so. */
export function problemOfDefault(
  definition: PropertyDefinition, sqlType = definition.validation?.integer === true ? 'integer' : 'numeric',
): string | undefined {
  const kind = kindOf(definition);
  const { defaultValue: value } = definition;
  if (kind === 'vector' || kind === 'binary') return `a ${kind} has no default`;
  if (!fits[kind]?.(value, sqlType)) return `is not a ${kind}${sqlType === 'uuid' ? ' that is a uuid' : ''}`;
  if (definition.enum !== undefined && !enumValues(definition).includes(value as string)) return 'is none of the values of enum';
  return undefined;
}

const fits: Partial<Record<string, (value: unknown, sqlType: string) => boolean>> = {
  string: (value, sqlType) => typeof value === 'string' && (sqlType !== 'uuid' || /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)),
  number: (value, sqlType) => typeof value === 'number' && (/numeric|real|double/.test(sqlType) || Number.isInteger(value)),
  boolean: value => typeof value === 'boolean',
  date: (value, sqlType) => typeof value === 'string' && (sqlType.startsWith('time ') ? isTime(value) : isDate(value)),
  array: (value, sqlType) => Array.isArray(value) && (elements[sqlType] === undefined || value.every(elements[sqlType])),
  map: isObject,
  geopoint: value => isObject(value) && typeof value['latitude'] === 'number' && typeof value['longitude'] === 'number',
};

const isTime = (text: string): boolean => /^\d{2}:\d{2}/.test(text);
const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text));

const elements: Partial<Record<string, (value: unknown) => boolean>> = {
  'text[]': value => typeof value === 'string',
  'integer[]': Number.isInteger,
  'numeric[]': value => typeof value === 'number',
  'boolean[]': value => typeof value === 'boolean',
};
