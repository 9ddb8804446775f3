import type { Collection, Property, Relation } from '../../../catalog/document.ts';
import type { PropertyAttributes } from '../../../catalog/rows.ts';
import { describe, isFilterable, isNeeded, isReadable, isWritable } from '../openapi/schemas.ts';
import type { Direction } from '../openapi/values.ts';
import type { Named } from './names.ts';
import { bodyText, comment, interfaceText, literal, memberName, objectText, union, type Member } from './text.ts';
import { isExact, kindOf, listOf, OBJECT, valueType } from './values.ts';

type Targets = ReadonlyMap<string, Named>;

/** The declarations of one collection: its enums, its rows, what a create and an update take, and what a client knows of it. */
export function collectionText(named: Named, targets: Targets): string {
  const { collection, stem } = named;
  const isWritten = !collection.readOnly;
  return [
    ...[...named.enums.values()].map(({ name, values }) => `export type ${name} = ${values};\n`),
    interfaceText(generic(stem, rowMembers(named)), rowMembers(named), collection.description),
    ...(isWritten ? [
      bodyText(`${stem}Create`, createMembers(named, targets), `The body of a create of ${collection.slug}.`),
      bodyText(`${stem}Update`, updateMembers(named, targets), `The body of an update of ${collection.slug}.`),
    ] : []),
    interfaceText(generic(`${stem}Collection`, factMembers(named, targets)), factMembers(named, targets)),
  ].join('\n');
}

/** With the type of exact numbers as a parameter, where there are any. */
function generic(name: string, members: readonly Member[]): string {
  return usesDigits(members) ? `${name}<Digits = string>` : name;
}

function usesDigits(members: readonly Member[]): boolean {
  return members.some(({ type }) => /\bDigits\b/.test(type.replaceAll(/'(?:[^'\\]|\\.)*'/g, '')));
}

/** How others refer to the rows, and to the collection. */
export function rowName(named: Named): string {
  return usesDigits(rowMembers(named)) ? `${named.stem}<Digits>` : named.stem;
}

export function collectionName(named: Named, targets: Targets): string {
  return `${named.stem}Collection${usesDigits(factMembers(named, targets)) ? '<Digits>' : ''}`;
}

function rowMembers({ collection, enums }: Named): Member[] {
  return collection.properties.filter(isReadable).map(property => ({
    name: property.name,
    type: orNull(enums.get(property.name)?.name ?? valueType(property, 'read'),
      property.nullable && !collection.key.includes(property.name)),
    optional: property.readRoles !== null,
    comment: describe(property),
  }));
}

/** JSON has null, also where a column takes none: what was read may be written back. */
function orNull(type: string, isNullable: boolean): string {
  return isNullable && !/^Json(Value)?$/.test(type) ? `${type} | null` : type;
}

/** At the top of a column an object with a member like $inc is an operation. */
const COLUMN_TYPES: Record<string, string> = { Json: 'JsonValue', [OBJECT]: 'JsonObject' };

function writeType({ enums }: Named, property: Property): string {
  const type = enums.get(property.name)?.name ?? valueType(property, 'write');
  return orNull(COLUMN_TYPES[type] ?? type, property.nullable);
}

function createMembers(named: Named, targets: Targets): Member[] {
  const { collection } = named;
  const properties = collection.properties.filter(property => isWritable(property) && property.name !== collection.softDelete);
  return [
    ...properties.map(property => ({
      name: property.name,
      type: writeType(named, property),
      optional: !isNeeded(property, collection) || property.writeRoles !== null || property.attributes.tenant === true,
      comment: describe(property, 'write'),
    })),
    ...collection.relations.flatMap(relation => linkMember(relation, targets)),
  ];
}

function updateMembers(named: Named, targets: Targets): Member[] {
  const { collection } = named;
  const isChanged = ({ name, attributes }: Property): boolean => !collection.key.includes(name) && attributes.tenant !== true;
  return [
    ...collection.properties.filter(property => isWritable(property) && isChanged(property)).map(property => ({
      name: property.name,
      type: property.name === collection.softDelete ? 'null' : union([writeType(named, property), ...operationsOf(property)]),
      optional: true,
    })),
    ...collection.relations.flatMap(relation => linkMember(relation, targets)),
  ];
}

/** A result that may not be read must not be told by the bounds of its field, so that such a field takes none. */
function operationsOf(property: Property): string[] {
  if (!isFilterable(property)) return [];
  const type = valueType(property, 'write');
  if (property.type === 'number') return [`{ $inc: ${isExact(property.sqlType) ? 'Exact' : 'number'} }`];
  if (property.type === 'map') return [`{ $merge: ${type === 'Json' ? '{ [key: string]: Json }' : `Partial<${type}>`} }`];
  if (property.type !== 'array') return [];
  // An element that is an array itself is taken for a list of elements, which has to be written as one.
  const { arrayDimensions = 1, of }: Partial<PropertyAttributes> = property.attributes;
  if (arrayDimensions > 1 || of?.type === 'array') return [`{ $push: ${type} }`];
  const element = type.replace(/^readonly (.*)\[\]$/, '$1');
  return [`{ $push: ${element} | ${type} }`, `{ $pull: ${element} | ${type} }`];
}

/** The rows that are to be linked, and no others, where a relation has no column here. */
function linkMember({ name, kind, target, pivotProperties, foreignKey }: Relation, targets: Targets): Member[] {
  const found = targets.get(target);
  if (found === undefined || kind === 'belongsTo' || kind === 'via') return [];
  if (foreignKey !== null && !isMoved(foreignKey, found.collection)) return [];
  const id = idType(found.collection);
  if (kind === 'hasOne') return [{ name, type: `${id} | null`, optional: true }];
  const link = pivotProperties === null ? id : `${id} | { id: ${id}; _pivot?: ${pivotText(pivotProperties, 'write')} }`;
  return [{ name, type: `${listOf(link, 'write')} | null`, optional: true }];
}

/** The columns of a link, each of which a write may leave out. */
function pivotText(properties: NonNullable<Relation['pivotProperties']>, direction: Direction): string {
  return objectText(properties.map(property => ({
    name: property.name, type: orNull(valueType(property, direction), !property.notNull), optional: direction === 'write',
  })));
}

/** Whether a row can be linked by its foreign key. A key does not change. */
function isMoved(foreignKey: readonly string[], { key, properties, readOnly }: Collection): boolean {
  const isOpen = (name: string): boolean => properties.some(property => property.name === name && isWritable(property));
  return !readOnly && foreignKey.every(isOpen) && foreignKey.some(name => !key.includes(name));
}

/** The id of a row where one is sent; of a composite key the list of its parts, in links their text. */
function idType(collection: Collection): string {
  return collection.key.length === 1 ? partsOf(collection).join() : 'string';
}

function idsType(collection: Collection): string {
  return collection.key.length === 1 ? idType(collection) : `readonly [${partsOf(collection).join(', ')}]`;
}

/** The type of each part of the key. A row is text there. */
function partsOf({ key, properties }: Collection): string[] {
  return key.map(name => properties.find(property => property.name === name)).map(part =>
    part === undefined || part.attributes.composite ? 'string' : valueType(part, 'write'));
}

/** The members from which a client derives its types. */
function factMembers(named: Named, targets: Targets): Member[] {
  const { collection, stem } = named;
  const names = (list: readonly { name: string }[]): string => union(list.map(({ name }) => literal(name)));
  const readable = collection.properties.filter(isReadable);
  const written = (kind: string): string => collection.readOnly ? 'never' : stem + kind;
  return [
    { name: 'row', type: rowName(named) },
    { name: 'create', type: written('Create') },
    { name: 'update', type: written('Update') },
    { name: 'id', type: idsType(collection) },
    { name: 'key', type: union(collection.key.map(literal)) },
    { name: 'fields', type: objectText(readable.filter(isFilterable).map(property =>
      ({ name: property.name, type: literal(kindOf(property)) }))) },
    { name: 'relations', type: objectText(collection.relations.flatMap(relation => relationMember(relation, targets))) },
    { name: 'computed', type: names(readable.filter(property => collection.readOnly || !isWritable(property))) },
    { name: 'files', type: names(readable.filter(({ attributes }) => 'storage' in attributes)) },
    { name: 'search', type: String(collection.search !== null) },
    { name: 'history', type: String(collection.history) },
    { name: 'softDelete', type: String(collection.softDelete !== null) },
  ];
}

function relationMember(relation: Relation, targets: Targets): Member[] {
  const { name, kind, single, required, target, pivotProperties, foreignKey } = relation;
  const found = targets.get(target);
  if (found === undefined) return [];
  // A row that row security hides, or that was deleted softly, stays out of sight, whatever refers to it.
  const as = !single ? 'many' : required && found.isOpen ? 'one' : 'maybe';
  return [{ name, type: objectText([
    { name: 'to', type: literal(target) }, { name: 'as', type: literal(as) },
    ...(kind === 'hasMany' ? [{ name: 'by', type: union((foreignKey ?? []).map(literal)) }] : []),
    ...(kind === 'via' ? [{ name: 'via', type: 'true' }] : []),
    ...(pivotProperties === null ? [] : [
      { name: 'pivot', type: pivotText(pivotProperties, 'read') }, { name: 'link', type: pivotText(pivotProperties, 'write') },
    ]),
  ]) }];
}

/** `slug: Collection;` with what the collection is about. */
export function collectionMember(named: Named, targets: Targets): string {
  const { collection: { slug, description } } = named;
  return `${comment(description, '    ')}    ${memberName(slug)}: ${collectionName(named, targets)};\n`;
}
