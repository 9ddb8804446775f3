import { test } from 'tap';
import type postgres from 'postgres';
import { createService, tokenFor } from '../harness/service.ts';

type Row = Record<string, unknown> & { id: string };
/** As the API writes it. */
type Answered = { id: string | number };
type Who = { uid: string; admin: boolean };

const COLLECTIONS = ['categories', 'products', 'tags', 'customers', 'orders', 'order_items', 'reviews'] as const;
type Store = Record<typeof COLLECTIONS[number] | 'product_tags', Row[]>;

/** The rules of examples/store/collections, said again over what the owner reads. */
function visible(store: Store, { uid, admin }: Who): Store {
  const customers = store.customers.filter(customer => admin || customer['uid'] === uid);
  const products = store.products.filter(product => admin || product['published'] === true);
  const orders = store.orders.filter(order => admin || customers.some(({ id }) => id === order['customer_id']));
  const hangsOnProduct = (row: Row): boolean => admin || products.some(({ id }) => id === String(row['product_id']));
  return {
    customers, products, orders,
    categories: store.categories,
    tags: store.tags,
    product_tags: store.product_tags.filter(hangsOnProduct),
    order_items: store.order_items.filter(item => admin || orders.some(({ id }) => id === String(item['order_id']))),
    reviews: store.reviews.filter(hangsOnProduct),
  };
}

test('each caller of the example store sees every row that the policies give, and no other', async t => {
  const { sql, request } = await createService(t, { template: 'served_store', env: { AUTH_REQUIRE: 'false' } });
  const store = await loaded(sql);
  const get = async (path: string, as: string | null): Promise<any> => (await request(`/data/${path}`, { as })).body;
  const signedIn = async (uid: string, roles: string[] = [], guest = false) =>
    ({ uid, admin: roles.includes('admin'), as: await tokenFor(uid, roles, guest ? { isAnonymous: true } : {}) });
  const customer = store.customers[3]?.['uid'] as string;
  const callers: (Who & { as: string | null })[] = [
    { uid: 'anonymous', admin: false, as: null },
    await signedIn('nobody.knows'),
    await signedIn('boss', ['editor', 'admin']),
    await signedIn('almost', ['Admin', 'ADMIN', 'administrator', 'admin ']),
    await signedIn(customer.toUpperCase()),
    await signedIn(customer, [], true),
    ...await Promise.all(store.customers.slice(0, 6).map(({ uid }) => signedIn(uid as string))),
  ];
  let [shown, hidden] = [0, 0];
  for (const { as, ...who } of callers) {
    const sight = visible(store, who);
    for (const collection of COLLECTIONS) {
      const expected = sight[collection].map(({ id }) => id).sort();
      const { data, meta } = await get(`${collection}?limit=1000`, as);
      t.same(data.map((row: Answered) => String(row.id)).sort(), expected, `${collection} as ${who.uid}`);
      t.equal(meta.total, expected.length);
      shown += expected.length;
      hidden += store[collection].length - expected.length;
    }
    const { data } = await get('products?limit=1000&include=tags,reviews', as);
    for (const product of data) {
      t.same(product.tags.map((tag: Answered) => String(tag.id)).sort(),
        sight.product_tags.filter(link => String(link['product_id']) === String(product.id)).map(link => String(link['tag_id'])).sort());
      t.equal(product.reviews.length, sight.reviews.filter(review => String(review['product_id']) === String(product.id)).length);
    }
  }
  t.ok(shown > 1000 && hidden > 1000, `${shown} rows shown, ${hidden} hidden`);
});

test('a hidden row is 404 by its address, alone or below others', async t => {
  const { sql, request } = await createService(t, { template: 'served_store' });
  const store = await loaded(sql);
  const [mine, other] = store.customers.filter(customer => store.orders.some(order => order['customer_id'] === customer.id));
  const as = await tokenFor(mine?.['uid'] as string);
  const orderOf = (customer?: Row): Row | undefined => store.orders.find(order => order['customer_id'] === customer?.id);
  const draft = store.products.find(product => product['published'] === false);
  const status = async (path: string): Promise<number> => (await request(`/data/${path}`, { as })).status;
  t.equal(await status(`customers/${mine?.id ?? ''}`), 200);
  t.equal(await status(`orders/${orderOf(mine)?.id ?? ''}`), 200);
  t.equal(await status(`customers/${mine?.id ?? ''}/orders/${orderOf(mine)?.id ?? ''}`), 200);
  for (const path of [`customers/${other?.id ?? ''}`, `orders/${orderOf(other)?.id ?? ''}`, `products/${draft?.id ?? ''}`,
    `customers/${other?.id ?? ''}/orders/${orderOf(other)?.id ?? ''}`, `customers/${mine?.id ?? ''}/orders/${orderOf(other)?.id ?? ''}`]) {
    t.equal(await status(path), 404, path);
  }
});

async function loaded(sql: postgres.Sql): Promise<Store> {
  const tables = await Promise.all([...COLLECTIONS, 'product_tags' as const].map(async table => {
    const rows = await sql<{ row: Record<string, unknown> }[]>`select to_jsonb(t) as row from ${sql(table)} t
      order by to_jsonb(t) ->> 'id'`;
    return [table, rows.map(({ row }) => ({ ...row, id: String(row['id']) }))] as const;
  }));
  return Object.fromEntries(tables) as Store;
}
