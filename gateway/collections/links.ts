import { type ForeignKeyAction, type PropertyRow } from '../catalog/rows.ts';
import { kindOf, type PropertyDefinition, type RelationDefinition, type Report, type Validation } from './definition.ts';
import { isLink, type Model } from './model.ts';
import { singular, snakeCase } from './names.ts';

/** A relation as it is declared, whether by a property or by an entry of `relations`. */
export type Declared = {
  model: Model;
  name: string;
  /** Where the relation stands; that of its property may be outside. */
  path: string;
  propertyPath: string;
  position: number;
  relation: RelationDefinition;
  target: Model;
  /** The property that declares it; its labels and access lists are those of the foreign key. */
  property: PropertyDefinition;
  validation: Validation;
  isId: boolean;
};

/** A foreign key: of a belongsTo, or of a hasOne or hasMany whose target declares no way back. */
export type Link = Omit<Declared, 'relation'> & {
  column: string;
  /** The column that it leads to; undefined: the target's key. */
  targetColumn: string | undefined;
  onDelete: ForeignKeyAction | undefined;
  onUpdate: ForeignKeyAction | undefined;
};

/** Every relation that a collection declares and whose target is known. */
export function declaredRelations(
  model: Model, models: ReadonlyMap<string, Model>, unreadable: ReadonlySet<string>, report: Report,
): Declared[] {
  const { definition: { properties = {}, relations = [] }, path } = model;
  const entries = relations.flatMap((relation, i) =>
    relation === null ? [] : [{ relation, name: relation.relationName ?? slugOf(relation), path: `${path}.relations[${i}]` }]);
  const slugs = new Set(models.keys());
  const standIns = new Set<string>();
  const links = Object.entries(properties).filter(([name, property]) => isLink(property, slugs) && !model.broken.has(name));
  const ofProperties = links.flatMap(([name, property]) => {
    const propertyPath = `${path}.properties.${name}`;
    const { relationName } = property;
    const entry = property.relation === undefined ? entries.find(({ name: entryName }) => entryName === relationName) : undefined;
    if (entry !== undefined) standIns.add(entry.path);
    const relation = kindOf(property) === 'reference' ? referenceRelation(property) : property.relation ?? entry?.relation;
    const at = relation === property.relation ? `${propertyPath}.relation` : propertyPath;
    if (relation !== undefined) return [{ name, at, relation, property, propertyPath }];
    const named = relationName !== undefined;
    report(propertyPath, named ? `there is no ${relationName} among relations` : 'names no relation: it needs relation or relationName');
    return [];
  });
  const ofEntries = entries.filter(entry => !standIns.has(entry.path)).map(({ name, path: at, relation }) => {
    const property: PropertyDefinition = { type: 'relation', relation };
    return { name, at, relation, property, propertyPath: at };
  });
  return [...ofProperties, ...ofEntries].flatMap(({ name, at, relation, property, propertyPath }) => {
    const target = models.get(slugOf(relation));
    if (target === undefined) {
      if (!unreadable.has(slugOf(relation))) report(at, `there is no collection ${JSON.stringify(slugOf(relation))}`);
      return [];
    }
    const { isId, validation } = property;
    return [{
      model, name, path: at, propertyPath, relation, target, property,
      position: model.positions.get(name) ?? model.positions.size + 1 + entries.findIndex(entry => entry.path === at),
      validation: { ...relation.validation, ...validation },
      isId: isId !== undefined && isId !== false,
    }];
  });
}

function slugOf({ target }: RelationDefinition): string {
  return typeof target === 'string' ? target : target.__collectionRef;
}

function referenceRelation({ path = '', onDelete, onUpdate, columnName }: PropertyDefinition): RelationDefinition {
  return {
    kind: 'belongsTo',
    target: path,
    ...(onDelete !== undefined && { onDelete }),
    ...(onUpdate !== undefined && { onUpdate }),
    ...(columnName !== undefined && { localKey: columnName }),
  };
}

/** `author` is `author_id`, `tags` is `tag_id`. */
export function keyColumnFor(name: string): string {
  return `${snakeCase(singular(name))}_id`;
}

/** A column may also be named by its property. */
export function columnNamed(model: Model, name: string): string {
  const properties = [...model.properties.values()];
  return (properties.find(({ column_name }) => column_name === name) ?? model.properties.get(name))?.column_name ?? name;
}

export function linkOf(declared: Declared, report: Report): Link {
  const { model, name, path, property, relation } = declared;
  const { localKey } = relation;
  const { columnName } = property;
  if (localKey !== undefined && columnName !== undefined && localKey !== columnName) {
    report(`${path}.localKey`, `differs from columnName (${columnName})`);
  }
  const column = columnNamed(model, localKey ?? columnName ?? keyColumnFor(name));
  return { ...declared, column, targetColumn: undefined, ...actionsOf(relation) };
}

/** What a relation says of its foreign key. */
export function actionsOf({ onDelete, onUpdate }: RelationDefinition): Pick<Link, 'onDelete' | 'onUpdate'> {
  return { onDelete: onDelete as ForeignKeyAction | undefined, onUpdate: onUpdate as ForeignKeyAction | undefined };
}

export function rowOfColumn(model: Model, column: string): PropertyRow | undefined {
  return [...model.properties.values()].find(({ column_name }) => column_name === column);
}
