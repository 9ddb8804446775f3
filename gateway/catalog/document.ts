/** What `service.catalog_document()` returns: everything that is served. Columns kept out of the API are not in it. */
export type CatalogDocument = {
  /** Moves with every change of the catalog. */
  version: number;
  /** `v1:` and 16 hex digits. The same text stands for the same collections. */
  schemaVersion: string;
  /** Every role that some property or part of one is limited to, or that is bound to no tenant. */
  restrictingRoles: string[];
  /** Columns whose names hold `->`, which elsewhere leads into JSON; the longest first. */
  arrowNames: string[];
  /** Parts of fields with parts that are closed to somebody: a path into JSON names them where others have parameters. */
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
  /** What becomes of its rows is kept. */
  history: boolean;
  /** How many names a body can hold: two of each column, one of each relation. */
  bodyNames: number;
  /** A caller without one of these roles sees no row; null: the rules tell no such roles. */
  readers: string[] | null;
  schema: string;
  table: string;
  /** What a ranked search looks in; null where a search is for substrings. */
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
  /** Null: everybody; empty: nobody. */
  readRoles: string[] | null;
  writeRoles: string[] | null;
  attributes: Attributes;
};
export type PropertyType = 'string' | 'number' | 'boolean' | 'date' | 'array' | 'map' | 'geopoint' | 'vector' | 'binary';
export type Attributes = {
  description?: string;
  enum?: (string | number)[];
  maxLength?: number;
  format?: string;
  /** Of a vector. */
  dimensions?: number;
  /** afterRead shows something else in its place; rows cannot be found, sorted or joined by it. */
  masked?: true;
  /** The tenant of the row: put there on create, and never changed. */
  tenant?: true;
  /** On a key: `uuid`, `increment`, or true for one that the caller supplies. */
  isId?: string | true;
};

/** `pivot` names what a junction says of a link besides its two ends; null where it says nothing. `single`: to one row. */
export type Relation = { name: string; kind: RelationKind; target: string; single: boolean; pivot: string[] | null };
export type RelationKind = 'belongsTo' | 'hasOne' | 'hasMany' | 'manyToMany' | 'via';

/** The slug of the collection that a path `[slug, id, relation, …]` ends in, as far as it can be followed. */
export function reachedBy({ collections }: CatalogDocument, [slug, ...path]: readonly (string | number)[]): string {
  return path.filter((_, i) => i % 2 === 1).reduce<string>((reached, name) => {
    const relations = collections.find(collection => collection.slug === reached)?.relations;
    return relations?.find(relation => relation.name === name)?.target ?? reached;
  }, String(slug));
}

/** What somebody with these roles may see rows of. */
export function readableBy({ collections }: CatalogDocument, roles: readonly string[]): Collection[] {
  return collections.filter(({ readers }) => readers?.some(role => roles.includes(role)) ?? true);
}

/** By code unit: the same order on every server, whatever the collation of its database. */
export function bySlug({ collections }: CatalogDocument): Collection[] {
  return collections.toSorted((a, b) => a.slug < b.slug ? -1 : 1);
}
