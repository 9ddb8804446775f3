import { type PivotProperty, type RelationRow } from '../catalog/rows.ts';
import { RESERVED_RELATIONS } from './allowed-names.ts';
import { type Report } from './definition.ts';
import { addForeignKeys, keyColumn } from './foreign-keys.ts';
import { actionsOf, columnNamed, declaredRelations, keyColumnFor, linkOf, rowOfColumn, type Declared, type Link } from './links.ts';
import { type Model } from './model.ts';
import { camelCase } from './names.ts';
import { pivotOf } from './pivot.ts';
import { keepTenants } from './tenants.ts';
import { viaRelation } from './via.ts';

/** Every relation of every collection as rows; the foreign keys are added to the properties of their collections. */
export function relateAll(models: ReadonlyMap<string, Model>, unreadable: ReadonlySet<string>, report: Report): RelationRow[] {
  const declared = [...models.values()].flatMap(model => declaredRelations(model, models, unreadable, report));
  for (const relation of declared) checkDeclared(relation, report);
  const ofKind = (...kinds: string[]) => declared.filter(({ relation: { kind } }) => kinds.includes(kind));
  const links = ofKind('belongsTo').map(relation => linkOf(relation, report));
  const inverses = ofKind('hasOne', 'hasMany').map(relation => ({ relation, link: wayBack(relation, links, report) }));
  addForeignKeys(links, report);
  const overJunctions = manyToMany(ofKind('manyToMany'), links, report);
  for (const model of models.values()) keepTenants(model, models, unreadable, report);
  return [
    ...links.map(link => belongsTo(link, links)),
    ...inverses.map(({ relation, link }) => inverse(relation, link, links)),
    ...overJunctions,
    ...ofKind('via').flatMap(relation => viaRelation(relation, models, overJunctions, report)),
  ];
}

function checkDeclared({ propertyPath, property, relation, validation, isId, model }: Declared, report: Report): void {
  if (property.defaultValue !== undefined) report(`${propertyPath}.defaultValue`, 'a relation has no default');
  if (relation.kind === 'belongsTo') return;
  if (isId) report(`${propertyPath}.isId`, `only a belongsTo has a column in ${model.slug}`);
  if (property.columnName !== undefined) report(`${propertyPath}.columnName`, `only a belongsTo has a column in ${model.slug}`);
  if (Object.keys(validation).length > 0) report(`${propertyPath}.validation`, `only a belongsTo has a column in ${model.slug}`);
  if (property.access !== undefined || property.excludeFromApi !== undefined) {
    report(`${propertyPath}.access`, `only a belongsTo has a column in ${model.slug}; declare access lists where the foreign key is`);
  }
}

/** The foreign key of a hasOne or hasMany: the belongsTo of the target on that column, which is made when it is not declared. */
function wayBack({ model, relation, target, path }: Declared, links: Link[], report: Report): Link {
  const column = columnNamed(target, relation.foreignKeyOnTarget ?? keyColumnFor(model.slug));
  const source = relation.sourceKey === undefined ? undefined : columnNamed(model, relation.sourceKey);
  checkSource(model, source, path, report);
  const targetColumn = source === undefined || rowOfColumn(model, source)?.attributes.isId !== undefined ? undefined : source;
  const found = links.find(link => link.model === target && link.column === column);
  if (found !== undefined) {
    if (found.target !== model) report(path, `${target.slug}.${column} leads to ${found.target.slug}`);
    if (found.targetColumn !== targetColumn) {
      report(path, `${target.slug}.${column} leads to ${found.targetColumn ?? 'the key'}, not to ${targetColumn ?? 'the key'}`);
    }
    for (const action of ['onDelete', 'onUpdate'] as const) {
      const [own, others] = [actionsOf(relation)[action], found[action]];
      if (own !== undefined && others !== undefined && own !== others) report(`${path}.${action}`, `${found.path} says ${others}`);
      found[action] = others ?? own;
    }
    return found;
  }
  const made: Link = {
    model: target, target: model, column, targetColumn, path: `${path} (as ${target.slug}.${column})`, propertyPath: path,
    name: unusedName(target, camelCase(column.replace(/_id$/, '')), links), position: target.positions.size + 1 + links.length,
    property: { type: 'relation' }, validation: relation.kind === 'hasOne' ? { unique: true } : {}, isId: false,
    ...actionsOf(relation),
  };
  links.push(made);
  return made;
}

function checkSource(model: Model, source: string | undefined, path: string, report: Report): void {
  if (source === undefined) return;
  const row = rowOfColumn(model, source);
  if (row === undefined) report(`${path}.sourceKey`, `${model.slug} has no column ${source}`);
  else if (row.attributes.isId === undefined && !row.attributes.column.unique) report(`${path}.sourceKey`, `${row.name} is not unique`);
}

function unusedName(model: Model, wanted: string, links: Link[]): string {
  const { properties = {}, relations = [] } = model.definition;
  const ofLinks = links.filter(link => link.model === model).map(({ name }) => name);
  const taken = new Set([...RESERVED_RELATIONS, ...Object.keys(properties), ...relations.map(entry => entry?.relationName), ...ofLinks]);
  for (let name = wanted, n = 2; ; name = `${wanted}_${n++}`) {
    if (!taken.has(name)) return name;
  }
}

const noJunction = { junction_schema: null, junction_table: null, junction_source: null, junction_target: null, pivot: null, via: null };

function belongsTo({ model, name, target, column, targetColumn, validation, isId, onDelete, onUpdate }: Link, links: Link[]): RelationRow {
  return {
    collection: model.slug, name, kind: 'belongsTo', target: target.slug,
    local_columns: [column], target_columns: [targetColumn ?? keyColumn(target, links) ?? 'id'], ...noJunction,
    on_delete: onDelete ?? (isId || validation.required === true || rowOfColumn(model, column)?.not_null ? 'restrict' : 'set null'),
    on_update: onUpdate ?? null,
  };
}

function inverse({ model, name, relation, target }: Declared, { column, targetColumn }: Link, links: Link[]): RelationRow {
  return {
    collection: model.slug, name, kind: relation.kind, target: target.slug,
    local_columns: [targetColumn ?? keyColumn(model, links) ?? 'id'], target_columns: [column],
    ...noJunction, on_delete: null, on_update: null,
  };
}

/** Junctions stand in one schema, wherever the tables are that they join. */
const JUNCTION_SCHEMA = 'public';

function manyToMany(declared: Declared[], links: Link[], report: Report): RelationRow[] {
  const rows = declared.map(({ model, name, path, relation, target }) => {
    const { table, sourceColumn, targetColumn, properties } = relation.through ?? {};
    const junction = table ?? [model.table, target.table].sort().join('_');
    const pivotPlace = { path: `${path}.through.properties`, table: junction, schema: JUNCTION_SCHEMA };
    const row: RelationRow = {
      collection: model.slug, name, kind: 'manyToMany', target: target.slug,
      local_columns: [keyColumn(model, links) ?? 'id'], target_columns: [keyColumn(target, links) ?? 'id'],
      junction_schema: JUNCTION_SCHEMA, junction_table: junction,
      junction_source: [sourceColumn ?? keyColumnFor(model.slug)],
      junction_target: [targetColumn ?? keyColumnFor(model === target ? name : target.slug)],
      pivot: properties === undefined ? null : pivotOf(properties, pivotPlace, report),
      on_delete: actionsOf(relation).onDelete ?? null,
      on_update: actionsOf(relation).onUpdate ?? null,
      via: null,
    };
    return { row, path };
  });
  for (const group of Map.groupBy(rows, ({ row }) => row.junction_table).values()) agree(group, report);
  return rows.map(({ row }) => row);
}

/** What several relations say of one junction table. The first that says what a deleted row or a changed key does decides. */
function agree(group: { row: RelationRow; path: string }[], report: Report): void {
  const [first] = group;
  const onDelete = group.find(({ row }) => row.on_delete !== null)?.row.on_delete ?? 'cascade';
  const onUpdate = group.find(({ row }) => row.on_update !== null)?.row.on_update ?? null;
  const columns: PivotProperty[] = [];
  for (const [i, { row, path }] of group.entries()) {
    row.on_delete = onDelete;
    row.on_update = onUpdate;
    const [source, target] = [row.junction_source?.[0], row.junction_target?.[0]];
    const shared = `its junction ${row.junction_table ?? ''} is also that of`;
    if (source === target) report(path, `both columns of the junction are named ${source ?? ''}; name them in through`);
    for (const [key, action] of Object.entries({ onDelete, onUpdate })) {
      if (action === 'set null') report(`${path}.${key}`, 'the columns of a junction are its key and cannot be null');
    }
    if (first !== undefined && ends(row) !== ends(first.row)) {
      report(path, `${shared} ${first.path}, with other columns; name another table in through`);
    }
    if (group.slice(0, i).some(other => sameWay(other.row, row))) {
      report(path, `${shared} another relation of the same direction; name another table in through`);
    }
    for (const property of row.pivot ?? []) {
      const at = `${path}.through.properties.${property.name}`;
      if ([source, target].includes(property.columnName)) report(at, `${property.columnName} is a key column of the junction`);
      const other = columns.find(({ columnName }) => columnName === property.columnName);
      if (other === undefined) columns.push(property);
      else if (!isSameColumn(other, property)) report(at, 'another relation declares this column otherwise');
    }
  }
}

function isSameColumn(one: PivotProperty, other: PivotProperty): boolean {
  return one.attributes.column.type === other.attributes.column.type && one.notNull === other.notNull;
}

function ends({ collection, target, junction_source, junction_target }: RelationRow): string {
  return JSON.stringify([[collection, junction_source], [target, junction_target]].map(end => JSON.stringify(end)).sort());
}

function sameWay(one: RelationRow, other: RelationRow): boolean {
  return one.collection === other.collection && one.target === other.target && one.junction_source?.[0] === other.junction_source?.[0];
}
