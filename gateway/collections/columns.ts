import { type PropertyType } from '../catalog/document.ts';
import { type Column, type VectorIndex } from '../catalog/rows.ts';
import { defaultExpression } from './defaults.ts';
import { kindOf, type PropertyDefinition, type Report } from './definition.ts';
import { enumIds } from './enums.ts';
import { quotedIdentifier } from './names.ts';

export type ColumnType = { type: PropertyType; sqlType: string; column: Column };
/** Where the column stands; `enumType` is the name that its enum type would have. */
export type Place = { path: string; schema: string; enumType: string; isKey: boolean };

type Types = { sqlType: string; whole: string; identity?: boolean };

/** The column of a property: what a value is cast to, and how it is made. */
export function columnOf(definition: PropertyDefinition, place: Place, report: Report): ColumnType {
  const type = kindOf(definition) as PropertyType;
  const types = typesOf[type](definition, place, report);
  const { identity = false } = types;
  return {
    type,
    sqlType: types.sqlType,
    column: {
      type: types.whole,
      default: identity ? null : defaultOf(definition, types.sqlType, place, report),
      identity,
      unique: definition.validation?.unique === true,
      stamp: definition.autoValue ?? null,
      enumType: enumTypeOf(definition, place),
      index: type === 'vector' ? vectorIndex(definition, place.path, report) : null,
    },
  };
}

const typesOf: Readonly<Record<PropertyType, (definition: PropertyDefinition, place: Place, report: Report) => Types>> = {
  string: stringTypes,
  number: numberTypes,
  boolean: () => same('boolean'),
  date: dateTypes,
  array: arrayTypes,
  map: ({ columnType = 'jsonb' }) => same(columnType),
  geopoint: () => same('jsonb'),
  vector: ({ dimensions = 1 }) => ({ sqlType: 'vector', whole: `vector(${dimensions})` }),
  binary: () => same('bytea'),
};

function same(sqlType: string): Types {
  return { sqlType, whole: sqlType };
}

function enumTypeOf(definition: PropertyDefinition, { schema, enumType }: Place): Column['enumType'] {
  return isEnumType(definition) ? { schema, name: enumType, labels: enumIds(definition.enum ?? []).map(String) } : null;
}

function isEnumType(definition: PropertyDefinition): boolean {
  return kindOf(definition) === 'string' && definition.enum !== undefined;
}

function stringTypes(definition: PropertyDefinition, { path, schema, enumType, isKey }: Place, report: Report): Types {
  const { columnType, isId, validation } = definition;
  if (isEnumType(definition)) {
    if (columnType !== undefined) report(`${path}.columnType`, 'a string with enum has a type of its own');
    if (isId === 'uuid') report(`${path}.isId`, 'a string with enum is no uuid');
    return same(`${quotedIdentifier(schema)}.${quotedIdentifier(enumType)}`);
  }
  if (isKey && isId === 'uuid') {
    if (columnType !== undefined && columnType !== 'uuid') report(`${path}.columnType`, 'isId "uuid" makes a uuid column');
    return same('uuid');
  }
  if (columnType === 'uuid') return same('uuid');
  const width = validation?.length ?? validation?.max;
  if (width === 0 && (columnType === 'varchar' || columnType === 'char')) {
    report(`${path}.validation`, 'a varchar or char column has at least one character');
  }
  if (columnType === 'varchar') return sized('character varying', width);
  if (columnType === 'char') return { sqlType: 'bpchar', whole: `character(${width ?? 1})` };
  return same('text');
}

function sized(sqlType: string, width: number | string | undefined): Types {
  return { sqlType, whole: width === undefined ? sqlType : `${sqlType}(${width})` };
}

const numbers: ReadonlyMap<string, Types> = new Map([
  ['serial', { ...same('integer'), identity: true }],
  ['bigserial', { ...same('bigint'), identity: true }],
]);

function numberTypes(definition: PropertyDefinition, { path, isKey }: Place, report: Report): Types {
  const { columnType, precision, scale, isId, validation } = definition;
  const isIncrement = isKey && isId === 'increment';
  const chosen = columnType ?? (isKey || validation?.integer === true ? 'integer' : 'numeric');
  const types = chosen === 'numeric' ? numericTypes(precision, scale) : numbers.get(chosen) ?? same(chosen);
  if (chosen !== 'numeric' && (precision ?? scale) !== undefined) {
    report(`${path}.precision`, `belongs to numeric columns, this is ${chosen}`);
  }
  if (scale !== undefined && scale > (precision ?? -1)) {
    report(`${path}.scale`, precision === undefined ? 'needs precision' : `must not be above precision (${precision})`);
  }
  if (!isIncrement) return types;
  if (!/^(smallint|integer|bigint)$/.test(types.sqlType)) {
    report(`${path}.columnType`, 'isId "increment" makes an integer column; smallint, integer or bigint');
  }
  return { ...types, identity: true };
}

function numericTypes(precision: number | undefined, scale: number | undefined): Types {
  return { sqlType: 'numeric', whole: precision === undefined ? 'numeric' : `numeric(${precision},${scale ?? 0})` };
}

/** Milliseconds: what is shown is what is stored. */
function dateTypes({ mode, columnType, timezone, validation }: PropertyDefinition, { path }: Place, report: Report): Types {
  const chosen = columnType ?? (mode === 'date' ? 'date' : 'timestamp');
  if (chosen === 'date') return same('date');
  if (chosen === 'time') {
    if ((validation?.min ?? validation?.max) !== undefined) {
      report(`${path}.validation`, 'min and max are dates, and a time column holds none');
    }
    return same('time without time zone');
  }
  const sqlType = timezone === false ? 'timestamp without time zone' : 'timestamp with time zone';
  return { sqlType, whole: sqlType.replace('timestamp', 'timestamp(3)') };
}

function arrayTypes({ columnType, of }: PropertyDefinition, { path }: Place, report: Report): Types {
  const natural = of === undefined ? 'jsonb' : nativeArray(of);
  if (columnType === undefined || columnType === natural || columnType.startsWith('json')) return same(columnType ?? natural);
  const fits = natural === 'jsonb' ? of === undefined : natural === 'numeric[]' && columnType === 'integer[]';
  if (!fits) report(`${path}.columnType`, `does not hold what of says; leave it out for ${natural}`);
  return same(columnType);
}

function nativeArray(of: PropertyDefinition): string {
  const type = kindOf(of);
  if (type === 'string') return 'text[]';
  if (type === 'number') return of.validation?.integer === true ? 'integer[]' : 'numeric[]';
  return type === 'boolean' ? 'boolean[]' : 'jsonb';
}

/** A SQL expression may come as the template literal that it is in code. */
function peeled(expression: string): string {
  return /^sql`(.*)`$/s.exec(expression.trim())?.[1] ?? expression;
}

function defaultOf(definition: PropertyDefinition, sqlType: string, { path, isKey }: Place, report: Report): string | null {
  const { isId, autoValue } = definition;
  const isMade = autoValue !== undefined || isKey && typeof isId === 'string' && isId !== 'manual';
  if (isMade && definition.defaultValue !== undefined) {
    report(`${path}.defaultValue`, `stands beside ${autoValue === undefined ? 'isId' : 'autoValue'}, which says the value`);
  }
  if (isKey && isId === 'uuid') return 'gen_random_uuid()';
  if (isKey && typeof isId === 'string' && isId !== 'manual' && isId !== 'increment') return peeled(isId);
  const now = sqlType === 'timestamp with time zone' ? 'now()' : `(now() at time zone 'UTC')`;
  if (autoValue === 'on_create' || autoValue === 'on_update') return now;
  return defaultExpression(definition, sqlType, path, report);
}

/** pgvector builds no index over more. */
const INDEXED_DIMENSIONS = 2000;

function vectorIndex({ index = {}, dimensions = 0 }: PropertyDefinition, path: string, report: Report): VectorIndex | null {
  if (index === false || dimensions > INDEXED_DIMENSIONS) return null;
  const { method = 'hnsw', distance = 'cosine', ...settings } = index;
  const foreign = (method === 'hnsw' ? ['lists'] as const : ['m', 'efConstruction'] as const).filter(key => settings[key] !== undefined);
  for (const key of foreign) report(`${path}.index.${key}`, `${method} has no such setting`);
  const { m, efConstruction } = settings;
  if (m !== undefined && efConstruction !== undefined && efConstruction < 2 * m) {
    report(`${path}.index.efConstruction`, 'must be at least twice m');
  }
  return { method, distance: [distance].flat() as VectorIndex['distance'], ...settings };
}
