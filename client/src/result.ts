/** The types of answers. */
import type { At, AnySchema, FieldName, Plain, Relations, RowOf, Target } from './schema.ts';
import type { AggregateName } from './query.ts';

type Key<C> = At<C, 'key'> & keyof RowOf<C>;
/** A row with these fields. All of them are the row as its type is declared. */
type Selected<C, F> = [FieldName<C>] extends [F] ? RowOf<C> : Pick<RowOf<C>, (F & keyof RowOf<C>) | Key<C>>;
/** A relation may go by the name of its column: the row then stands in the place of the value. */
type Together<Row, More> = [keyof More] extends [never] ? Plain<Row> : Plain<Omit<Row, keyof More> & More>;

export type Result<S extends AnySchema, C, F, I> =
  [keyof I] extends [never] ? [FieldName<C>] extends [F] ? RowOf<C> : Plain<Selected<C, F>>
    : Together<Selected<C, F>, { -readonly [R in keyof I]: Related<S, At<Relations<C>, R>, I[R]> | LeftOut<C, R, I[R]> }>;

/** An include that is undefined is left out: nothing is there then, or the column that the relation goes by the name of. */
type LeftOut<C, R, N> = undefined extends N ? At<RowOf<C>, R> | undefined : never;

/** The value of an include: a row, a row or null, or a list of rows. */
type Related<S extends AnySchema, R, N> =
  At<R, 'as'> extends 'many' ? Linked<R, RelatedRow<S, Target<S, R>, N>>[]
    : RelatedRow<S, Target<S, R>, N> | (At<R, 'as'> extends 'one' ? Unmet<N> : null);
/** The row is there, and may not meet the conditions. */
type Unmet<N> = N extends unknown ? keyof N & ('where' | 'logical') extends never ? never : null : never;
type RelatedRow<S extends AnySchema, C, N> = N extends { fields?: infer F; include?: infer I }
  ? Result<S, C, NonNullable<F> extends readonly (infer Name)[] ? Name : FieldName<C>, unknown extends I ? {} : NonNullable<I>> : RowOf<C>;
export type Linked<R, Row> = 'pivot' extends keyof R ? Plain<Row & { _pivot: R['pivot'] }> : Row;

export interface Meta {
  /** Rows that match, on all pages. */
  total: number;
  limit: number;
  offset: number;
  /** Whether there is another page. */
  hasMore: boolean;
  /** Where the next page begins. */
  nextCursor?: string;
}
export interface Page<Row, M = Meta> {
  data: Row[];
  meta: M;
}

export type Aggregates<S extends AnySchema, C, A, G> = Plain<
  { [N in A & string as AggregateName<N>]: AggregateValue<S, C, N> } & { [F in G & keyof RowOf<C>]: RowOf<C>[F] }
>;
/** Over no row a sum is null, and a count is 0. */
type AggregateValue<S extends AnySchema, C, A> =
  A extends `count(${string}` ? number
    : A extends `${'sum' | 'avg'}(${string}` ? S['digits'] | null
    : A extends `${string}(${infer F})` ? NonNullable<At<RowOf<C>, F>> | null : never;

/** A change of a row. */
export interface Change<C> {
  id: string;
  table_name: string;
  entity_id: string;
  action: 'create' | 'update' | 'delete';
  changed_fields: FieldName<C>[] | null;
  values: Partial<RowOf<C>>;
  previous_values: Partial<RowOf<C>> | null;
  updated_by: string | null;
  updated_at: string;
}
