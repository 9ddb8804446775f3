import type { Document } from './document.ts';

/** A Schema Object as far as the document uses it. */
export type Schema = {
  $ref?: string; allOf?: Schema[]; anyOf?: Schema[]; type?: string; nullable?: boolean; enum?: unknown[]; format?: string;
  items?: Schema; properties?: Record<string, Schema>; required?: string[]; additionalProperties?: boolean;
  'x-service-relation'?: string;
  minLength?: number; maxLength?: number; minItems?: number; maxItems?: number; uniqueItems?: boolean;
  minimum?: number; maximum?: number; exclusiveMinimum?: boolean; exclusiveMaximum?: boolean;
};
export type Row = Record<string, unknown>;

/** The schema that a reference stands for, or several together. */
export function resolved(schema: Schema, document: Document): Schema {
  if (schema.allOf) {
    const parts = schema.allOf.map(part => resolved(part, document));
    return { ...schema, type: 'object', required: parts.flatMap(({ required = [] }) => required), properties: Object.assign({},
      ...parts.map(({ properties }) => properties)) as Record<string, Schema> };
  }
  return schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema;
}

/** Where a value is not what a schema says: types, formats, nulls, and properties that are missing or not documented. */
export function violations(value: unknown, given: Schema, document: Document, at = '$'): string[] {
  const schema = resolved(given, document);
  if (schema.anyOf) {
    const found = schema.anyOf.map(one => violations(value, one, document, at));
    return found.some(list => list.length === 0) ? [] : found.flat();
  }
  if (value === null) return schema.nullable || schema.type === undefined ? [] : [`${at} is null`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is not one of its values`];
  if (schema.type && !checks[schema.type]?.(value)) return [`${at} is no ${schema.type}: ${JSON.stringify(value)}`];
  if (schema.format && !(formats[schema.format] ?? /(?:)/).test(JSON.stringify(value))) {
    return [`${at} is no ${schema.format}: ${JSON.stringify(value)}`];
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => violations(item, schema.items ?? {}, document, `${at}[${i}]`));
  if (!schema.properties) return [];
  const row = value as Row;
  return [
    ...(schema.required ?? []).filter(name => !(name in row)).map(name => `${at}.${name} is missing`),
    ...Object.entries(row).flatMap(([name, inner]) => {
      const property = schema.properties?.[name];
      if (property) return violations(inner, property, document, `${at}.${name}`);
      return schema.additionalProperties ? [] : [`${at}.${name} is not documented`];
    }),
  ];
}

const checks: Record<string, (value: unknown) => boolean> = {
  string: value => typeof value === 'string',
  integer: Number.isInteger,
  number: value => typeof value === 'number',
  boolean: value => typeof value === 'boolean',
  array: Array.isArray,
  object: value => typeof value === 'object' && !Array.isArray(value),
};
/** For the value's JSON text. */
const formats: Record<string, RegExp> = {
  uuid: /^"[0-9a-f-]{36}"$/,
  date: /^"\d{4}-\d{2}-\d{2}"$/,
  'date-time': /^"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z"$/,
  byte: /^"[A-Za-z0-9+/]*=*"$/,
};

export const UUID = '00000000-0000-4000-8000-000000000001';

/** A value that fits the schema; what a schema cannot say is given by the name of the property. */
export function sample(schema: Schema, named: Row = {}, name = ''): unknown {
  if (Object.hasOwn(named, name)) return named[name];
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'string': return texts[schema.format ?? ''] ?? 'x'.repeat(schema.minLength ?? 1);
    case 'integer': case 'number': return amount(schema);
    case 'boolean': return true;
    case 'array': return Array.from({ length: schema.minItems ?? 1 }, () => sample(schema.items ?? {}));
    default: return bodyOf(schema, Object.keys(schema.properties ?? {}), named);
  }
}

/** An object with samples of these properties. */
export function bodyOf({ properties = {} }: Schema, names: string[], named: Row = {}): Row {
  return Object.fromEntries(names.map(name => [name, sample(properties[name] ?? {}, named, name)]));
}

const texts: Record<string, string> = {
  uuid: UUID, date: '2026-01-15', 'date-time': '2026-01-15T10:30:00.000Z', byte: 'AP8=', email: 'ann@example.org',
  uri: 'https://example.org/a',
};

/** The smallest whole number that the bounds let in. */
function amount({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): number {
  if (minimum !== undefined) return exclusiveMinimum ? minimum + 1 : minimum;
  return maximum === undefined ? 1 : Math.min(1, exclusiveMaximum ? maximum - 1 : maximum);
}
