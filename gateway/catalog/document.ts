import type { ReadShape } from '../grammar/read/shape.ts';

/** The result of `service_private.catalog_document()`: everything that is served, without columns that are kept out of the API. */
export type CatalogDocument = {
  /** Moves with every change of the catalog. */
  version: number;
  /** `v1:` and 16 hex digits. The same text stands for the same collections. */
  schemaVersion: string;
  /** Every role that some property or part of one is limited to, or that is bound to no tenant. */
  restrictingRoles: string[];
  /** Columns whose names hold `->`, which elsewhere leads into JSON; the longest first. */
  arrowNames: string[];
  /**
   * Names of parts that are closed to some roles: a path into JSON that contains one has them in the statement instead of in parameters.
   */
  partNames: string[];
  collections: Collection[];
};

export type Collection = {
  slug: string;
  /** Label of the whole: "Order items". */
  name: string;
  /** Label of one row: "Order item". */
  singularName: string;
  description: string | null;
  /** Property names of the primary key, in order. */
  key: string[];
  /** A view, or a table that the API may not write. */
  readOnly: boolean;
  /** Whether the history of its rows is kept. */
  history: boolean;
  /** The property that says when a row was deleted; null: deleted rows are gone. */
  softDelete: string | null;
  /** Its rows are the accounts of people. */
  accounts: boolean;
  /** How many names a body can hold: two of each column, one of each relation. */
  bodyNames: number;
  /** A caller without one of these roles sees no row; null: the rules tell no such roles. */
  readers: string[] | null;
  schema: string;
  table: string;
  /** The fields of a ranked search; null where a search is for substrings. */
  search: { fields: string[]; hybrid: boolean; fuzzy: boolean } | null;
  properties: Property[];
  relations: Relation[];
};

export type Property = {
  /** The wire name. */
  name: string;
  type: PropertyType;
  /** As PostgreSQL spells it, without length: `timestamp with time zone`, `text[]`. */
  sqlType: string;
  nullable: boolean;
  /** A create must send it: NOT NULL without a default. */
  required: boolean;
  /** The database alone writes it. */
  generated: boolean;
  /** Null: every role; empty: none. */
  readRoles: string[] | null;
  writeRoles: string[] | null;
  attributes: Attributes;
};
export type PropertyType = 'string' | 'number' | 'boolean' | 'date' | 'array' | 'map' | 'geopoint' | 'vector' | 'binary';
export type Attributes = {
  description?: string;
  enum?: (string | number)[];
  /** The values of the elements of an array column. */
  elementEnum?: string[];
  /** A value, or an element of an array, is a row: an object in JSON. */
  composite?: true;
  maxLength?: number;
  format?: string;
  /** For a vector. */
  dimensions?: number;
  /** afterRead shows something else in its place; rows cannot be found, sorted or joined by it. */
  masked?: true;
  /** The tenant of the row: put there on create, and never changed. */
  tenant?: true;
  /** On a key: `uuid`, `increment`, or true for one that the caller supplies. */
  isId?: string | true;
};

/** `pivot` names what a junction says of a link besides its two ends; null where it says nothing. `single`: to one row. */
export type Relation = {
  name: string;
  kind: RelationKind;
  target: string;
  single: boolean;
  pivot: string[] | null;
  /** A belongsTo without a column that may be null. */
  required: boolean;
  pivotProperties: (Pick<Property, 'name' | 'type' | 'sqlType' | 'attributes'> & { notNull: boolean })[] | null;
  /** The properties of the target of a hasOne or hasMany that lead back. */
  foreignKey: string[] | null;
  /** The collections that a via passes through; null where there is none. */
  through: string[] | null;
};
export type RelationKind = 'belongsTo' | 'hasOne' | 'hasMany' | 'manyToMany' | 'via';

/** The slugs of the collections that a path `[slug, id, relation, …]` leads through, as far as it can be followed. */
export function alongPath(document: CatalogDocument, [slug, ...path]: readonly (string | number)[]): string[] {
  const names = path.filter((_, i) => i % 2 === 1);
  return names.reduce<string[]>((along, name) => {
    const reached = along.at(-1) ?? '';
    return [...along, targetOf(document, reached, String(name)) ?? reached];
  }, [String(slug)]);
}

/** The one that it ends in. */
export function reachedBy(document: CatalogDocument, path: readonly (string | number)[]): string {
  return alongPath(document, path).at(-1) ?? '';
}

function targetOf({ collections }: CatalogDocument, slug: string, name: string): string | undefined {
  return collections.find(collection => collection.slug === slug)?.relations.find(relation => relation.name === name)?.target;
}

type Node = Pick<ReadShape, 'include' | 'checked'>;

/** The slugs of all collections that a read uses: those of its path, and those that a name in it refers to, by include or filter. */
export function readCollections(document: CatalogDocument, shape: ReadShape): Set<string> {
  return new Set([...alongPath(document, shape.path), ...relatedCollections(document, shape)]);
}

/** The same without those of its path. */
export function relatedCollections(document: CatalogDocument, { path, ...shape }: ReadShape): Set<string> {
  return new Set(lookedInto(document, reachedBy(document, path), shape));
}

function lookedInto(document: CatalogDocument, slug: string, { include = {}, checked, ...clauses }: Node): string[] {
  const named = namesIn(clauses).map(name => targetOf(document, slug, name)).filter(target => target !== undefined);
  const included = Object.entries(include).flatMap(([name, node]) => {
    const targets = name === '*' ? allTargets(document, slug) : [targetOf(document, slug, name) ?? slug];
    return targets.flatMap(target => [target, ...lookedInto(document, target, node)]);
  });
  return [...named, ...included, ...(checked === undefined ? [] : lookedInto(document, slug, checked))];
}

function allTargets({ collections }: CatalogDocument, slug: string): string[] {
  return collections.find(collection => collection.slug === slug)?.relations.map(({ target }) => target) ?? [];
}

/** Every text in it that could name a relation: itself, or its parts (`artist.name`, `count(albums)`, `max(albums.year)`). */
function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...value.split(/[.()]/).map(part => part.trim())];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [...namesIn(key), ...namesIn(part)]);
}

/** The collections whose rows these roles may read. */
export function readableBy({ collections }: CatalogDocument, roles: readonly string[]): Collection[] {
  return collections.filter(({ readers }) => readers?.some(role => roles.includes(role)) ?? true);
}

/** By code unit: the same order on every server, for any collation of its database. */
export function bySlug({ collections }: Pick<CatalogDocument, 'collections'>): Collection[] {
  return collections.toSorted((a, b) => a.slug < b.slug ? -1 : 1);
}

/** The collection that a path of slug, ids and relations in turn ends in. */
export function collectionAt(
  [slug, ...rest]: ReadShape['path'], { collections }: Pick<CatalogDocument, 'collections'>,
): string | number | undefined {
  return rest.filter((_, i) => i % 2 === 1).reduce((reached, relation) =>
    collections.find(collection => collection.slug === reached)?.relations.find(({ name }) => name === relation)?.target, slug);
}
