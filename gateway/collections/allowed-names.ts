import { type CatalogRows, type PropertyRow, type RelationRow } from '../catalog/rows.ts';
import { type Report } from './definition.ts';
import { type Model } from './model.ts';
import { byteLength, IDENTIFIER_BYTES } from './names.ts';

/** Words that stand in a path or a row in the place of a name. */
const RESERVED_SLUGS = new Set(['collections', '_batch', 'undefined']);
export const RESERVED_RELATIONS = new Set(['bulk', 'count', 'aggregate', 'history']);
const RESERVED_PROPERTIES = new Set(['_pivot', '_score', '_distance', '_matches']);
const RESERVED_SCHEMAS = /^(pg_.*|information_schema|service)$/;
export const SYSTEM_COLUMNS = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']);

/** What no name in a query can hold: it is how the grammar tells names apart. */
const UNASKABLE = /[.,:()*\p{Cc}]|->|^\s|\s$/u;

/** Everything that would be made must have a name of its own, one that PostgreSQL takes whole and a query can say. */
export function checkNames({ properties, relations }: CatalogRows, models: ReadonlyMap<string, Model>, report: Report): void {
  for (const model of models.values()) {
    checkCollection(model, report);
    const own = (row: { collection: string }) => row.collection === model.slug;
    checkProperties(model, properties.filter(own), report);
    checkRelations(model, relations.filter(own), properties.filter(own), report);
  }
  checkTables(models, properties, relations, report);
}

function checkCollection({ slug, path, schema, table }: Model, report: Report): void {
  if (RESERVED_SLUGS.has(slug)) report(`${path}.slug`, `${slug} is the name of a route`);
  if (RESERVED_SCHEMAS.test(schema)) report(`${path}.schema`, `${schema} is not for tables of a project`);
  checkLength(`${path}.schema`, schema, 'the schema', report);
  checkLength(`${path}.table`, table, 'the table', report);
}

function checkProperties(model: Model, rows: PropertyRow[], report: Report): void {
  const columns = new Map<string, string>();
  for (const { name, column_name: column, attributes } of rows) {
    const path = `${model.path}.properties.${name}`;
    checkWord(path, name, report);
    checkLength(path, name, 'the name', report);
    checkLength(`${path}.columnName`, column, 'the column', report);
    if (RESERVED_PROPERTIES.has(name)) report(path, `${name} has a meaning of its own in rows`);
    if (SYSTEM_COLUMNS.has(column)) report(`${path}.columnName`, `${column} is a system column of every table`);
    if (columns.has(column)) report(`${path}.columnName`, `${column} is the column of ${columns.get(column) ?? ''} too`);
    columns.set(column, name);
    if (attributes.column.enumType !== null) checkLength(path, attributes.column.enumType.name, 'the enum type', report);
  }
}

function checkRelations(model: Model, rows: RelationRow[], properties: PropertyRow[], report: Report): void {
  const seen = new Set<string>();
  for (const { name, kind, local_columns: columns, pivot } of rows) {
    const isProperty = Object.hasOwn(model.definition.properties ?? {}, name);
    const path = isProperty ? `${model.path}.properties.${name}` : `${model.path}.relations (${name})`;
    checkWord(path, name, report);
    checkLength(path, name, 'the name', report);
    if (RESERVED_RELATIONS.has(name)) report(path, `${name} is the name of a route`);
    if (RESERVED_PROPERTIES.has(name)) report(path, `${name} has a meaning of its own in rows`);
    if (seen.has(name)) report(path, `two relations are named ${name}`);
    seen.add(name);
    const property = properties.find(other => other.name === name);
    const isForeignKey = property !== undefined && kind === 'belongsTo' && columns.includes(property.column_name);
    if (property !== undefined && !isForeignKey) report(path, `a property is named ${name} too`);
    checkPivot(path, pivot ?? [], report);
  }
}

function checkPivot(path: string, pivot: NonNullable<RelationRow['pivot']>, report: Report): void {
  const columns = new Set<string>();
  for (const { name, columnName, attributes } of pivot) {
    const at = `${path}.through.properties.${name}`;
    checkWord(at, name, report);
    checkLength(at, name, 'the name', report);
    checkLength(at, columnName, 'the column', report);
    if (SYSTEM_COLUMNS.has(columnName)) report(at, `${columnName} is a system column of every table`);
    if (columns.has(columnName)) report(at, `two properties have the column ${columnName}`);
    columns.add(columnName);
    if (attributes.column.enumType !== null) checkLength(at, attributes.column.enumType.name, 'the enum type', report);
  }
}

/** Tables, types and indexes of a schema share one space of names. */
function checkTables(models: ReadonlyMap<string, Model>, properties: PropertyRow[], relations: RelationRow[], report: Report): void {
  const names = new Map<string, string>();
  const claim = (path: string, schema: string, name: string, what: string) => {
    const whole = `${schema}.${name}`;
    const owner = names.get(whole);
    if (owner === undefined) names.set(whole, what);
    else if (owner !== what) report(path, `${whole} would be ${what}, and is ${owner}`);
  };
  for (const { path, schema, table, slug } of models.values()) claim(path, schema, table, `the table of ${slug}`);
  for (const { kind, collection, name, junction_schema: schema, junction_table: table, ...row } of relations) {
    if (kind !== 'manyToMany' || schema === null || table === null) continue;
    const path = `${collection}.${name}.through`;
    checkLength(path, table, 'the junction table', report);
    for (const column of [...row.junction_source ?? [], ...row.junction_target ?? []]) checkLength(path, column, 'the column', report);
    claim(path, schema, table, `the junction table ${table}`);
  }
  for (const { collection, name, column_name: column, attributes: { column: { unique, enumType } } } of properties) {
    const model = models.get(collection);
    if (model === undefined) continue;
    const path = `${model.path}.properties.${name}`;
    if (enumType !== null) claim(path, enumType.schema, enumType.name, `the enum type of ${collection}.${name}`);
    if (unique) claim(path, model.schema, `${model.table}_${column}_key`, `the unique index of ${collection}.${name}`);
  }
}

function checkWord(path: string, name: string, report: Report): void {
  const never = 'no dot, comma, colon, parenthesis, asterisk, "->", control character or blank at the ends';
  if (name === '') report(path, 'a name must not be empty');
  else if (UNASKABLE.test(name)) report(path, `a query cannot name ${JSON.stringify(name)}: ${never}`);
}

export function checkLength(path: string, name: string, what: string, report: Report): void {
  if (byteLength(name) <= IDENTIFIER_BYTES) return;
  report(path, `${what} ${name} is longer than the ${IDENTIFIER_BYTES} bytes of a name in PostgreSQL`);
}
