/** Options for TanStack Query 5, for React, Vue, Solid and Svelte alike: `@rowgate/client/query`. */
import type { DataTag, Query, QueryClient } from '@tanstack/query-core';
import type { Collection, Counting, Listed, MetaOf } from './collection.ts';
import { follow, followed } from './live-query.ts';
import type { Aggregated, AggregateQuery, Filter, GetQuery, Grouping, Include, ListQuery } from './query.ts';
import type { Live } from './realtime/live.ts';
import type { Aggregates, Page, Result } from './result.ts';
import type { RowsClient } from './rows.ts';
import type { AnySchema, At, CollectionOf, Facts, FieldName, Slug } from './schema.ts';

/** `['rowgate', 'orders', 'list', query]`; of one row its id follows. */
export type Key = readonly unknown[];
type Asked = { readonly signal: AbortSignal };
type AskedOf = Asked & { readonly client: QueryClient; readonly queryKey: Key };

/** For `useQuery` and `fetchQuery`. The client sends again by itself, so that the query does not. */
export interface QueryOptions<T> {
  queryKey: DataTag<Key, T>;
  queryFn: (asked: AskedOf) => Promise<T>;
  retry: false;
  /** Infinite while a live query is followed, else 0. */
  staleTime?(query: Pick<Query, 'state'>): number;
  refetchOnMount?: 'always';
}
/** For `useInfiniteQuery`: the pages of a list, by cursor. */
export interface PagesOptions<T> {
  queryKey: Key;
  queryFn: (asked: Asked & { readonly pageParam: string | undefined }) => Promise<T>;
  initialPageParam: string | undefined;
  getNextPageParam: (page: T) => string | undefined;
  retry: false;
}
/** For `useMutation`. */
export interface MutationOptions<V, T> {
  mutationFn: (variables: V) => Promise<T>;
  /** The collections that it changes. */
  meta: { stale: readonly string[] };
  /** Makes every query stale that has read one of them, through an include or a condition too. */
  onSettled: (data: unknown, error: unknown, variables: unknown, result: unknown, context: { client: QueryClient }) => Promise<void>;
}

interface Following<L> {
  /** A subscription writes into the cache while the query is shown: the same page or row, and errors. Needs a client with realtime. */
  live?: L;
}

/** L: whether the client has realtime. */
export interface Queries<S extends AnySchema, C, L extends boolean = false> {
  list<const F extends FieldName<C> = FieldName<C>, const I extends Include<S, C> = {}, D extends boolean = false,
    N extends Counting = 'exact', T extends string = never>(
    query?: ListQuery<S, C, F, I> & { distinct?: D; count?: N; searchString?: T }, options?: Following<L>,
  ): QueryOptions<Page<Listed<S, C, {}, F, I, D, T, never>, MetaOf<N>>>;
  pages<const F extends FieldName<C> = FieldName<C>, const I extends Include<S, C> = {}, N extends Counting = 'exact',
    T extends string = never>(
    query?: ListQuery<S, C, F, I> & { count?: N; searchString?: T },
  ): PagesOptions<Page<Listed<S, C, {}, F, I, false, T, never>, MetaOf<N>>>;
  get<const F extends FieldName<C> = FieldName<C>, const I extends Include<S, C> = {}>(
    id: At<C, 'id'>, query?: GetQuery<S, C, F, I>, options?: Following<L>,
  ): QueryOptions<Result<S, C, F, I>>;
  count(query?: Filter<S, C>): QueryOptions<number>;
  aggregate<const A extends Aggregated<C>, const G extends Grouping<C> = never>(
    query: AggregateQuery<S, C, A, G>,
  ): QueryOptions<Aggregates<S, C, A, G>[]>;
  /** A write: `orders.mutation((rows, id: string) => rows.update(id, { status: 'paid' }))`. `also`: what it changes beside. */
  mutation<V = void, T = unknown>(
    write: (rows: Collection<S, C>, variables: V) => Promise<T>, options?: { also?: readonly Slug<S>[] },
  ): MutationOptions<V, T>;
}

/** The rows of a collection as options of queries and mutations. */
export function queriesOf<S extends AnySchema, const N extends Slug<S>>(
  db: Live<S> & RowsClient<S>, slug: N,
): Queries<S, CollectionOf<S, N>, boolean>;
export function queriesOf<S extends AnySchema, const N extends Slug<S>>(db: RowsClient<S>, slug: N): Queries<S, CollectionOf<S, N>>;
export function queriesOf<S extends AnySchema>(db: RowsClient<S>, slug: Slug<S>): object {
  const rows = db.from(slug) as never as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const options = (kind: string, query: unknown, { live }: Following<boolean> = {}, ...id: unknown[]) => ({
    queryKey: keyed(['rowgate', slug, kind, query ?? {}, ...id]),
    queryFn({ signal, client, queryKey }: AskedOf) {
      const read = (asked?: Asked) => rows[kind]?.(...id, query, asked) as Promise<unknown>;
      const cache = client.getQueryCache();
      const cached = cache.getAll().find(({ queryKey: its }) => its === queryKey);
      // Both kinds of a query have one key. While it is followed, no answer of a request replaces a snapshot.
      if (!cached || !(live || followed.has(cached))) return read({ signal });
      const subscribe = rows[id.length ? 'subscribeOne' : 'subscribe'];
      return follow(cached, cache, (...told) => subscribe?.(...id, query ?? {}, ...told) as never, read);
    },
    retry: false,
    ...live && { staleTime: (its: Query) => followed.has(its) ? Infinity : 0, refetchOnMount: 'always' },
  });
  return {
    list: (query?: object, more?: Following<boolean>) => options('list', query, more),
    pages: (query?: object) => ({
      ...options('pages', query),
      queryFn: ({ signal, pageParam }: Asked & { pageParam?: string }) => rows['list']?.({ ...query, after: pageParam }, { signal }),
      initialPageParam: undefined,
      getNextPageParam: ({ meta }: { meta: { nextCursor?: string } }) => meta.nextCursor,
    }),
    get: (id: unknown, query?: object, more?: Following<boolean>) => options('get', query, more, id),
    count: (query?: object) => options('count', query),
    aggregate: (query: object) => options('aggregate', query),
    mutation: (write: (...given: unknown[]) => Promise<unknown>, { also = [] }: { also?: readonly string[] } = {}) => ({
      mutationFn: (variables: unknown) => write(rows, variables),
      meta: { stale: [slug, ...also] },
      onSettled: (...[, , , , { client }]: Parameters<MutationOptions<never, never>['onSettled']>) => client.invalidateQueries({
        predicate: ({ queryKey: [whose, from, , query] }: Query) =>
          whose === 'rowgate' && [slug, ...also].some(changed => reads(db.connection.facts, from as string, query as Nested, changed)),
      }),
    }),
  };
}

/** A key as JSON has it: dates and bigints as texts, and undefined, which a filter must not have: its query is not that without it. */
function keyed(key: unknown[]): Key {
  return JSON.parse(JSON.stringify(key, (_, value: unknown) => /^bi|^un/.test(typeof value) ? String(value) : value)) as Key;
}

type Nested = { include?: Record<string, Nested> } | true | undefined;

/** Whether a query reads rows of a collection. A relation whose name stands in the query for another reason counts too. */
function reads(facts: Facts, slug: string, query: Nested, changed: string): boolean {
  const text = JSON.stringify(query ?? {});
  return slug === changed || Object.entries(facts.collections[slug]?.relations ?? {}).some(([name, target]) =>
    ['"', '('].some(before => text.includes(before + JSON.stringify(name).slice(1, -1)))
      && reads(facts, target, query === true ? undefined : query?.include?.[name], changed));
}
