import { test } from 'tap';
import { reader } from './client.ts';

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
  t.match(await refused('products?distinct=true&fields=origin&orderBy=price'), { code: 'DISTINCT_ORDER_BY_NOT_SELECTED', details: { fields: ['price'] } });
});
