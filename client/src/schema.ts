/** The form of the file that `rowgate types` writes. */

/** The constraint of a schema. It names no collection: to look into each of them would cost with every one that a database has. */
export interface AnySchema {
  version: string;
  /** The type of numbers that a double cannot hold in every digit. */
  digits: string | number;
  collections: object;
  functions: object;
}

/** The schema as it is known at run time: `schema` of the same file. */
export interface Facts {
  readonly version: string;
  readonly collections: { readonly [slug: string]: CollectionFacts };
  readonly functions?: { readonly [name: string]: FunctionFacts };
}

/** The answer of a function: rows of a collection, by its slug, or other columns. Left out where no number of it is exact. */
export interface FunctionFacts {
  /** Whether a call changes nothing. */
  readonly reads?: boolean;
  readonly value?: CollectionFacts;
  readonly row?: string | CollectionFacts;
  readonly set?: string | CollectionFacts;
}

export interface CollectionFacts {
  /** Fields whose numbers are shown with every digit. */
  readonly digits?: readonly string[];
  /** The collection that each relation leads to. */
  readonly relations?: { readonly [name: string]: string };
  /** A relation and a collection that it passes through, of each there is. */
  readonly through?: readonly (readonly [relation: string, collection: string])[];
  /** The same as `digits`, of what a link says, by relation. */
  readonly pivots?: { readonly [name: string]: readonly string[] };
  /** The field that says when a row was deleted. */
  readonly softDelete?: string;
}

/** A member that a type is known to have. Cheaper than a constraint, which is checked with each use. */
export type At<T, K> = K extends keyof T ? T[K] : never;

export type Slug<S extends AnySchema> = keyof S['collections'] & string;
export type CollectionOf<S extends AnySchema, N> = At<S['collections'], N>;
export type RowOf<C> = At<C, 'row'>;
export type Relations<C> = At<C, 'relations'>;
/** The collection that a relation leads to. */
export type Target<S extends AnySchema, R> = CollectionOf<S, At<R, 'to'>>;
export type FieldName<C> = keyof RowOf<C> & string;
export type RelationName<C> = keyof Relations<C> & string;
/** Fields that rows are found by, by the kind of their values. */
export type Kinds<C> = At<C, 'fields'>;
export type FieldOfKind<C, K> = { [F in keyof Kinds<C>]: Kinds<C>[F] extends K ? F : never }[keyof Kinds<C>] & string;
/** An object type as it is shown: its members, and nothing of how they came about. */
export type Plain<T> = { [K in keyof T]: T[K] } & {};
