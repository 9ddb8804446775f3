import { test } from 'tap';
import postgres from 'postgres';
import { serverUrl } from '../harness/server.ts';
import { open, reader } from './client.ts';

const SETUP = `
  create extension vector;
  create table doc (id int primary key, kind text not null, embedding vector(3));
  alter table doc enable row level security; create policy p on doc using (true);
  insert into doc values (1, 'a', '[1,0,0]'), (2, 'a', '[0.9,0.1,0]'), (3, 'b', '[0,1,0]'), (4, 'b', '[0,0,1]'), (5, 'b', null);
  insert into doc select n, 'c', array[sin(n) / 2, cos(n * 1.3), sin(n * 2.1)]::vector from generate_series(6, 2000) n;
  create index on doc using hnsw (embedding vector_cosine_ops);
  analyze doc`;

/** pgvector is an extension that a server may lack; where it does, no part of this can be tried. */
async function hasVector(): Promise<boolean> {
  const sql = postgres(await serverUrl(), { max: 1 });
  const [row] = await sql`select exists (select from pg_available_extensions where name = 'vector') as found`;
  await sql.end();
  return row?.['found'] === true;
}

const found = await hasVector();
if (!found) console.log('# this server has no pgvector: vector search is not tested on it');
const search = (rest: string) => `vector_search=embedding&vector=${encodeURIComponent('[1,0,0]')}${rest}`;

if (found) test('the nearest rows come first, with their distance', async t => {
  const { get, refused, service } = await reader(t, { template: 'served', setup: SETUP });
  const near = await get(`doc?${search('&limit=2&fields=kind')}`);
  t.same(near.data, [{ id: 1, kind: 'a', _distance: 0 }, { id: 2, kind: 'a', _distance: near.data[1]._distance }]);
  t.equal(near.meta.nextCursor, undefined);
  t.equal((await get(`doc?${search('')}`)).data.length, 10, 'ten by default');
  const filtered = await get(`doc?${search('&kind=b&vector_distance=l2')}`);
  t.same(filtered.data.map(({ id }: { id: number }) => id), [4, 3, 5], 'filters narrow first; rows without a vector come last');
  t.equal(filtered.data[2]._distance, null);
  t.same((await get(`doc?${search('&kind=b&vector_threshold=2')}`)).meta.total, 2, 'the threshold leaves them out');
  t.same(await get(`doc/count?${search('&vector_threshold=0.008')}`), { count: 2 });
  t.equal((await get(`doc?${search('&kind=a&vector_distance=inner_product')}`)).data[0]._distance, -1, 'the inner product is negated');

  t.match(await refused('doc?vector_search=kind&vector=[1]'), { status: 400, code: 'UNKNOWN_VECTOR_PROPERTY' });
  t.match(await refused('doc?vector_search=embedding&vector=[1,2]'), { status: 400, code: 'INVALID_VECTOR' }, 'a vector of another length');
  t.match(await refused('doc?embedding=eq.1'), { status: 400, code: 'INVALID_FILTER_FIELD' });

  const plan = await service.sql`select line
    from service.explain('doc', '{"vector":{"property":"embedding","vector":"[1,0,0]"},"limit":2}') line`;
  const [version] = await service.sql`select current_setting('server_version_num')::int >= 160000 as counts`;
  const isServed = plan.some(({ line }) => /Index Scan using doc_embedding_idx/.test(String(line)));
  t.equal(isServed, version?.['counts'],
    'the index serves it, but on PostgreSQL 15, which does not count on a page\'s end when it plans, and sorts');
});

/** Everything that an index leaves out or thins out: many rows that a filter drops, NULLs, zero vectors. */
const CROWD = (index: string) => `
  create extension vector;
  create table doc (id int primary key, kind int not null, embedding vector(3));
  insert into doc select n, n % 50, case when n % 100 = 7 then null when n % 100 = 8 then '[0,0,0]'
  else array[sin(n), cos(n * 1.3), sin(n * 2.1)]::vector end from generate_series(1, 3000) n;
  ${open('doc')}
  create index on doc using ${index};
  analyze doc`;

// pgvector before 0.8 behaves as 0.8 does without iterative scans.
for (const index of [
  'hnsw (embedding vector_cosine_ops)', 'ivfflat (embedding vector_cosine_ops) with (lists = 20)',
  'hnsw (embedding vector_cosine_ops); update pg_extension set extversion = \'0.7.4\' where extname = \'vector\'',
]) {
  if (found) test(`pages are whole and their totals right beside an index: ${index}`, async t => {
    const { get, service: { sql } } = await reader(t, { template: 'served', setup: CROWD(index) });
    const exact = (where: string, distance = "embedding <=> '[1,0,0]'") =>
      sql.unsafe(`select id from doc where ${where} order by nullif(${distance}, 'NaN'), id desc`).then(rows => rows.map(({ id }) => id));
    for (const limit of [50, 100, 999, 1000]) {
      const page = await get(`doc?${search(`&limit=${limit}`)}`);
      t.same([page.data.length, page.meta], [limit, { total: 3000, limit, offset: 0, hasMore: true }], `limit ${limit}`);
    }
    for (const offset of [60, 980, 2900, 2990, 3000]) {
      const page = await get(`doc?${search(`&limit=20&offset=${offset}`)}`);
      t.same([page.data.length, page.meta], [Math.min(20, 3000 - offset), { total: 3000, limit: 20, offset, hasMore: offset + 20 < 3000 }],
        `offset ${offset}`);
    }
    const last = await get(`doc?${search('&limit=61&offset=2939')}`);
    t.same(last.data.map((row: { id: number }) => row.id), (await exact('true')).slice(2939),
      'rows without a vector, or without an angle, come last');
    t.same(new Set(last.data.slice(1).map((row: { _distance: number }) => row._distance)), new Set([null]), 'and have no distance');
    for (const kind of [0, 7, 8]) {
      const page = await get(`doc?${search(`&kind=${kind}&limit=100`)}`);
      t.same(page.data.map((row: { id: number }) => row.id), await exact(`kind = ${kind}`), 'filters narrow first');
      t.same([page.meta.total, page.meta.hasMore, await get(`doc/count?${search(`&kind=${kind}`)}`)], [60, false, { count: 60 }]);
      const ten = await get(`doc?${search(`&kind=${kind}`)}`);
      t.same([ten.data.length, ten.meta], [10, { total: 60, limit: 10, offset: 0, hasMore: true }]);
    }
    t.same((await get(`doc?${search('&limit=100&vector_threshold=0.5')}`)).meta.total,
      (await get(`doc/count?${search('&vector_threshold=0.5')}`)).count);
    t.equal((await get(`doc?${search('&limit=40')}`, 'count=estimated')).meta.total, 3000);
    const plain = await get(`doc?${search('&limit=5&kind=1')}`);
    t.same(await get(`doc?${search('&limit=5&kind=1&orderBy=_distance')}`), plain, 'the distance is a key that changes nothing');
    t.same(await get(`doc/count?${search('&kind=1&orderBy=_distance')}`), { count: 60 });
    t.same(await get(`doc?${search('&limit=5&kind=1&orderBy=["id:desc","_distance:desc"]')}`), plain);
  });
}

if (found) test('the distance is a key of vector searches alone', async t => {
  const { refuses } = await reader(t, { template: 'served', setup: SETUP });
  t.match(await refuses('doc?orderBy=_distance', 400, 'UNKNOWN_ORDER_BY_FIELD'), { field: '_distance', collection: 'doc' });
  t.match(await refuses(`doc?${search('&orderBy=["_distance","nope"]')}`, 400, 'UNKNOWN_ORDER_BY_FIELD'), { field: 'nope' });
  t.match(await refuses(`doc?${search('&orderBy=["_distance","embedding"]')}`, 400, 'ORDER_BY_FIELD_NOT_SORTABLE'), { field: 'embedding' });
});

if (found) test('a masked vector does not reveal its distance', async t => {
  const { refuses, service } = await reader(t, { template: 'served', setup: SETUP });
  await service.sql`update service.properties set attributes = attributes || '{"masked": true}'
    where collection = 'doc' and name = 'embedding'`;
  await service.sql`update service.catalog set version = version + 1`;
  await service.database.catalog.refresh();
  for (const path of ['doc', 'doc/count']) {
    t.match(await refuses(`${path}?${search('&vector_threshold=0.1')}`, 400, 'FIELD_NOT_READABLE'), { fields: ['embedding'] });
  }
  const { body } = await service.request('/docs');
  t.notMatch(JSON.stringify(body.paths['/data/doc']), /vector_search/);
});

if (found) test('a search in psql leaves the settings of its transaction as they were', async t => {
  const { service: { sql } } = await reader(t, { template: 'served', setup: SETUP });
  const settings = async (sql: postgres.TransactionSql) => Object.values((await sql`select current_setting('hnsw.ef_search') as a,
    current_setting('hnsw.iterative_scan', true) as b, current_setting('ivfflat.iterative_scan', true) as c`)[0] ?? {});
  const searched = (sql: postgres.TransactionSql) =>
    sql`select service.list('doc', '{"vector":{"property":"embedding","vector":"[1,0,0]"},"limit":500}') -> 'meta' ->> 'limit' as limit`;
  await sql.begin(async sql => {
    t.same(await searched(sql), [{ limit: '500' }]);
    const [row] = await sql`select array_agg(boot_val order by name) as boot from pg_settings
      where name in ('hnsw.ef_search', 'hnsw.iterative_scan', 'ivfflat.iterative_scan')`;
    t.same((await settings(sql)).filter(value => value !== null), row?.['boot'], 'as the extension has them');
    await sql`select set_config('hnsw.ef_search', '77', true)`;
    const before = await settings(sql);
    await searched(sql);
    t.same(await settings(sql), before, 'as the transaction had them');
  });
});

if (found) test('sparse vectors are PostgreSQL\'s text', async t => {
  const { get } = await reader(t, { template: 'served', setup: `
    create extension vector; create table words (id int primary key, weights sparsevec(1000000), half halfvec(2));
    alter table words enable row level security; create policy p on words using (true);
    insert into words values (1, '{1:0.5,7:1}/1000000', '[1,2]'), (2, null, null)` });
  t.same(await get('words/1'), { id: 1, weights: '{1:0.5,7:1}/1000000', half: [1, 2] });
  t.same(await get('words/2'), { id: 2, weights: null, half: null });
  t.equal((await get('words')).data.length, 2);
});
