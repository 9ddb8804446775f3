import { test } from 'tap';
import { reader } from './client.ts';

test('aggregates, over everything and by group', async t => {
  const { get, refused, service: { sql } } = await reader(t);
  const [all] = await sql`select count(*)::int as count, sum(stock)::int as sum_stock, min(price)::float as min_price, max(name) as max_name
    from products`;
  t.same((await get('products/aggregate?select=count(),sum(stock),min(price),max(name)')).data, [all]);
  t.same((await get('products/aggregate?select=count(),sum(stock)&price=lt.0')).data, [{ count: 0, sum_stock: null }]);

  const groups = await sql`select origin, count(*)::int as count, trim_scale(avg(price))::float as avg_price
    from products group by 1 order by 1`;
  t.same((await get('products/aggregate?select=count(),avg(price)&groupBy=origin')).data, groups);
  const byCount = await get('products/aggregate?select=count()&groupBy=origin&orderBy=count:desc&limit=2&offset=1');
  t.same(byCount.data, (await sql`select origin, count(*)::int as count from products group by 1 order by 2 desc, 1 limit 2 offset 1`));
  const byTwo = await get('products/aggregate?select=count(origin),max(createdAt)&groupBy=published,categoryId'
    + '&orderBy=[{"field":"categoryId","direction":"desc"},{"field":"published"}]&limit=3');
  t.equal(byTwo.data.length, 3);
  t.match(byTwo.data[0].max_createdAt, /^\d{4}-\d\d-\d\dT.*Z$/);
  t.same((await get('categories/2/products/aggregate?select=count()')).data[0].count, (await get('products/count?categoryId=2')).count,
    'below a parent');

  t.match(await refused('products/aggregate?select=count()&groupBy=nope'),
    { status: 400, code: 'UNKNOWN_AGGREGATE_FIELD', details: { field: 'nope' } });
  t.match(await refused('products/aggregate?select=sum(nope)'), { code: 'UNKNOWN_AGGREGATE_FIELD' });
  t.match(await refused('products/aggregate?select=sum(name)'), { code: 'INVALID_AGGREGATE_SELECT' });
  t.same(await get('products/aggregate?select=count()&groupBy=category_id&orderBy=category_id:desc'),
    await get('products/aggregate?select=count()&groupBy=categoryId&orderBy=categoryId:desc'), 'columns by their own names');
  t.match(await refused('products/aggregate?select=count()&groupBy=origin&orderBy=price'), { code: 'UNKNOWN_ORDER_BY_FIELD' });
});

test('hidden rows are not aggregated', async t => {
  const { service } = await reader(t, { env: { AUTH_REQUIRE: 'false' } });
  const { body } = await service.request('/data/customers/aggregate?select=count()', { as: null });
  t.same(body, { data: [{ count: 0 }] });
});
