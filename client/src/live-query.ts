/** Subscriptions that write into the cache of TanStack Query. */

/**
 * A query in the cache, as far as it is used here. TanStack's own types are classes with private members, and those of two copies of
 * query-core are not one type: a project may have another copy than its framework.
 */
export interface CachedQuery {
  readonly queryKey: readonly unknown[];
  readonly state: { readonly isInvalidated: boolean; readonly fetchStatus: string };
  isActive(): boolean;
  invalidate(): void;
  setData(data: unknown): unknown;
  setState(state: { status: 'error'; error: Error; isInvalidated: true }): void;
}
export interface QueryCache {
  getAll(): readonly CachedQuery[];
  subscribe(changed: () => void): () => void;
}

type Snapshot = { readonly data: unknown; readonly meta?: unknown; readonly state: string };
type Failed = (error: Error) => void;
type Subscribe = (changed: (snapshot: Snapshot) => void, failed: Failed) => { readonly unsubscribe: () => void };
interface Followed {
  /** The last snapshot; a promise before the first. */
  last: unknown;
  end: () => void;
}

/** The queries that a subscription keeps up to date. */
export const followed = new WeakMap<object, Followed>();

/**
 * Returns the first snapshot, and writes each into the query for as long as it is shown. A query that is followed already has the last
 * one. TanStack's `streamedQuery` does not fit: its fetch ends with the stream, so that a mutation which awaits it would never end.
 * @param read the request in place of the subscription, which rejects where there is no row
 */
export function follow(query: CachedQuery, cache: QueryCache, subscribe: Subscribe, read: () => Promise<unknown>): unknown {
  const known = followed.get(query);
  if (known && !query.state.isInvalidated) return known.last;
  // A new subscription begins with a new read: it has what a mutation wrote, and no earlier snapshot follows.
  known?.end();
  let shown: Snapshot | undefined;
  let subscription: ReturnType<Subscribe> | undefined;
  const own: Followed = {
    last: new Promise((resolve, reject) => {
      const failed = (error: Error): void => {
        reject(error);
        query.setState({ status: 'error', error, isInvalidated: true });
      };
      subscription = subscribe(snapshot => {
        const { data, meta, state } = shown = snapshot;
        if (state !== 'live') query.invalidate();
        else if (data) resolve(own.last = query.setData(meta ? { data, meta } : data));
        else read().catch((error: unknown) => { if (shown === snapshot) failed(error as Error); });
      }, failed);
    }),
    end() {
      shown = undefined;
      deafen();
      subscription?.unsubscribe();
      followed.delete(query);
    },
  };
  const deafen = cache.subscribe(() => {
    if (!(query.isActive() || query.state.fetchStatus === 'fetching')) own.end();
  });
  followed.set(query, own);
  return own.last;
}
