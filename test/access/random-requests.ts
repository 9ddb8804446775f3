// Random requests of data for the example store, plain ones and those that are refused.
export type Sent = { method: string; path: string; body?: unknown; headers?: Record<string, string> };
/** Ids of the store, by collection, among them some that are no row's. */
export type Ids = Record<string, (string | number)[]>;
type Pick = <T>(from: readonly T[]) => T;

const RELATIONS: Record<string, string[]> = {
  products: ['category', 'tags', 'reviews', 'order_items'], orders: ['customer', 'order_items', 'shipment'], tags: ['products'],
  categories: ['parent', 'categories', 'products'], customers: ['orders', 'reviews'], bundles: ['products'],
  reviews: ['product', 'customer'],
};
const FIELDS: Record<string, string[]> = {
  products: ['id', 'name', 'price', 'cost', 'stock', 'published'], orders: ['id', 'status', 'shipping', 'placedAt'], tags: ['id', 'name'],
  categories: ['id', 'slug', 'position'], customers: ['id', 'name', 'city'], bundles: ['id', 'name', 'price'],
  reviews: ['id', 'rating', 'title'], shipments: ['id', 'carrier'], order_items: ['id', 'quantity', 'lineTotal'],
  daily_reports: ['id', 'day'],
};
const SLUGS = Object.keys(FIELDS);

export function randomRequest(below: (n: number) => number, ids: Ids): Sent {
  const pick: Pick = from => from[below(from.length)] as never;
  const idOf = (slug: string) => pick(ids[slug] ?? [1, 2, 'x']);
  const word = () => `w${below(12)}`;
  const tag = () => pick<object>([
    { name: word(), color: '#a0b0c0' }, { name: word() }, { name: 'rare' }, { name: '' }, { color: 'red' }, {},
    { name: word(), nothing: 1 }, { name: word(), products: [{ id: idOf('products') }] },
  ]);
  const review = () => ({
    product: idOf('products'), customer: idOf('customers'), author: word(), rating: below(7), title: word(), body: word(),
  });
  const price = () => pick<unknown>([3, 4.5, -1, 'dear', null, { $inc: 1 }, { $inc: 'x' }]);
  const slug = pick(SLUGS);
  const field = pick(FIELDS[slug] ?? []);

  const reads: (() => string)[] = [
    () => slug,
    () => `${slug}?limit=${below(8)}&offset=${below(5)}&orderBy=${field}:${pick(['asc', 'desc', 'up'])}`,
    () => `${slug}?${field}=${pick(['gt', 'eq', 'lt', 'in', 'nope'])}.${pick(['1', '5', 'x', '2026-01-01'])}&limit=5`,
    () => `${slug}?fields=${field},${pick(['id', 'cost', 'nothing'])}&limit=3`,
    () => `${slug}?include=${pick(RELATIONS[slug] ?? ['nothing'])}&limit=3`,
    () => `${slug}/${idOf(slug)}`,
    () => `${slug}/${idOf(slug)}?include=${pick(RELATIONS[slug] ?? ['*'])}`,
    () => `${slug}/${idOf(slug)}/${pick(RELATIONS[slug] ?? ['nothing'])}?limit=3`,
    () => `${slug}/count`,
    () => `${slug}/aggregate?select=count(),max(${field})`,
    () => `products?searchString=${pick(['tea', 'cup', 'zzz'])}&limit=3`,
    () => `tags/${idOf('tags')}/history`,
    () => pick(['nothing', 'nothing/1', 'tags/%zz', 'tags//1', 'tags/1/nothing/2/x', 'products?explain=maybe', 'tags?limit=-1', '_batch']),
  ];
  const writes: (() => Sent)[] = [
    () => ({ method: 'POST', path: 'tags', body: tag() }),
    () => ({ method: 'POST', path: 'tags?on_conflict=name', body: tag() }),
    () => ({ method: 'POST', path: 'tags', body: tag(), headers: { 'idempotency-key': `key-${below(3)}` } }),
    () => ({ method: 'POST', path: 'tags', body: tag(), headers: { prefer: 'return=minimal' } }),
    () => ({ method: 'PATCH', path: `tags/${idOf('tags')}`, body: tag() }),
    () => ({ method: 'DELETE', path: `tags/${idOf('tags')}` }),
    () => ({ method: pick(['PATCH', 'PUT']), path: `products/${idOf('products')}`, body: { [pick(['price', 'stock', 'cost'])]: price() } }),
    () => ({ method: 'DELETE', path: `${slug}/${idOf(slug)}` }),
    () => ({ method: 'PATCH', path: `${slug}/${idOf(slug)}`, body: { [field]: pick<unknown>([1, word(), null]) } }),
    () => ({ method: 'PATCH', path: `customers/${idOf('customers')}`, body: { city: word(), newsletter: pick<unknown>([true, 'x']) } }),
    () => ({ method: 'POST', path: 'reviews', body: review() }),
    () => ({
      method: 'PATCH', path: `reviews/${idOf('reviews')}`, body: { rating: below(7) }, headers: { 'if-match': pick(['*', '"abc"']) },
    }),
    () => ({ method: 'POST', path: `products/${idOf('products')}/tags`, body: tag() }),
    () => ({ method: 'DELETE', path: `products/${idOf('products')}/tags/${idOf('tags')}` }),
    () => ({ method: 'PATCH', path: `bundles/1/products/${idOf('products')}`, body: { _pivot: { quantity: below(4) } } }),
    () => ({ method: 'POST', path: 'tags/bulk', body: { rows: [tag(), tag()] } }),
    () => ({
      method: 'PATCH', path: 'tags/bulk', body: { updates: [{ id: idOf('tags'), name: word() }, { id: idOf('tags'), data: tag() }] },
    }),
    () => ({ method: 'POST', path: 'tags/bulk/delete', body: { ids: [idOf('tags')] } }),
    () => ({ method: 'POST', path: '_batch', body: { operations: [
      { op: 'create', collection: 'tags', ref: 'new', values: tag() },
      { op: 'update', collection: 'tags', id: { $ref: 'new.id' }, values: { color: '#111111' } },
      { op: pick(['update', 'delete', 'upset']), collection: pick(['tags', 'products']), id: idOf('tags'), values: { color: '#222222' } },
    ] } }),
    () => ({
      method: 'POST', path: 'order_items',
      body: { order: idOf('orders'), product: idOf('products'), unitPrice: 3, quantity: below(3) },
    }),
    () => ({ method: 'POST', path: `tags/${idOf('tags')}/history/${pick(ids['history'] ?? ['x'])}/revert` }),
    () => ({ method: pick(['POST', 'PATCH', 'DELETE']), path: pick(['nothing', 'tags/1/2', 'tags', 'tags/1', '_batch']), body: [1] }),
  ];
  return below(2) === 0 ? { method: 'GET', path: pick(reads)() } : pick(writes)();
}
