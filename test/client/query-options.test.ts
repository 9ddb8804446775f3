import { InfiniteQueryObserver, MutationObserver, QueryClient, QueryObserver, dehydrate, hashKey, hydrate } from '@tanstack/query-core';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { createClient, type AnySchema, type Client, type RowgateError } from '../../client/src/index.ts';
import { queriesOf, type PagesOptions } from '../../client/src/query-options.ts';
import type { Page } from '../../client/src/result.ts';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { createService, SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { vocabulary } from '../meta/vocabulary.ts';
import { storeClient } from './service.ts';

function cacheOf(t: Pick<Test, 'teardown'>): QueryClient {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  t.teardown(() => { cache.clear(); });
  return cache;
}

test('queries have the rows of their types, and keys that tell them apart', async t => {
  const { db } = await storeClient(t);
  const cache = cacheOf(t);
  const products = queriesOf(db, 'products');
  const cheap = products.list({ where: { price: ['<', 8n] }, fields: ['name'], include: { category: { fields: ['slug'] } }, limit: 2 });
  const { data, meta } = await cache.query(cheap);
  t.equal(data.length, 2);
  t.ok(meta.total > 2);
  const kept = cache.getQueryData(cheap.queryKey);
  t.same(kept?.data, data);
  t.equal(kept, cache.getQueryData(products.list({ limit: 2, include: { category: { fields: ['slug'] } }, fields: ['name'],
    where: { price: ['<', 8n] } }).queryKey), 'the order of members makes no other query');
  t.equal(cache.getQueryData(products.list({ limit: 3 }).queryKey), undefined);

  const one = await cache.query(products.get(1));
  t.equal(one.id, 1);
  t.equal(await cache.query(products.count({ where: { price: ['<', 8] } })), meta.total);
  t.match(await cache.query(products.aggregate({ select: ['max(price)'] })), [{ max_price: /^\d+\.\d\d$/ }]);
  t.not(JSON.stringify(products.get(1).queryKey), JSON.stringify(products.get(2).queryKey));
  await t.rejects(cache.query(products.get(9999)), { code: 'NOT_FOUND' });
  const values = [9, 9n, '9', null, 'null', NaN, 'NaN', Infinity, 'Infinity', -Infinity, undefined, 'undefined', true, 'true'];
  const keys = values.map(value => hashKey(products.list({ where: { 'attributes->weight': ['>', value] } } as never).queryKey));
  t.equal(new Set(keys).size, values.length, 'no value is taken for another');

  // As a server that renders hands its queries to the browser.
  const browser = cacheOf(t);
  hydrate(browser, JSON.parse(JSON.stringify(dehydrate(cache))));
  t.same(browser.getQueryData(cheap.queryKey)?.data, data);
});

test('pages follow the cursor, or count rows where there is none, to the last', async t => {
  const { db } = await storeClient(t);
  const cache = cacheOf(t);
  const products = queriesOf(db, 'products');
  const observer = new InfiniteQueryObserver(cache, products.pages({ fields: ['id'], limit: 25 }));
  t.teardown(observer.subscribe(() => undefined));
  await until('the first page', () => observer.getCurrentResult().isSuccess);
  await observer.fetchNextPage();
  const { data, hasNextPage } = await observer.fetchNextPage();
  t.same(data?.pages.map(page => page.data.length), [25, 25, 10]);
  t.equal(new Set(data?.pages.flatMap(page => page.data.map(({ id }) => id))).size, 60);
  t.equal(hasNextPage, false);

  async function walked<Row, M>(options: PagesOptions<Page<Row, M>>): Promise<Row[]> {
    const { pages } = await cache.infiniteQuery({ ...options, pages: 99 });
    t.ok(pages.length > 1);
    return pages.flatMap(page => page.data);
  }
  const all = (await db.from('products').list({ limit: 100 })).data;
  t.same(await walked(products.pages({ offset: 20, limit: 15 })), all.slice(20));
  t.same(await walked(products.pages({ count: 'none', limit: 40 })), all);
  const ranked = { searchString: 'tea', orderBy: [{ field: '_score', direction: 'desc' }, { field: 'id' }] } as const;
  t.same(await walked(products.pages({ ...ranked, limit: 4 })), (await db.from('products').list(ranked)).data);
  const origins = { distinct: true, fields: ['origin'] } as const;
  const distinct: { origin: string }[] = await walked(products.pages({ ...origins, offset: 1, limit: 2 }));
  t.same(distinct, (await db.from('products').list(origins)).data.slice(1), 'nothing but its fields');
  const near = walked(products.pages({ vector_search: 'taste', vector: [0, 0, 0, 1], limit: 25 }));
  const nearest = await near.then(
    rows => rows.map(({ _distance }): number | null => _distance).length, (error: unknown) => (error as RowgateError).code);
  t.ok([60, 'FEATURE_DISABLED'].includes(nearest), 'with pgvector and without');
});

test('a mutation makes the queries stale that read its collection, and no others', async t => {
  const { db } = await storeClient(t);
  const cache = cacheOf(t);
  const tags = queriesOf(db, 'tags');
  const products = queriesOf(db, 'products');
  const queries = {
    tags: tags.list(), one: tags.get(1), products: products.list({ limit: 1 }), bundles: queriesOf(db, 'bundles').list(),
    included: products.list({ limit: 1, include: { tags: { fields: ['name'] } } }),
    deep: queriesOf(db, 'bundles').list({ include: { products: { include: { tags: true } } } }),
    filtered: queriesOf(db, 'reviews').list({ where: { 'product.name': 'x' } }),
    sorted: products.list({ limit: 1, orderBy: [{ field: 'count(tags)' }] }),
  };
  for (const { queryKey, queryFn } of Object.values(queries)) {
    await cache.query({ queryKey: [...queryKey], queryFn: (asked): Promise<unknown> => queryFn(asked) });
  }
  const isStale = ({ queryKey }: { queryKey: readonly unknown[] }): boolean => cache.getQueryState(queryKey)?.isInvalidated === true;
  const stale = () => Object.entries(queries).filter(([, query]) => isStale(query)).map(([name]) => name);

  const create = tags.mutation((rows, name: string) => rows.create({ name }));
  const observer = new MutationObserver(cache, create);
  t.equal((await observer.mutate('nutty')).name, 'nutty');
  t.same(stale(), ['tags', 'one', 'included', 'deep', 'sorted']);
  t.same(create.meta.stale, ['tags']);

  const shown = new QueryObserver(cache, tags.list({ where: { name: 'earthy' } }));
  t.teardown(shown.subscribe(() => undefined));
  await until('the list', () => shown.getCurrentResult().isSuccess);
  await observer.mutate('earthy');
  t.equal(shown.getCurrentResult().data?.data.length, 1, 'what is shown is read again before the mutation ends');
  await t.rejects(observer.mutate('earthy'), { code: 'PG_23505' });

  const also = products.mutation(rows => rows.update(1, { stock: 3 }), { also: ['reviews'] });
  await new MutationObserver(cache, also).mutate();
  t.ok(['products', 'filtered'].every(name => stale().includes(name)));
  t.notOk(stale().includes('bundles'));
});

test('a mutation of a collection in between makes the queries stale that read through it', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(vocabulary) } });
  const [row] = await service.sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const file = join(t.testdir({ 'rowgate.types.ts': typesFile(row?.contract as Contract) }), 'rowgate.types.ts');
  const { schema } = await import(file) as { schema: Parameters<typeof createClient>[0]['schema'] };
  t.same(schema.collections['posts']?.through, [['audience', 'comments']]);
  const db = createClient<AnySchema>({ url: service.address, schema, token: SERVICE_KEY }) as Client<any>;
  const cache = cacheOf(t);
  const posts = queriesOf(db, 'posts');
  const [through, beside] = [posts.list({ include: { audience: true } }), posts.list({ include: { tags: true } })];
  for (const { queryKey, queryFn } of [through, beside]) {
    await cache.query({ queryKey: [...queryKey], queryFn: (asked): Promise<unknown> => queryFn(asked) });
  }
  const say = queriesOf(db, 'comments').mutation(rows => rows.create({ text: 'well said' }));
  await new MutationObserver(cache, say).mutate();
  t.same([through, beside].map(({ queryKey }) => cache.getQueryState(queryKey)?.isInvalidated), [true, false]);
});

test('a query that is no longer wanted is aborted, and a refusal is not asked again', async t => {
  let asked = 0;
  let sent = (): void => undefined;
  const signals: AbortSignal[] = [];
  const { db } = await storeClient(t, { fetch: (url, init) => {
    if ((url as string).includes('/data/')) {
      asked++;
      signals.push(init?.signal as AbortSignal);
      sent();
    }
    return fetch(url, init);
  } });
  const cache = cacheOf(t);
  const products = queriesOf(db, 'products');
  const cancel = (): void => { void cache.cancelQueries({ queryKey: products.list().queryKey }); };
  const early = cache.query(products.list());
  cancel();
  await t.rejects(early);
  t.equal(asked, 0, 'before it was sent it is not sent at all');
  sent = cancel;
  await t.rejects(cache.query(products.list()));
  t.equal(asked, 1);
  t.ok(signals[0]?.aborted);
  sent = () => undefined;
  asked = 0;
  await t.rejects(cache.query({ ...products.get(9999), retryDelay: 0 }), { code: 'NOT_FOUND' });
  t.equal(asked, 1);
});
