/** The types of queries: the JSON of the API, for one collection. */
import type { At, AnySchema, FieldName, FieldOfKind, Kinds, RelationName, Relations, RowOf, Target } from './schema.ts';

type NullTest = null | readonly ['is-null' | 'is-not-null', null];
type Equal<V> = readonly ['==' | '!=', V] | readonly ['in' | 'not-in', readonly V[]];
type Ordered<V> = Equal<V> | readonly ['>' | '>=' | '<' | '<=', V];
type Pattern = readonly ['like' | 'ilike' | 'not-like' | 'not-ilike', string];
type Contains<V> = readonly ['array-contains', V] | readonly ['array-contains-any', readonly V[]];
type Tests<V, T> = V | NullTest | T | readonly T[];
type Exact = string | number | bigint;
type Moment = string | Date;
type Scalar = string | number | boolean | bigint;

/** The conditions that a field takes, by the kind of its values. V: the type of the field in a row. */
interface Conditions<V> {
  string: Tests<V, Ordered<V> | Pattern>;
  number: Tests<V, Ordered<V>>;
  digits: Tests<Exact, Ordered<Exact>>;
  money: Tests<Exact, Ordered<Exact>>;
  /** Rows as the text of their JSON. */
  literal: Tests<string, Ordered<string> | Pattern>;
  boolean: Tests<V, Ordered<V>>;
  date: Tests<Moment, Ordered<Moment>>;
  /** Times of the day. */
  time: Tests<V, Ordered<V>>;
  binary: Tests<V, Equal<V>>;
  array: NullTest | Contains<Element<V>> | readonly Contains<Element<V>>[];
  /** Arrays in JSON, which have no order. */
  list: NullTest | Contains<Element<V>> | readonly Contains<Element<V>>[];
  map: NullTest;
  'json map': NullTest;
  jsonb: NullTest | Contains<Scalar> | readonly Contains<Scalar>[];
  json: NullTest | Contains<Scalar> | readonly Contains<Scalar>[];
  opaque: NullTest;
}

type Element<V> = V extends readonly (infer E)[] ? E extends Scalar ? E | Wider<E> : Scalar : Scalar;
type Wider<E> = string extends E ? Exact : never;

export type Condition<K, V> = At<Conditions<NonNullable<V>>, K>;

/** A member that may be left out, where an object then has the one that every object inherits. */
type Optional<Name, T> = Name extends keyof Inherited ? T | Inherited[Name] : T;
type Inherited = typeof Object.prototype;

type OwnConditions<C> = { readonly [F in keyof Kinds<C>]?: Optional<F, Condition<Kinds<C>[F], At<RowOf<C>, F>>> };
/** Relations that rows are found and sorted by: all but those that lead through several tables. */
type JoinedName<C> = { [R in RelationName<C>]: 'via' extends keyof Relations<C>[R] ? never : R }[RelationName<C>];
/** Whether there is a related row, or which one. A name that a column has too means the column. */
type RelationConditions<S extends AnySchema, C> = {
  readonly [R in Exclude<JoinedName<C>, keyof Kinds<C>>]?:
    Optional<R, NullTest | IdTest<At<Target<S, Relations<C>[R]>, 'id'>>>;
};
/** A row whose key has several columns is found by its fields alone. */
type IdTest<Id> = [Id] extends [readonly unknown[]] ? never : Id | Equal<Id>;
/** The names of fields of related rows: `customer.name`. */
export type RelatedField<S extends AnySchema, C> = {
  [R in JoinedName<C>]: `${R}.${keyof Kinds<Target<S, Relations<C>[R]>> & string}`;
}[JoinedName<C>];
type RelatedConditions<S extends AnySchema, C> = {
  readonly [P in RelatedField<S, C>]?: P extends `${infer R}.${infer F}` ? ConditionAt<Target<S, At<Relations<C>, R>>, F> : never;
};
type ConditionAt<C, F> = Condition<At<Kinds<C>, F>, At<RowOf<C>, F>>;
/** Paths inside JSON. Values compare as text, JSON numbers as numbers. */
type JsonPath<C> = `${FieldOfKind<C, 'map' | 'json map' | 'jsonb' | 'json'>}->${string}`;
type JsonConditions<C> = { readonly [P in JsonPath<C>]?: Tests<Scalar, Ordered<Scalar> | Pattern> };

export type Where<S extends AnySchema, C> =
  OwnConditions<C> & RelationConditions<S, C> & RelatedConditions<S, C> & JsonConditions<C>;

/** A condition as it is written in a group: from each `[operator, value]` that a column takes. */
type LeafOf<Column, T> = T extends readonly [infer O extends string, infer V]
  ? [V] extends [null] ? { readonly column: Column; readonly operator: O; readonly value?: null }
    : { readonly column: Column; readonly operator: O; readonly value: V }
  : never;
type Leaves<T> = { [Column in keyof T]-?: LeafOf<Column, T[Column]> }[keyof T];
/** A condition on one column, with the operators and values that it has in `where`. */
export type Leaf<S extends AnySchema, C> =
  | Leaves<OwnConditions<C>> | Leaves<RelationConditions<S, C>> | Leaves<RelatedConditions<S, C>>
  | LeafOf<JsonPath<C>, Tests<Scalar, Ordered<Scalar> | Pattern>>;
/** Conditions that are joined by something else than `and`. */
export type Group<S extends AnySchema, C> = {
  readonly type: 'and' | 'or' | 'not';
  readonly conditions: readonly (Leaf<S, C> | Group<S, C>)[];
};

type Ranked = 'string' | 'number' | 'digits' | 'money' | 'date' | 'time';
type Sortable<C> = FieldOfKind<C, Ranked | 'literal' | 'boolean' | 'array'>;
/** `max(order_items.quantity)`. The service takes none from rows whose key has several columns. */
type RelatedAggregate<S extends AnySchema, C> = At<C, 'id'> extends readonly unknown[] ? never : {
  [R in JoinedName<C>]: `count(${R})` | AggregatedField<Target<S, Relations<C>[R]>, `${R}.`>;
}[JoinedName<C>];
export type SortKey<F> = { readonly field: F; readonly direction?: 'asc' | 'desc'; readonly nulls?: 'first' | 'last' };
type Order<S extends AnySchema, C, More = never> = readonly SortKey<Sortable<C> | RelatedAggregate<S, C> | More>[];
export type OrderBy<S extends AnySchema, C> = Order<S, C, At<C, 'search'> extends true ? '_score' : never>;

/** Related rows that come along: `true`, or which of them, and what of each. */
export type Include<S extends AnySchema, C> = {
  readonly [R in keyof Relations<C>]?: Optional<R, true | IncludeNode<S, Target<S, Relations<C>[R]>>>;
};
export interface IncludeNode<S extends AnySchema, C> {
  readonly fields?: readonly FieldName<C>[];
  readonly include?: Include<S, C>;
  readonly where?: Where<S, C>;
  readonly logical?: Group<S, C>;
  readonly orderBy?: Order<S, C>;
  /** Rows for each parent. */
  readonly limit?: number;
}

/** An include with nothing in it but what an include may have. The compiler looks for unknown names in plain objects only. */
export type Known<S extends AnySchema, C, I> = {
  readonly [R in keyof I]: R extends keyof Relations<C> ? I[R] extends true ? true : KnownNode<S, Target<S, Relations<C>[R]>, I[R]> : never;
};
type KnownNode<S extends AnySchema, C, N> = {
  readonly [K in keyof N]: K extends 'include' ? Known<S, C, N[K]>
    : K extends 'where' ? { readonly [F in keyof N[K]]: F extends keyof Where<S, C> ? N[K][F] : never }
    : K extends keyof IncludeNode<S, C> ? N[K] : never;
};

/** An editor completes what is written from the default of I, which is empty, and so from `Include`. */
type Included<S extends AnySchema, C, I> = I & ([keyof I] extends [never] ? Include<S, C> : Known<S, C, I>);

/** Which rows of a collection: common to lists, counts and aggregates. */
export interface Filter<S extends AnySchema, C> {
  readonly where?: Where<S, C>;
  /** At least one of these holds. With it neither `and` nor `not`. */
  readonly or?: Group<S, C>['conditions'];
  readonly and?: Group<S, C>['conditions'];
  /** These do not hold together. */
  readonly not?: Group<S, C>['conditions'];
  /** Rows that hold every word. */
  readonly searchString?: string;
  /** Rows that were deleted softly: beside the others, or alone. */
  readonly deleted?: 'include' | 'only';
}

export interface ListQuery<S extends AnySchema, C, F, I> extends Filter<S, C> {
  /** The fields of each row; the key is always there. */
  readonly fields?: readonly F[];
  readonly include?: Included<S, C, I>;
  readonly orderBy?: OrderBy<S, C>;
  /** Rows of a page: 1 to 1000. */
  readonly limit?: number;
  readonly offset?: number;
  /** `meta.nextCursor` of the page before. */
  readonly after?: string;
  /** Each combination of `fields` once, and nothing but `fields`. */
  readonly distinct?: boolean;
  /** Whether each row of a ranked search says where the words were found, as `_matches`. */
  readonly searchExplain?: boolean;
  /** How exact `meta.total` is; without it every row that matches is counted. */
  readonly count?: 'exact' | 'estimated' | 'none';
  /** The field of a search for the nearest rows, and what they are near to. */
  readonly vector_search?: FieldOfKind<C, 'vector'>;
  readonly vector?: readonly number[];
  readonly vector_distance?: 'cosine' | 'l2' | 'inner_product';
  readonly vector_threshold?: number;
}

export interface GetQuery<S extends AnySchema, C, F, I> {
  readonly fields?: readonly F[];
  readonly include?: Included<S, C, I>;
  readonly deleted?: 'include' | 'only';
}

/** Before: the relation whose rows are summed up. */
type AggregatedField<C, Before extends string = ''> =
  | `count(${Before}${keyof Kinds<C> & string})` | `sum(${Before}${FieldOfKind<C, 'number' | 'digits' | 'money'>})`
  | `avg(${Before}${FieldOfKind<C, 'number' | 'digits'>})` | `${'min' | 'max'}(${Before}${FieldOfKind<C, Ranked>})`;
export type Aggregated<C> = 'count()' | AggregatedField<C>;
/** Fields whose values have an order, and so are told apart. */
export type Grouping<C> = {
  [F in keyof Kinds<C>]: Kinds<C>[F] extends 'json' | 'json map' | 'opaque' ? never : F;
}[keyof Kinds<C>] & string;
export interface AggregateQuery<S extends AnySchema, C, A, G> extends Filter<S, C> {
  readonly select: readonly A[];
  readonly groupBy?: readonly G[];
  /** Groups are ordered by what is returned of them: `sum_total`. */
  readonly orderBy?: readonly SortKey<NoInfer<AggregateName<A> | G>>[];
  readonly limit?: number;
  readonly offset?: number;
}
/** The name of an aggregate in the answer: `sum(total)` is `sum_total`. */
export type AggregateName<A> = A extends 'count()' ? 'count' : A extends `${infer N}(${infer F})` ? `${N}_${F}` : never;
