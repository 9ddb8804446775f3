import { test } from 'tap';
import { collections, createWriter } from '../write/client.ts';
import { client, open, query, reader } from './client.ts';

test('a distinct read returns the named columns, each combination once', async t => {
  const { get, refused, service: { sql } } = await reader(t);
  const origins = await sql`select distinct origin from products order by 1`;
  const page = await get('products?distinct=true&fields=origin');
  t.same(page.data, origins);
  t.same(page.meta, { total: origins.length, limit: 50, offset: 0, hasMore: false });
  const second = await get('products?distinct=true&fields=origin&orderBy=origin:desc&limit=2&offset=1');
  t.same(second.data, (await sql`select distinct origin from products order by 1 desc nulls first limit 2 offset 1`));
  t.same(second.meta, { total: origins.length, limit: 2, offset: 1, hasMore: true }, 'it has no cursor');
  t.equal((await get('products?distinct=true')).meta.total, 60, 'without fields there is nothing to collapse');
  t.match(await refused('products?distinct=true&fields=origin&orderBy=price'),
    { code: 'DISTINCT_ORDER_BY_NOT_SELECTED', details: { fields: ['price'] } });
});

const PEOPLE = `
  create table people (id integer primary key, boss_id integer references people, name text, note json, spot point, scores json[]);
  insert into people select n, nullif(n % 3, 0), 'p' || n % 2, '{}', '(1,2)', '{}' from generate_series(1, 6) n;
  ${open('people')}`;

test('a distinct read may be ordered by another name of what it returns', async t => {
  const { get, refuses } = await reader(t, { template: 'served', setup: PEOPLE });
  const bosses = [{ bossId: 1 }, { bossId: 2 }, { bossId: null }];
  for (const path of ['fields=bossId&orderBy=boss', 'fields=bossId&orderBy=boss_id', 'fields=boss_id&orderBy=bossId', 'fields=boss_id']) {
    t.same((await get(`people?distinct=true&${path}`)).data, bosses, path);
  }
  t.same((await get('people?distinct=true&fields=bossId,name&orderBy=boss:desc:last&limit=1&offset=1')).data, [{ bossId: 2, name: 'p1' }]);
  t.same(await refuses('people?distinct=true&fields=bossId&orderBy=["name","boss","id"]', 400, 'DISTINCT_ORDER_BY_NOT_SELECTED'),
    { fields: ['name', 'id'] });
  await refuses('people?distinct=true&fields=bossId&orderBy=count(people)', 400, 'DISTINCT_ORDER_BY_NOT_SELECTED');
  await refuses('people?distinct=true&fields=bossId&orderBy=nothing', 400, 'UNKNOWN_ORDER_BY_FIELD');
});

test('a count of a distinct read is its total', async t => {
  const { get, refuses } = await reader(t, { template: 'served', setup: PEOPLE });
  for (const fields of ['bossId', 'name', 'bossId,name', 'id']) {
    t.same(await get(`people/count?distinct=true&fields=${fields}`),
      { count: (await get(`people?distinct=true&fields=${fields}`)).meta.total }, fields);
  }
  t.same(await get('people/count?distinct=true&fields=name&id=gt.5'), { count: 1 });
  t.same(await get('people/count?distinct=true'), { count: 6 });
  await refuses('people/count?distinct=true&fields=nothing', 400, 'UNKNOWN_FIELD');
});

test('a distinct read includes what the columns that it returns lead to', async t => {
  const { get, refuses } = await reader(t, { template: 'served', setup: PEOPLE });
  t.same((await get('people?distinct=true&fields=bossId&include=boss&bossId=1')).data,
    [{ bossId: 1, boss: { id: 1, bossId: 1, name: 'p1', note: {}, spot: '(1,2)', scores: [] } }]);
  t.same((await get('people?distinct=true&fields=boss_id&include=boss&orderBy=boss')).data.map((row: any) => row.boss?.id ?? null),
    [1, 2, null]);
  t.same((await get(`people?distinct=true&fields=id&orderBy=id&limit=1&${query({ include: { people: { fields: ['id'] } } })}`)).data,
    [{ id: 1, people: [{ id: 4 }, { id: 1 }] }]);
  for (const path of ['people', 'people/count']) {
    t.same(await refuses(`${path}?distinct=true&fields=name&include=boss`, 400, 'DISTINCT_NOT_APPLICABLE'),
      { relation: 'boss', collection: 'people', fields: ['bossId'] });
    t.same(await refuses(`${path}?distinct=true&fields=name,bossId&include=*`, 400, 'DISTINCT_NOT_APPLICABLE'),
      { relation: 'people', collection: 'people', fields: ['id'] });
  }
  t.equal((await get('people?distinct=true&include=*')).data.length, 6, 'without fields rows are whole');
});

test('incomparable types cannot be collapsed', async t => {
  const { refuses } = await reader(t, { template: 'served', setup: PEOPLE });
  for (const [field, type, sqlType] of [['note', 'map', 'json'], ['spot', 'string', 'point'], ['scores', 'array', 'json[]']]) {
    for (const path of ['people', 'people/count']) t.same(await refuses(`${path}?distinct=true&fields=name,${field}`, 400,
      'DISTINCT_NOT_APPLICABLE'), { field, collection: 'people', type, sqlType });
  }
});

test('a distinct read of excluded fields alone is one empty row, where there is any', async t => {
  const notes = {
    slug: 'notes',
    properties: { id: { type: 'number', isId: 'increment' }, text: { type: 'string' }, hidden: { type: 'string', excludeFromApi: true } },
    securityRules: [{ access: 'public' }],
  };
  const service = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, notes) } });
  const { get } = client(t, service);
  const empty = { data: [], meta: { total: 0, limit: 50, offset: 0, hasMore: false } };
  t.same(await get('notes?distinct=true&fields=hidden'), empty);
  await service.sql`insert into notes (text, hidden) values ('a', 'x'), ('a', 'y')`;
  t.same(await get('notes?distinct=true&fields=hidden'), { data: [{}], meta: { ...empty.meta, total: 1 } });
  t.same(await get('notes?distinct=true&fields=hidden&offset=1'), { data: [], meta: { ...empty.meta, offset: 1, total: 1 } });
  t.same(await get('notes/count?distinct=true&fields=hidden'), { count: 1 });
  t.same((await get('notes?distinct=true&fields=hidden,text')).data, [{ text: 'a' }]);
});
