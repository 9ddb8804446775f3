import { MutationObserver, QueryClient, QueryObserver, type QueryObserverResult } from '@tanstack/query-core';
import { test, type Test } from 'tap';
import { createClient, type Client, type Live } from '../../client/src/index.ts';
import { queriesOf } from '../../client/src/query-options.ts';
import { realtime } from '../../client/src/realtime/realtime.ts';
import { lendService } from '../harness/lend.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { openProxy } from './realtime/proxy.ts';
import { recorded } from './realtime/watched.ts';
import { schema, type Schema } from './store.types.ts';

const options = { schema, token: SERVICE_KEY, warn: () => undefined };

/** A client with realtime behind a proxy, one without at the service, a cache, and the frames on the wire. */
async function liveStore(t: Test) {
  const service = await lendService(t, {});
  const proxy = await openProxy(t, () => service.address);
  const wire = recorded();
  const asked: string[] = [];
  let gate = Promise.resolve();
  const db: Live<Schema> & Client<Schema> = createClient<Schema>({
    ...options, url: proxy.url, realtime: connection => realtime(connection, { WebSocket: wire.WebSocket }),
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      const { pathname } = new URL(url);
      if (pathname.startsWith('/api/data/')) asked.push(`${init?.method ?? 'GET'} ${pathname}`);
      await gate;
      return response;
    },
  });
  const cache = new QueryClient({ defaultOptions: { queries: { refetchOnMount: false } } });
  t.teardown(() => { cache.clear(); });
  const frames = (type: string) => wire.sent.filter(frame => frame.type === type).length;
  return {
    db, other: createClient<Schema>({ ...options, url: service.address }), cache, proxy, wire, asked,
    /** Keeps answers back until the function that it returns is called. */
    hold: () => {
      let release: () => void = () => undefined;
      gate = new Promise(resolve => { release = resolve; });
      return () => { release(); };
    },
    /** Subscriptions that were asked for, and those of them that were ended. */
    counts: () => [frames('subscribe_collection') + frames('subscribe_one'), frames('unsubscribe')],
  };
}

/** A component that shows a query. */
function show<T>(t: Test, cache: QueryClient, query: object) {
  const observer = new QueryObserver<T>(cache, query as never);
  const results: QueryObserverResult<T>[] = [];
  const hide = observer.subscribe(result => results.push(result));
  t.teardown(hide);
  return { observer, results, hide, get now() { return observer.getCurrentResult(); } };
}

type Names = { data: { name: string }[]; meta: { total: number } };
const byName = { fields: ['name'], orderBy: [{ field: 'name' }], limit: 100 } as const;

test('a live list follows its table, once however many show it, until none does', async t => {
  const { db, other, cache, wire, asked, counts } = await liveStore(t);
  const list = queriesOf(db, 'tags').list(byName, { live: true });
  const first = show<Names>(t, cache, list);
  await until('the list', () => first.now.isSuccess);
  t.same(first.now.data, await other.from('tags').list(byName), 'data and meta are those of the request');
  t.equal(first.now.isStale, false);

  const second = show<Names>(t, cache, queriesOf(db, 'tags').list(byName, { live: true }));
  await first.observer.refetch();
  await other.from('tags').create({ name: 'a first' });
  await until('both have it', () => [first, second].every(({ now }) => now.data?.data[0]?.name === 'a first'));
  t.same(first.now.data, await other.from('tags').list(byName));

  const plain = show<Names>(t, cache, queriesOf(db, 'tags').list(byName));
  await plain.observer.refetch();
  t.equal(plain.now.data, first.now.data, 'without live too, while the query is followed');
  plain.hide();
  first.hide();
  t.same(counts(), [1, 0]);
  second.hide();
  t.same(counts(), [1, 1]);
  await until('the socket is closed', () => wire.closed === 1);
  t.same(asked, []);

  await other.from('tags').create({ name: 'a second' });
  const again = show<Names>(t, cache, list);
  t.equal(again.now.data?.data[0]?.name, 'a first', 'the last that was known');
  await until('the list', () => again.now.data?.data[1]?.name === 'a second');
});

test('a query that nothing shows is read once', async t => {
  const { db, cache, counts } = await liveStore(t);
  const reading = cache.query(queriesOf(db, 'tags').list({ limit: 1 }, { live: true }));
  await cache.invalidateQueries(); // as a mutation does meanwhile
  t.same(counts(), [0, 0], 'it waits for the socket');
  t.equal((await reading).data.length, 1);
  t.same(counts(), [1, 1]);
  const shown = show(t, cache, queriesOf(db, 'tags').list({ limit: 1 }, { live: true }));
  await until('it is followed', () => !shown.now.isFetching);
  t.same(counts(), [2, 1], 'and followed once it is shown, whatever the defaults of the cache are');
  await cache.query(queriesOf(db, 'tags').list({ limit: 2 }));
  const other = queriesOf(db, 'tags').list({ limit: 2 }, { live: true });
  shown.observer.setOptions(other);
  t.same(counts(), [3, 2], 'so is the next one that a component shows, where it was fetched before');
  await until('it is followed', () => !shown.now.isFetching);
  shown.observer.setOptions({ ...other, enabled: false });
  t.same(counts(), [3, 3], 'a disabled one is not');
});

test('a query that is hidden before its first snapshot is not followed', async t => {
  const { db, cache, counts } = await liveStore(t);
  const strict = queriesOf(db, 'tags').list({}, { live: true });
  show(t, cache, strict).hide();
  const shown = show(t, cache, strict);
  await until('the list', () => shown.now.isSuccess);
  t.same(counts(), [1, 0], 'only the second was on the wire');
  shown.hide();
  t.same(counts(), [1, 1]);
});

test('a mutation shows its write before it ends, and no earlier snapshot follows it', async t => {
  const { db, cache, counts, asked } = await liveStore(t);
  const tags = queriesOf(db, 'tags');
  const shown = show<Names>(t, cache, tags.list(byName, { live: true }));
  await until('the list', () => shown.now.isSuccess);
  const create = new MutationObserver(cache, tags.mutation((rows, name: string) => rows.create({ name })));
  const names = () => shown.now.data?.data.map(({ name }) => name).filter(name => name.startsWith('new ')) ?? [];
  for (let i = 1; i <= 5; i++) {
    await create.mutate(`new ${i}`);
    t.equal(names().length, i);
    const [opened = 0, ended = 0] = counts();
    t.equal(opened - ended, 1);
  }
  const lengths = shown.results.map(({ data }) => data?.data.length ?? 0);
  t.same(lengths, lengths.toSorted((a, b) => a - b), 'no row goes away again');
  t.same(new Set(asked), new Set(['POST /api/data/tags']));
});

test('an optimistic write gives way to the next snapshot, and one that fails to the rows as they are', async t => {
  const { db, other, cache } = await liveStore(t);
  const tags = queriesOf(db, 'tags');
  const list = tags.list(byName, { live: true });
  const shown = show<Names>(t, cache, list);
  await until('the list', () => shown.now.isSuccess);
  const first = () => shown.now.data?.data[0]?.name;
  const optimistic = async () => {
    await cache.cancelQueries({ queryKey: list.queryKey });
    const before = cache.getQueryData<Names>(list.queryKey);
    cache.setQueryData(list.queryKey, { ...before, data: [{ name: 'mine' }, ...before?.data ?? []] } as never);
    return before;
  };
  const write = new MutationObserver(cache, {
    ...tags.mutation(async (rows, name: string) => {
      t.equal(first(), 'mine');
      await other.from('tags').create({ name: `another ${name.length}` });
      await until('a snapshot of before the write', () => first() !== 'mine');
      return rows.create({ name });
    }),
    onMutate: optimistic,
    onError: (_, __, before) => cache.setQueryData(list.queryKey, before as never),
  });
  await write.mutate('a first');
  t.same(shown.now.data, await other.from('tags').list(byName));
  t.equal(first(), 'a first');
  await t.rejects(write.mutate('x'.repeat(41)), { code: 'VALIDATION_CONSTRAINT' });
  t.same(shown.now.data, await other.from('tags').list(byName));
});

test('a lost connection keeps the last snapshot, which is stale, and the next one follows', async t => {
  const { db, other, cache, proxy, wire } = await liveStore(t);
  const shown = show<Names>(t, cache, queriesOf(db, 'tags').list(byName, { live: true }));
  await until('the list', () => shown.now.isSuccess);
  const before = shown.now.data;
  proxy.refuse(true);
  proxy.drop();
  await until('it is lost', () => shown.now.isStale);
  t.same([shown.now.data, shown.now.status], [before, 'success']);
  await other.from('tags').create({ name: 'a first' });
  proxy.refuse(false);
  await until('it is live again', () => !shown.now.isStale);
  await until('the list', () => shown.now.data?.data[0]?.name === 'a first');
  t.ok(wire.opened > 1);
});

test('a live row has the errors of a request: its removal, a refusal, and what ends them', async t => {
  const { db, other, cache, asked, hold } = await liveStore(t);
  const { id } = await other.from('tags').create({ name: 'seen' });
  const tags = queriesOf(db, 'tags');
  const shown = show<{ name: string }>(t, cache, tags.get(id, { fields: ['name'] }, { live: true }));
  await until('the row', () => shown.now.data?.name === 'seen');
  t.same(shown.now.data, await other.from('tags').get(id, { fields: ['name'] }));
  await other.from('tags').update(id, { name: 'changed' });
  await until('the change', () => shown.now.data?.name === 'changed');
  await other.from('tags').remove(id);
  await until('it is gone', () => shown.now.isError);
  t.match(shown.now, { error: { name: 'RowgateError', code: 'NOT_FOUND', status: 404 }, data: { name: 'changed' } });
  await other.from('tags').create({ id, name: 'back' });
  await until('it is back', () => shown.now.isSuccess);
  t.match(shown.now, { error: null, data: { name: 'back' } });

  asked.length = 0;
  const release = hold();
  await other.from('tags').remove(id);
  await until('it was answered that it is gone', () => asked.length === 1);
  await other.from('tags').create({ id, name: 'again' });
  await until('it is back', () => shown.now.data?.name === 'again');
  release();
  await db.from('tags').count();
  t.match(shown.now, { error: null, status: 'success' }, 'an answer from before the last snapshot counts for nothing');

  const wrong = tags.list({ where: { nothing: 1 } } as never, { live: true });
  const caches = [cache, new QueryClient()];
  for (const its of caches) {
    const refused = show(t, its, wrong);
    await until('it is refused', () => refused.now.isError);
    t.match(refused.now, { error: { code: 'UNKNOWN_FILTER_FIELD' }, data: undefined }, 'of another cache too');
  }
  for (const its of caches) its.clear();

  const missing = show(t, cache, tags.get(9999, {}, { live: true }));
  await until('the first read has failed', () => missing.now.isError && !missing.now.isFetching);
  missing.hide();
  await t.rejects(cache.query(tags.get(9999, {}, { live: true })), { code: 'NOT_FOUND' });
  await t.rejects(cache.query(tags.list({ where: { nothing: 1 } } as never, { live: true })), { code: 'UNKNOWN_FILTER_FIELD' });
  await t.rejects(cache.query(tags.list({ where: { id: NaN } }, { live: true })), { code: 'INVALID_INPUT' });
});
