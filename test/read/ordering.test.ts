import t, { test } from 'tap';
import { createService } from '../harness/service.ts';
import { client, open, query } from './client.ts';

// id → n: 1 3, 2 1, 3 null, 4 1, 5 2. The other columns are one of each kind.
const service = await createService(t, {
  template: 'served',
  setup: `
    create type size as enum ('small', 'large');
    create table groups (id integer primary key, name text);
    create table items (
      id integer primary key, n integer, group_id integer references groups, size size, label text,
      at timestamptz, price numeric, ints integer[],
      map jsonb, plain json, xml xml, point point, bytes bytea, words tsvector, "count(n)" integer);
    insert into groups values (1, 'b'), (2, 'a');
    insert into items (id, n, group_id, size, label, at, price, ints, "count(n)") values
      (1, 3, 1, 'small', 'b', '2024-01-01 00:00:00.000002Z', 'NaN', '{1,2}', 5),
      (2, 1, 2, 'large', 'a', '2024-01-01 00:00:00.000001Z', 2, '{1}', 4),
      (3, null, null, null, null, null, null, null, 3), (4, 1, 1, 'large', 'B', '2023-01-01Z', 10, '{}', 2),
      (5, 2, 2, 'small', 'ä', 'infinity', -1, '{9}', 1);
    ${open('groups', 'items')}`,
});

async function orders(t: Parameters<typeof client>[0], list: [orderBy: unknown, ids: number[]][]): Promise<void> {
  const { column } = client(t, service);
  for (const [orderBy, ids] of list) t.same(await column(`items?${query({ orderBy })}`), ids, JSON.stringify(orderBy));
}

test('without an order, newest key first', async t => {
  t.same(await client(t, service).column('items'), [5, 4, 3, 2, 1]);
  await orders(t, [['[]', [5, 4, 3, 2, 1]], ['id', [1, 2, 3, 4, 5]], ['id:desc', [5, 4, 3, 2, 1]]]);
});

test('every spelling, ties in descending order of the key', t => orders(t, [
  ['n', [4, 2, 5, 1, 3]], ['n:asc', [4, 2, 5, 1, 3]], ['n:ASC', [4, 2, 5, 1, 3]], ['n:asc:last', [4, 2, 5, 1, 3]],
  ['n:asc:first', [3, 4, 2, 5, 1]], ['n:desc', [3, 1, 5, 4, 2]], ['n:DESC:last', [1, 5, 4, 2, 3]], ['n::', [4, 2, 5, 1, 3]],
  [[{ field: 'n' }], [4, 2, 5, 1, 3]], [[{ field: 'n', direction: 'desc', nulls: 'last' }], [1, 5, 4, 2, 3]],
  [['n:desc:last'], [1, 5, 4, 2, 3]], ['"n:desc"', [3, 1, 5, 4, 2]],
]));

test('later keys break the ties of earlier ones', t => orders(t, [
  [[{ field: 'n' }, { field: 'id' }], [2, 4, 5, 1, 3]],
  [['size:desc:last', 'n', 'id'], [2, 4, 5, 1, 3]],
  [['size', 'n:desc'], [1, 5, 4, 2, 3]],
  [['n', 'n:desc'], [4, 2, 5, 1, 3]],
]));

test('a belongsTo sorts by its foreign key, an enum by its declaration, text by the database', t => orders(t, [
  ['group', [4, 1, 5, 2, 3]], ['groupId:desc:last', [5, 2, 4, 1, 3]], ['group_id', [4, 1, 5, 2, 3]], ['size', [5, 1, 4, 2, 3]],
  ['label', [4, 2, 1, 5, 3]], ['at', [4, 2, 1, 5, 3]], ['price', [5, 2, 4, 1, 3]], ['ints', [4, 2, 1, 5, 3]],
  [['count(n)'], [5, 4, 3, 2, 1]],
]));

test('the last orderBy counts', async t => {
  t.same(await client(t, service).column('items?orderBy=n&orderBy=id'), [1, 2, 3, 4, 5]);
});

test('an order holds on nested lists too', async t => {
  const { column } = client(t, service);
  t.same(await column('groups/1/items?orderBy=n'), [4, 1]);
  t.same(await column(`groups/1/items?${query({ orderBy: [{ field: 'n', direction: 'desc' }] })}`), [1, 4]);
  t.same(await column('groups/1/items'), [4, 1]);
});

test('a plain order is written as an index has it', async t => {
  const statement = async (orderBy: object[]) => {
    const shape = { op: 'list', path: ['items'], orderBy, limit: { param: 2, bucket: 64 } };
    const [row] = await service.sql`select statement from service.compile(${JSON.stringify(shape)}::text::jsonb, '{}')`;
    return row?.['statement'] as string;
  };
  t.match(await statement([{ field: 'n', direction: 'asc' }]), /\border by t\.n asc, t\.id desc\n/);
  t.match(await statement([{ field: 'n', direction: 'asc', nulls: 'first' }]), /\border by t\.n asc nulls first, t\.id desc\n/);
  t.match(await statement([{ field: 'id', direction: 'asc', nulls: 'first' }]), /\border by t\.id asc\n/);
});

test('fields that cannot be sorted by', async t => {
  const { refuses } = client(t, service);
  for (const field of ['map', 'plain', 'xml', 'point', 'bytes']) {
    t.match(await refuses(`items?orderBy=${field}`, 400, 'ORDER_BY_FIELD_NOT_SORTABLE'), { field, collection: 'items' });
  }
  await refuses('groups?orderBy=items', 400, 'ORDER_BY_FIELD_NOT_SORTABLE');
  const details = await refuses('items?orderBy=nothing:desc', 400, 'UNKNOWN_ORDER_BY_FIELD');
  t.match(details, { field: 'nothing', collection: 'items' });
  t.ok(details.validFields.includes('groupId') && !details.validFields.includes('words'));
  for (const field of ['group.name', 'map->a', '_score', '_distance', 'words', '%2B1', 'n%20desc']) {
    await refuses(`items?orderBy=${field}`, 400, 'UNKNOWN_ORDER_BY_FIELD');
  }
  await refuses('groups?orderBy=max(items)', 400, 'ORDER_BY_FIELD_NOT_SORTABLE');
  for (const field of ['count(nothing)', 'max(items.nothing)', 'SUM(items.n)']) {
    await refuses(`groups?${query({ orderBy: field })}`, 400, 'UNKNOWN_ORDER_BY_FIELD');
  }
});
