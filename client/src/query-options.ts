/** Options for TanStack Query 5, for React, Vue, Solid and Svelte alike: `@rowgate/client/query`. */
import type { DataTag } from '@tanstack/query-core';
import type { Collection, Counting, Listed, MetaOf } from './collection.ts';
import { follow, followed, type CachedQuery, type QueryCache } from './live-query.ts';
import type { Aggregated, AggregateQuery, Filter, GetQuery, Grouping, Include, ListQuery } from './query.ts';
import type { Live } from './realtime/live.ts';
import type { Aggregates, Page, Result } from './result.ts';
import { nextPage, type NextPage } from './next-page.ts';
import type { RowsClient } from './rows.ts';
import type { AnySchema, At, CollectionOf, FieldName, FieldOfKind, Slug } from './schema.ts';

/** `['rowgate', 'orders', 'list', query]`; of one row its id follows. */
export type Key = readonly unknown[];
type Kind = 'list' | 'get' | 'count' | 'aggregate';
type Asked = { readonly signal: AbortSignal };
type AskedOf = Asked & { readonly client: CacheClient; readonly queryKey: Key };

/** A `QueryClient`, as far as it is used here. */
interface CacheClient {
  getQueryCache(): QueryCache;
  invalidateQueries(filters: { predicate: (query: CachedQuery) => boolean }): Promise<void>;
}

/** For `useQuery` and `fetchQuery`. The client sends again by itself, so that the query does not. */
export interface QueryOptions<T> {
  queryKey: DataTag<Key, T>;
  queryFn: (asked: AskedOf) => Promise<T>;
  retry: false;
  /** Infinite while a live query is followed, else 0. */
  staleTime?(query: object): number;
  refetchOnMount?: 'always';
}
/** For `useInfiniteQuery`: the pages of a list, by cursor where it has one. */
export interface PagesOptions<T> {
  queryKey: Key;
  queryFn: (asked: AskedOf & { readonly pageParam: NextPage }) => Promise<T>;
  initialPageParam: NextPage;
  getNextPageParam: (page: T) => NextPage | undefined;
  retry: false;
}
/** For `useMutation`. */
export interface MutationOptions<V, T> {
  mutationFn: (variables: V) => Promise<T>;
  /** The collections that it changes. */
  meta: { stale: readonly string[] };
  /** Makes every query stale that has read one of them, through an include or a condition too. */
  onSettled: (data: unknown, error: unknown, variables: unknown, result: unknown, context: { client: CacheClient }) => Promise<void>;
}

interface Following<L> {
  /** A subscription writes into the cache while the query is shown: the same page or row, and errors. Needs a client with realtime. */
  live?: L;
}

/** L: whether the client has realtime. */
export interface Queries<S extends AnySchema, C, L extends boolean = false> {
  list<const F extends FieldName<C> = FieldName<C>, const I extends Include<S, C> = {}, D extends boolean = false,
    N extends Counting = 'exact', T extends string = never, V extends FieldOfKind<C, 'vector'> = never>(
    query?: ListQuery<S, C, F, I> & { distinct?: D; count?: N; searchString?: T; vector_search?: V },
    options?: Following<[V] extends [never] ? L : false>,
  ): QueryOptions<Page<Listed<S, C, {}, F, I, D, T, V>, MetaOf<N>>>;
  pages<const F extends FieldName<C> = FieldName<C>, const I extends Include<S, C> = {}, D extends boolean = false,
    N extends Counting = 'exact', T extends string = never, V extends FieldOfKind<C, 'vector'> = never>(
    query?: ListQuery<S, C, F, I> & { distinct?: D; count?: N; searchString?: T; vector_search?: V },
  ): PagesOptions<Page<Listed<S, C, {}, F, I, D, T, V>, MetaOf<N>>>;
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
  const rows = db.from(slug) as never as Record<Kind | 'subscribe' | 'subscribeOne', (...given: unknown[]) => Promise<unknown>>;
  /**
   * As JSON has it, but for values that it drops or takes for others, which precede no text that can be sent. The types that it
   * keeps are object, string, boolean; a symbol precedes nothing, and is dropped.
   */
  const keyOf = (...key: unknown[]): Key => JSON.parse(JSON.stringify(['rowgate', slug, ...key], (_, value: unknown) =>
    Number.isFinite(value) || /[js]|oo/.test(typeof value) ? value : '\0' + (value as string))) as Key;
  const options = (kind: Kind, query: object = {}, live?: boolean, ...id: unknown[]) => ({
    queryKey: keyOf(kind, query, ...id),
    queryFn({ signal, client, queryKey, pageParam }: AskedOf & { readonly pageParam?: NextPage }) {
      const read = (asked?: Asked) => rows[kind](...id, { ...query, ...pageParam }, asked);
      const cache = client.getQueryCache();
      const cached = cache.getAll().find(its => its.queryKey === queryKey);
      // Both kinds of a query have one key. While it is followed, no answer of a request replaces a snapshot.
      return cached && (live || followed.has(cached))
        ? follow(cached, cache, (...told) => rows[id.length ? 'subscribeOne' : 'subscribe'](...id, query, ...told) as never, read)
        : read({ signal });
    },
    retry: false,
    ...live && { staleTime: (its: object) => followed.has(its) ? Infinity : 0, refetchOnMount: 'always' },
  });
  /** Whether a query of a collection reads rows of another. A relation whose name stands in the query for another reason counts too. */
  const reads = (changed: readonly unknown[], from: string, query: Nested | null = {}): boolean => {
    const its = db.connection.facts.collections[from];
    return changed.includes(from) || [...Object.entries(its?.relations ?? {}), ...its?.through ?? []].some(([name, target]) =>
      JSON.stringify(query).includes(JSON.stringify(name).slice(1, -1)) && reads(changed, target, query?.include?.[name]));
  };
  return {
    list: (query?: object, more?: Following<boolean>) => options('list', query, more?.live),
    pages: (query: object = {}) => ({
      ...options('list', query), queryKey: keyOf('pages', query), initialPageParam: {}, getNextPageParam: nextPage,
    }),
    get: (id: unknown, query?: object, more?: Following<boolean>) => options('get', query, more?.live, id),
    count: (query?: object) => options('count', query),
    aggregate: (query: object) => options('aggregate', query),
    mutation: (write: (...given: unknown[]) => Promise<unknown>, more?: { also?: readonly string[] }) => ({
      mutationFn: (variables: unknown) => write(rows, variables),
      meta: { stale: [slug, ...more?.also ?? []] },
      onSettled: (...told: Parameters<MutationOptions<never, never>['onSettled']>) => told[4].client.invalidateQueries({
        predicate: ({ queryKey: [whose, from, , query] }: CachedQuery) =>
          whose === 'rowgate' && reads([slug, ...more?.also ?? []], from as string, query as Nested),
      }),
    }),
  };
}

type Nested = { include?: Record<string, Nested | null> };

