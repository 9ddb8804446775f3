import { test } from 'tap';
import { chinookAvailable } from '../harness/database.ts';
import { storeTables } from '../harness/service.ts';
import { reader } from './client.ts';

test('the example store answers over HTTP and in psql alike', async t => {
  const { get } = await reader(t);
  const page = await get('products?limit=2&include=category,tags,reviews&orderBy=price:desc');
  t.equal(page.data.length, 2);
  t.equal(page.meta.total, 60);
  t.ok(page.meta.nextCursor);
  const next = await get(`products?limit=2&after=${page.meta.nextCursor}`);
  t.equal(next.data.length, 2);
  t.same(await get('products/count?price=gt.100'), { count: 4 });
});

const somebodys = chinookAvailable
  ? { template: 'served_chinook' as const, row: 'album/1', parent: 'artist', children: 'track', name: 'AC/DC', count: 10 }
  : { template: 'served_store' as const, row: 'products/1', parent: 'category', children: 'reviews', name: 'Green tea', count: 2 };
test('an existing database is served without a definition', async t => {
  const { template, row, parent, children, name, count } = somebodys;
  const { get } = await reader(t, { template, env: { ...storeTables, SERVICE_UNPROTECTED_TABLES: 'serve' } });
  const body = await get(`${row}?include=${parent},${children}`);
  t.equal(body[parent].name, name);
  t.equal(body[children].length, count);
});
