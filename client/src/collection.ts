/** The methods of a collection, each with the request that it is. */
import { changesOf } from './changes.ts';
import { idText, type Id } from './id.ts';
import { factsOf, own, shapeOf, type Shape } from './json.ts';
import { nextPage, type NextPage } from './next-page.ts';
import { parametersOf } from './parameters.ts';
import { send, tagOf, type Connection, type Options, type Request, type WriteOptions } from './request.ts';
import type { Aggregated, AggregateQuery, Filter, GetQuery, Grouping, Include, ListQuery } from './query.ts';
import type { Aggregates, Change, Linked, Meta, Page, Result } from './result.ts';
import type { AnySchema, At, FieldName, FieldOfKind, Plain, RelationName, Relations, RowOf, Target } from './schema.ts';

export type IdOf<C> = At<C, 'id'>;
type Selecting<F> = {
  /** The fields that are returned of the row that was written. */
  fields?: readonly F[];
};
type Matching = {
  /** Only while the row is as it was read: a row that `get` returned, or an ETag. */
  ifMatch?: string | object;
};
export type Counting = 'exact' | 'estimated' | 'none';

/** The members that a search adds to each row. */
type Found<T, V> = ([T] extends [never] ? {} : { _score?: number; _matches?: { field: string; snippet: string }[] })
  & ([V] extends [never] ? {} : { _distance: number | null });
export type Listed<S extends AnySchema, C, L, F, I, D, T, V> = [T | V] extends [never]
  ? Linked<L, D extends true ? Plain<Pick<RowOf<C>, F & keyof RowOf<C>>> : Result<S, C, F, I>>
  : Plain<Linked<L, Result<S, C, F, I>> & Found<T, V>>;
export type MetaOf<N> = N extends 'none' ? Plain<Omit<Meta, 'total'>> : Meta;

/** Reads of the rows of a collection, or of those that belong to a row. L: the relation that led here. */
export interface Rows<S extends AnySchema, C, L = {}> {
  /** `GET /data/orders`: a page of rows. */
  list<const F extends FieldName<C> = FieldName<C>, const I extends Include<S, C> = {}, D extends boolean = false,
    N extends Counting = 'exact', T extends string = never, V extends FieldOfKind<C, 'vector'> = never>(
    query?: ListQuery<S, C, F, I> & { distinct?: D; count?: N; searchString?: T; vector_search?: V }, options?: Options,
  ): Promise<Page<Listed<S, C, L, F, I, D, T, V>, MetaOf<N>>>;
  /** The same for all pages, one after another, by cursor; `limit` rows a request. */
  each<const F extends FieldName<C> = FieldName<C>, const I extends Include<S, C> = {}, D extends boolean = false,
    T extends string = never>(
    query?: ListQuery<S, C, F, I> & { distinct?: D; searchString?: T }, options?: Options,
  ): AsyncGenerator<Listed<S, C, L, F, I, D, T, never>, void>;
  /** `GET /data/orders/1`: one row. Its tag is remembered for `ifMatch`. */
  get<const F extends FieldName<C> = FieldName<C>, const I extends Include<S, C> = {}>(
    id: IdOf<C>, query?: GetQuery<S, C, F, I>, options?: Options,
  ): Promise<Linked<L, Result<S, C, F, I>>>;
  /** `GET /data/orders/count` */
  count(query?: Filter<S, C>, options?: Options): Promise<number>;
  /** `GET /data/orders/aggregate` */
  aggregate<const A extends Aggregated<C>, const G extends Grouping<C> = never>(
    query: AggregateQuery<S, C, A, G>, options?: Options,
  ): Promise<Aggregates<S, C, A, G>[]>;
  /** `/data/orders/1/order_items`: the rows that belong to a row. */
  related<R extends RelationName<C>>(id: IdOf<C>, relation: R): RelatedRows<S, Target<S, Relations<C>[R]>, Relations<C>[R]>;
}

interface Writes<S extends AnySchema, C> {
  /** `POST /data/orders` */
  create<const F extends FieldName<C> = FieldName<C>>(
    values: At<C, 'create'>, options?: WriteOptions & Selecting<F>,
  ): Promise<Result<S, C, F, {}>>;
  /** `PATCH /data/orders/1` */
  update<const F extends FieldName<C> = FieldName<C>>(
    id: IdOf<C>, changes: At<C, 'update'>, options?: WriteOptions & Matching & Selecting<F>,
  ): Promise<Result<S, C, F, {}>>;
  /** `DELETE /data/orders/1` */
  remove(id: IdOf<C>, options?: WriteOptions & Matching & {
    /** For good, where deletions are soft. */
    hard?: boolean;
  }): Promise<void>;
}

export interface RelatedRows<S extends AnySchema, C, L> extends Rows<S, C, L> {
  /** `POST /data/orders/1/order_items`: a row of this one; where a table stands between, it is linked too. */
  create: Writable<L, <const F extends FieldName<C> = FieldName<C>>(
    values: Below<At<C, 'create'>, L>, options?: WriteOptions & Selecting<F>,
  ) => Promise<Result<S, C, F, {}>>>;
  /** `PATCH /data/orders/1/order_items/2` */
  update: Writable<L, Writes<S, C>['update']>;
  /** `DELETE /data/orders/1/order_items/2`: where a table stands between, the link alone. */
  remove: Writable<L, Writes<S, C>['remove']>;
  /** `PATCH /data/bundles/4/products/3`: links a row, where a table stands between. */
  link: L extends { by: unknown } ? never : Writable<L, (id: IdOf<C>, options?: WriteOptions) => Promise<void>>;
  /** The same with `_pivot`: changes what the link says. */
  updateLink: 'link' extends keyof L ? (id: IdOf<C>, pivot: At<L, 'link'>, options?: WriteOptions) => Promise<void> : never;
}

export interface Collection<S extends AnySchema, C> extends Rows<S, C>, Writes<S, C> {
  /** `POST /data/orders/bulk`: all of the rows, or none. */
  createMany<const F extends FieldName<C> = FieldName<C>>(
    rows: readonly At<C, 'create'>[], options?: WriteOptions & Selecting<F> & Upserting<C>,
  ): Promise<Page<Result<S, C, F, {}>, { written: number }>>;
  /** `POST /data/orders?on_conflict=…`: creates a row, or changes the one that has the same values there. */
  upsert<const F extends FieldName<C> = FieldName<C>>(
    values: At<C, 'create'>, options: WriteOptions & Selecting<F> & { onConflict: readonly FieldName<C>[] },
  ): Promise<Result<S, C, F, {}>>;
  /** `PATCH /data/orders/1` with the stamp of its deletion as null. */
  restore: At<C, 'softDelete'> extends true ? (id: IdOf<C>, options?: WriteOptions) => Promise<RowOf<C>> : never;
  /** `GET /data/orders/1/history`: its changes, the newest first. */
  history: At<C, 'history'> extends true
    ? (id: IdOf<C>, query?: { limit?: number; offset?: number }, options?: Options) => Promise<Page<Plain<Change<C>>>> : never;
  /** `POST /data/orders/1/history/…/revert`: the row as it was after that change. */
  revert: At<C, 'history'> extends true ? (id: IdOf<C>, change: string, options?: WriteOptions) => Promise<RowOf<C>> : never;
}
/** Rows are written through a relation to rows that refer to this one (`by`: their foreign key), or that a table between links. */
type Writable<L, T> = L extends { as: 'many'; via?: never } ? T : never;
/** The foreign key is that of the path, whatever the body says. */
type Below<C, L> = [C] extends [never] ? never : L extends { by: infer F }
  ? Plain<Omit<C, F & keyof C> & Partial<Pick<C, F & keyof C>>> : C;
type Upserting<C> = {
  /** Fields that are unique together: a row that has the same values is changed. */
  onConflict?: readonly FieldName<C>[];
};

type Query = Record<string, unknown> & { include?: never; count?: string; select?: readonly string[]; groupBy?: readonly string[] };
type AnyOptions = WriteOptions & { fields?: readonly string[]; onConflict?: readonly string[]; ifMatch?: string | object; hard?: boolean };
type Asked = Partial<Pick<Request, 'method' | 'body' | 'shape'>> & { at: string[]; query?: Query | undefined };

/** @param path segments that lead to the rows: a slug, then ids and relations in turn. @param slug that of the rows. */
export function createRows(connection: Connection, path: readonly string[], slug: string, pivots?: readonly string[]): object {
  const { facts } = connection;
  const known = factsOf(facts, slug);
  const shape = (include?: never): Shape => shapeOf(facts, slug, include, pivots);
  const row = shape();

  /** A get, and an answer of one row, unless it says otherwise. */
  async function ask<Answer>({ at, query = {}, ...asked }: Asked, options: AnyOptions = {}): Promise<Answer> {
    const { fields, ifMatch, ...rest } = options;
    return send<Answer>(connection, {
      method: 'GET', shape: row, ...asked, path: [...path, ...at], query: parametersOf({ fields, ...query }),
      headers: { prefer: query.count && `count=${query.count}`, 'if-match': 'ifMatch' in options ? tagOf(ifMatch) : undefined },
    }, rest);
  }

  const list = (query: Query = {}, options?: Options) =>
    ask<Page<object>>({ at: [], query, shape: answerOf(shape(query.include)) }, options);
  // Async, so that an id which is refused rejects as any failure does.
  const update = async (id: Id, changes: Record<string, unknown>, options?: AnyOptions) =>
    ask({ method: 'PATCH', at: [idText(id, 'bulk')], body: changesOf(changes) }, options);

  return {
    ...connection.live?.(path, slug, pivots),
    list,
    async* each(query: Query = {}, options?: Options) {
      for (let next: NextPage | undefined = {}; next;) {
        const page: Page<object> = await list({ count: 'none', ...query, ...next }, options);
        yield* page.data;
        next = nextPage(page);
      }
    },
    get: async (id: Id, query: Query = {}, options?: Options) =>
      ask({ at: [idText(id, 'count', 'aggregate')], query, shape: shape(query.include) }, options),
    count: async (query?: Query, options?: Options) =>
      (await ask<{ count: number }>({ at: ['count'], query, shape: undefined }, options)).count,
    aggregate: async (query: Query, options?: Options) =>
      (await ask<Page<object>>({ at: ['aggregate'], query, shape: answerOf(aggregateShape(query, row)) }, options)).data,
    create: (body: unknown, options?: AnyOptions) => ask({ method: 'POST', at: [], body }, options),
    update,
    remove: async (id: Id, { hard, ...options }: AnyOptions = {}) =>
      ask({ method: 'DELETE', at: [idText(id)], query: { hard } }, options),
    related: (id: Id, relation: string) => createRows(
      connection, [...path, idText(id), relation], own(known.relations, relation) ?? '', own(known.pivots, relation)),
    link: (id: Id, options?: WriteOptions) => update(id, {}, options),
    updateLink: (id: Id, pivot: object, options?: WriteOptions) => update(id, { _pivot: pivot }, options),
    createMany: (rows: unknown, { onConflict, ...options }: AnyOptions = {}) => ask({
      method: 'POST', at: ['bulk'], body: { rows, ...onConflict && { upsert: true, onConflict } }, shape: answerOf(row),
    }, options),
    upsert: (body: unknown, { onConflict, ...options }: AnyOptions) =>
      ask({ method: 'POST', at: [], body, query: { on_conflict: onConflict } }, options),
    restore: (id: Id, options?: WriteOptions) => update(id, { [known.softDelete ?? '']: null }, options),
    history: async (id: Id, query?: Query, options?: Options) => ask({
      at: [idText(id), 'history'], query, shape: answerOf({ relations: { values: row, previous_values: row } }),
    }, options),
    revert: async (id: Id, change: string, options?: WriteOptions) => (await ask<{ data: object }>({
      method: 'POST', at: [idText(id), 'history', change, 'revert'], shape: answerOf(row),
    }, options)).data,
  };
}

export function answerOf(data: Shape): Shape {
  return { relations: { data, meta: {} } };
}

/** A sum of whole numbers is wider than they are, and an average has digits behind the point. */
function aggregateShape({ select = [], groupBy = [] }: Query, { digits = [] }: Shape): Shape {
  const names = select.flatMap(text => {
    const [, name = '', field = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
    return /sum|avg/.test(name) || (name !== 'count' && digits.includes(field)) ? [`${name}_${field}`] : [];
  });
  return { digits: [...names, ...groupBy.filter(name => digits.includes(name))] };
}
