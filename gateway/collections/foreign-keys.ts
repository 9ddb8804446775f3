import { type PropertyRow } from '../catalog/rows.ts';
import { type Report } from './definition.ts';
import { type Link, rowOfColumn } from './links.ts';
import { accessOf, type Model } from './model.ts';
import { camelCase } from './names.ts';

type KeyType = Pick<PropertyRow, 'type' | 'sql_type'> & { whole: string };

/** Adds the columns of the links to their collections: of the type of what they lead to, under the column's wire name. */
export function addForeignKeys(links: Link[], report: Report): void {
  for (const link of links) {
    link.model.foreignKeys.set(link.name, link.column);
    const type = typeOfTarget(link, links, report);
    const own = rowOfColumn(link.model, link.column);
    if (own === undefined) add(link, type, report);
    else adopt(link, own, type, report);
  }
}

function typeOfTarget(link: Link, links: Link[], report: Report): KeyType {
  const seen = new Set<Link>();
  for (let at: Link | undefined = link; at !== undefined;) {
    if (seen.has(at)) {
      report(link.path, `${link.target.slug} takes its key from here, so neither has a type`);
      break;
    }
    seen.add(at);
    const column: string | undefined = at.targetColumn ?? keyColumn(at.target, links);
    const target: Model = at.target;
    const row = column === undefined ? undefined : rowOfColumn(target, column);
    if (row !== undefined) return { type: row.type, sql_type: row.sql_type, whole: row.attributes.column.type };
    at = links.find(({ model, column: own }) => model === target && own === column);
  }
  return { type: 'string', sql_type: 'text', whole: 'text' };
}

/** The column of a collection's key, before its foreign keys have rows. */
export function keyColumn(model: Model, links: Link[]): string | undefined {
  return [...model.properties.values()].find(({ attributes }) => attributes.isId !== undefined)?.column_name
    ?? links.find(link => link.model === model && link.isId)?.column;
}

function add(link: Link, { type, sql_type, whole }: KeyType, report: Report): void {
  const { model, column, property, validation, isId, position } = link;
  const name = camelCase(column);
  const taken = model.properties.get(name);
  if (taken !== undefined) {
    return report(link.path, `its column ${column} is named ${name} in the API, and so is the property of column ${taken.column_name}`);
  }
  const { name: label, description } = property;
  const access = accessOf(property, link.propertyPath, report);
  const required = validation.required === true;
  model.properties.set(name, {
    collection: model.slug,
    name,
    column_name: column,
    position,
    type,
    sql_type,
    not_null: isId || required,
    required: required && !isId && access.write_roles?.length !== 0,
    generated: false,
    ...access,
    attributes: {
      ...(label !== undefined && { label }),
      ...(description !== undefined && { description }),
      ...(Object.keys(validation).length > 0 && { validation: { ...validation } }),
      ...(validation.requiredMessage !== undefined && { requiredMessage: validation.requiredMessage }),
      ...(isId && { isId: true }),
      column: { type: whole, default: null, identity: false, unique: validation.unique === true, stamp: null, enumType: null, index: null },
    },
  });
}

/** The property that declares the column keeps it; the relation adds the constraint. */
function adopt(link: Link, own: PropertyRow, { sql_type }: KeyType, report: Report): void {
  const { path, propertyPath, property, validation } = link;
  if (!areComparable(own.sql_type, sql_type)) {
    report(path, `its column ${own.column_name} is ${own.sql_type}, what it leads to is ${sql_type}`);
  }
  if (property.access !== undefined || property.excludeFromApi !== undefined) {
    report(`${propertyPath}.access`, `belongs to the property ${own.name}, which has the column`);
  }
  if (validation.required === true) {
    own.not_null = true;
    own.required = own.attributes.column.default === null && own.attributes.isId === undefined && own.write_roles?.length !== 0;
  }
  if (validation.unique === true) own.attributes.column.unique = true;
}

const families = [/^(smallint|integer|bigint)$/, /^(text|character varying|bpchar)$/];

function areComparable(one: string, other: string): boolean {
  return one === other || families.some(family => family.test(one) && family.test(other));
}
