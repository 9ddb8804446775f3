import { type PropertyRow } from '../catalog/rows.ts';
import { valueAttributes } from './attributes.ts';
import { columnOf } from './columns.ts';
import { kindOf, type Definition, type PropertyDefinition, type Report } from './definition.ts';
import { camelCase, singular, snakeCase } from './names.ts';
import { refuseOfProperty } from './not-built.ts';

/** A collection on the way to its rows. */
export type Model = {
  slug: string;
  /** What stands before a problem: the slug. */
  path: string;
  definition: Definition;
  schema: string;
  table: string;
  /** The columns by wire name: first what the file declares, then the foreign keys of its relations. */
  properties: Map<string, PropertyRow>;
  /** The columns of its belongsTo relations, by their names. */
  foreignKeys: Map<string, string>;
  /** Names of properties that are wrong in themselves, so that nothing else is said of them. */
  broken: ReadonlySet<string>;
  /** Where a property stands in the file. */
  positions: ReadonlyMap<string, number>;
};

export function modelOf(definition: Definition, broken: ReadonlySet<string>, slugs: ReadonlySet<string>, report: Report): Model {
  const declared = withKey(definition);
  const names = Object.keys(declared);
  const model: Model = {
    slug: definition.slug,
    path: definition.slug,
    definition: { ...definition, properties: declared },
    schema: definition.schema ?? 'public',
    table: definition.table ?? snakeCase(definition.slug),
    properties: new Map(),
    foreignKeys: new Map(),
    broken,
    positions: new Map(names.map((name, i) => [name, i + 1])),
  };
  checkKeys(model, report);
  for (const [name, property] of Object.entries(declared)) {
    refuseOfProperty(`${model.path}.properties.${name}`, property, report);
    if (!isLink(property, slugs)) model.properties.set(name, declaredRow(model, name, property, report));
  }
  return model;
}

/** Whether it leads to another collection, by a column here or elsewhere. A reference to nowhere is plain text. */
export function isLink(property: PropertyDefinition, slugs: ReadonlySet<string>): boolean {
  return kindOf(property) === 'relation' || kindOf(property) === 'reference' && slugs.has(property.path ?? '');
}

/** Of a belongsTo it is known by the relation's name too. */
export function columnOfProperty({ properties, foreignKeys }: Model, name: string): string | undefined {
  return properties.get(name)?.column_name ?? foreignKeys.get(name);
}

const isKey = ({ isId }: PropertyDefinition): boolean => isId !== undefined && isId !== false;

/** Without a key of its own the collection gets one. */
function withKey({ properties = {} }: Definition): Record<string, PropertyDefinition> {
  if (Object.values(properties).some(isKey)) return properties;
  const { id } = properties;
  if (id !== undefined) return { ...properties, id: { ...id, isId: true } };
  return { id: { type: 'string', isId: 'gen_random_uuid()::text' }, ...properties };
}

function checkKeys({ path, definition: { properties = {} }, broken }: Model, report: Report): void {
  const keys = Object.entries(properties).filter(([name, property]) => isKey(property) && !broken.has(name));
  for (const [name, property] of keys) {
    const at = `${path}.properties.${name}`;
    const kind = kindOf(property);
    if (!['string', 'number', 'relation', 'reference'].includes(kind)) report(`${at}.type`, `a ${kind} cannot be a key`);
    if (property.isId === 'cuid') report(`${at}.isId`, '"cuid" is not made by PostgreSQL; "uuid", "increment" and "manual" are');
    if (property.isId === 'uuid' && kind !== 'string') report(`${at}.isId`, '"uuid" is for strings');
    if (property.isId === 'increment' && kind !== 'number') report(`${at}.isId`, '"increment" is for numbers');
    const closing = property.excludeFromApi === true ? 'excludeFromApi' : property.access?.read !== undefined ? 'access' : undefined;
    if (closing !== undefined) report(`${at}.${closing}`, 'the key stands in every address, so everyone may read it');
  }
  const [, ...more] = keys;
  for (const [name] of more) {
    report(`${path}.properties.${name}.isId`, `a second key beside ${keys[0]?.[0] ?? ''}; a unique index can hold it`);
  }
}

function declaredRow(model: Model, name: string, property: PropertyDefinition, report: Report): PropertyRow {
  const path = `${model.path}.properties.${name}`;
  const isReference = kindOf(property) === 'reference';
  const columnName = property.columnName ?? (isReference ? `${snakeCase(singular(name))}_id` : snakeCase(name));
  const { slug, table, schema, positions } = model;
  const place = { name: isReference ? camelCase(columnName) : name, columnName, path, table, schema, isKey: isKey(property) };
  const row = columnRow(isReference ? { ...property, type: 'string' } : property, place, report);
  return { ...row, collection: slug, position: positions.get(name) ?? 0 };
}

export type ColumnPlace = {
  name: string;
  columnName: string;
  path: string;
  table: string;
  schema: string;
  isKey: boolean;
  /** Why the parts of a map can have no defaults there. */
  unfilled?: string;
};
type ColumnRow = Omit<PropertyRow, 'collection' | 'position'>;

/** A column with the rules of its property, of a collection or of a junction. */
export function columnRow(definition: PropertyDefinition, place: ColumnPlace, report: Report): ColumnRow {
  const { name, columnName, path, table, schema, isKey, unfilled } = place;
  const { type, sqlType, column } = columnOf(definition, { path, schema, enumType: `${table}_${columnName}`, isKey }, report);
  const { isId, autoValue, defaultValue, dimensions } = definition;
  const width = type === 'string' ? definition.validation?.max ?? (column.type === 'character(1)' ? 1 : undefined) : undefined;
  const attributes = {
    ...valueAttributes(definition, path, report, unfilled),
    ...(typeof width === 'number' && { maxLength: width }),
    ...(isKey && { isId: typeof isId === 'string' && isId !== 'manual' ? isId : true as const }),
    ...(autoValue !== undefined && { autoValue }),
    ...(defaultValue !== undefined && { defaultValue }),
    ...(dimensions !== undefined && { dimensions }),
    column,
  };
  const required = definition.validation?.required === true;
  const isMade = isKey || column.default !== null || column.identity || autoValue !== undefined;
  const access = accessOf(definition, path, report);
  return {
    name,
    column_name: columnName,
    type,
    sql_type: sqlType,
    not_null: isKey || required,
    required: required && !isMade && access.write_roles?.length !== 0,
    generated: false,
    ...access,
    attributes,
  };
}

export type Access = Pick<PropertyRow, 'excluded' | 'read_roles' | 'write_roles'>;

export function accessOf({ access, excludeFromApi }: PropertyDefinition, path: string, report: Report): Access {
  if (excludeFromApi !== undefined && access !== undefined) report(`${path}.access`, 'stands beside excludeFromApi; one of them');
  if (excludeFromApi === true) return { excluded: true, read_roles: [], write_roles: [] };
  return { excluded: false, read_roles: access?.read ?? null, write_roles: access?.write ?? null };
}
