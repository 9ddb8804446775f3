import { test } from 'tap';
import { searched } from './articles.ts';
import { client, query, serviceKey, user } from './client.ts';

const path = (searchString: string, more: Record<string, unknown> = {}) => `articles?${query({ searchString, fields: 'id', ...more })}`;

/** As no file may say it, and a hand may write it. */
const CLOSE = `
  update service.properties set read_roles = '{hr}' where collection = 'articles' and name = 'body';
  update service.properties set read_roles = '{}' where collection = 'articles' and name = 'maker';
  update service.catalog set version = version + 1;`;

test('a field that a caller may not read finds nothing, weighs nothing and shows nothing', async t => {
  const { service, column, get } = await searched(t, { language: 'english', mode: 'hybrid', fuzzy: true, unaccent: true });
  t.same(await column(path('boil')), [1]);
  t.same(await column(path('krakow')), [1]);
  const { _score: before } = (await get(path('green', { orderBy: '_score:desc' }))).data[0];
  await service.sql.unsafe(CLOSE).simple();
  await service.database.catalog.refresh();
  for (const text of ['boil', 'boi', 'boill', 'krakow', 'krak', 'beans']) {
    t.same(await column(path(text, { searchExplain: 'true' })), [], text);
    t.same(await get(`articles/count?${query({ searchString: text })}`), { count: 0 }, text);
    t.same(await get(`articles/aggregate?${query({ searchString: text, select: 'count()' })}`), { data: [{ count: 0 }] }, text);
  }
  t.match((await get(path('green', { searchExplain: 'true' }))).data,
    [{ id: 1, _matches: [{ field: 'title', snippet: '<mark>Green</mark> tea' }] }], 'the coffee has green in its body');
  t.equal((await get(path('green', { orderBy: '_score:desc' }))).data[0]._score, before);
  t.same(await column(path('leaf tea')), [1]);

  const hr = client(t, service, await user('hans', ['hr']));
  t.same(await hr.column(path('boil')), [1], 'who may read it finds it');
  t.same(await hr.column(path('krakow')), []);
  t.same((await hr.get(path('green', { searchExplain: 'true', limit: 1 }))).data[0]._matches,
    [{ field: 'body', snippet: '<mark>Green</mark> beans, roasted; nothing for tea drinkers' }]);
  t.same(await client(t, service, serviceKey).column(path('boil')), [1], 'and so do admins');
  t.same(await client(t, service, serviceKey).column(path('krakow')), [], 'what nobody may read nobody finds');

  await service.sql`update service.properties set read_roles = '{}' where collection = 'articles' and name in ('title', 'body', 'tags')`;
  await service.sql`update service.catalog set version = version + 1`;
  await service.database.catalog.refresh();
  t.same((await get(path('tea', { orderBy: '_score:desc', searchExplain: 'true' }))).data, [],
    'without a field that one may read there is no row');
  t.same((await get(`articles?${query({ searchString: '%' })}`)).meta.total, 0);
});

test('masked fields find nothing and show nothing in a search, for any caller', async t => {
  const { service, column, get } = await searched(t, { language: 'english', mode: 'hybrid', fuzzy: true, unaccent: true });
  await service.sql`update service.properties set attributes = attributes || '{"masked": true}'
    where collection = 'articles' and name = 'body'`;
  await service.sql`update service.catalog set version = version + 1`;
  await service.database.catalog.refresh();
  for (const text of ['boil', 'boi', 'beans']) t.same(await column(path(text, { searchExplain: 'true' })), [], text);
  t.match((await get(path('green', { searchExplain: 'true' }))).data, [{ id: 1, _matches: [{ field: 'title' }] }]);
});

test('rows are found by the index, under any row security', async t => {
  const { service, column } = await searched(t, { language: 'english', mode: 'hybrid', fuzzy: true, unaccent: true });
  await service.sql.unsafe(
    'insert into articles (id, title) select n, md5(n::text) || \' \' || md5((n * 7)::text) from generate_series(2000, 30000) n',
  ).simple();
  await service.sql`vacuum analyze articles`; // what was inserted last is not in a GIN index yet
  const plan = async (claims: string) => (await service.sql`select line from service.explain('articles',
    '{"search": {"text": "tea"}}', ${claims}::text::jsonb) line`).map(({ line }) => String(line)).join('\n');
  const asAnn = await plan('{"uid": "ann", "roles": ""}');
  t.match(asAnn, /Tid Scan on articles t[\s\S]*Filter: \(?open/, 'row security judges what the index found, and no other row');
  t.notMatch(asAnn, /Seq Scan/);
  const [finder] = await service.sql<{ body: string }[]>`select prosrc as body from pg_proc
    where proname = 'articles__search' and prosecdef`;
  const inner = /array\(([\s\S]*)\);/.exec(finder?.body ?? '')?.[1]?.replaceAll('$1', '\'tea\'') ?? '';
  const found = (await service.sql.unsafe(`explain ${inner}`)).map(row => String(row['QUERY PLAN'])).join('\n');
  t.match(found, new RegExp(['BitmapOr', 'Bitmap Index Scan on articles_search_vector_ix_\\w+',
    'Bitmap Index Scan on articles_search_vector_text_ix_\\w+', 'Bitmap Index Scan on articles_search_vector_text_ix_'].join('[^]*')));

  t.same(await column(path('tea')), [2, 1]);
  await service.sql`update articles set open = false where id = 2`;
  t.same(await column(path('tea')), [1], 'what is hidden now is not found');
  await service.sql`update articles set title = 'Black tea' where id = 1`;
  t.same(await column(path('black tea')), [1], 'what is written now is found now');
  t.same(await column(path('green')), []);
});

test('where row security asks nothing, the index serves the condition itself', async t => {
  const { service } = await searched(t, { language: 'english' }, { securityRules: [{ operation: 'select', access: 'public' }] });
  await service.sql.unsafe('insert into articles (id, title) select n, md5(n::text) from generate_series(2000, 30000) n').simple();
  await service.sql`vacuum analyze articles`; // what was inserted last is not in a GIN index yet
  const plan = (await service.sql`select line from service.explain('articles', '{"search": {"text": "tea"}}',
    '{"uid": "ann", "roles": ""}') line`).map(({ line }) => String(line)).join('\n');
  t.match(plan, /Bitmap Index Scan on articles_search_vector_ix_/);
  t.notMatch(plan, /articles__search/);
});

test('the end-user role cannot ask the finder for more than places of rows', async t => {
  const { service: { sql } } = await searched(t, { language: 'english' });
  const [row] = await sql`
    select p.prorettype::regtype::text as returns, array_to_string(p.proconfig, ';') as config,
    has_function_privilege('service_user', p.oid, 'execute') as called, has_function_privilege('public', p.oid, 'execute') as by_all
    from pg_proc p where p.proname = 'articles__search'`;
  t.same(row, { returns: 'tid[]', config: 'search_path=pg_catalog, pg_temp', called: true, by_all: false });
});
