import { test } from 'tap';
import { createClient, RowgateError, type Batch } from '../../client/src/index.ts';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { refusal, storeClient } from './service.ts';
import { schema, type Schema } from './store.types.ts';

const CUSTOMER = '44778d0c-977c-a576-93fc-954fec42422d';
const ADDRESS = { street: 'Rua 1', city: 'Porto', country: 'PT' };

test('a list answers its query, with the rows that it includes', async t => {
  const { db } = await storeClient(t);
  const { data, meta } = await db.from('products').list({
    where: { price: ['<', 8], 'category.slug': ['in', ['sweets', 'preserves']], 'attributes->grams': ['>', 50] },
    fields: ['name', 'price'],
    include: { category: { fields: ['slug'] }, tags: { fields: ['name'], limit: 1, orderBy: [{ field: 'name' }] } },
    orderBy: [{ field: 'price', direction: 'desc' }],
  });
  t.ok(data.length > 0 && meta.total === data.length);
  for (const { price, category, tags } of data) {
    t.match(price, /^\d+\.\d\d$/, 'with every digit');
    t.ok(['sweets', 'preserves'].includes(category.slug) && tags.length <= 1);
  }
  const either = await db.from('products').list({
    or: [{ column: 'price', operator: '>', value: 150 }, { type: 'and', conditions: [
      { column: 'origin', operator: '==', value: 'JP' }, { column: 'price', operator: '<', value: 8 }] }],
  });
  t.equal(either.meta.total, 3);
  t.same(Object.keys((await db.from('products').list({ count: 'none', limit: 1 })).meta), ['limit', 'offset', 'hasMore', 'nextCursor']);
  const [best] = (await db.from('products').list({ searchString: 'seyes', searchExplain: true, orderBy: [{ field: '_score' }] })).data;
  t.equal(best?._matches?.[0]?.field, 'name');
  t.equal(typeof best?._score, 'number');
});

test('each walks over all pages, by cursor and without one', async t => {
  const { db } = await storeClient(t);
  const seen = new Set<number>();
  for await (const { id } of db.from('products').each({ fields: ['id'], limit: 7, orderBy: [{ field: 'price' }] })) seen.add(id);
  t.equal(seen.size, 60);
  const origins: string[] = [];
  for await (const { origin } of db.from('products').each({ fields: ['origin'], distinct: true, limit: 4 })) origins.push(origin);
  t.same(origins, [...new Set(origins)].sort());
  t.equal(origins.length, 29);
  const later: unknown[] = [];
  for await (const { origin } of db.from('products').each({ fields: ['origin'], distinct: true, limit: 4, offset: 3 })) later.push(origin);
  t.same(later, origins.slice(3));
  const left = new Set<number>();
  for await (const { id } of db.from('products').each({ limit: 7, offset: 3 })) left.add(id);
  t.equal(left.size, 57, 'an offset is where they begin');
});

test('get, count and aggregate', async t => {
  const { db } = await storeClient(t);
  const include = { customer: { fields: ['name'] }, order_items: { include: { product: true } } } as const;
  const order = await db.from('orders').get('1', { include });
  t.equal(order.id, '1');
  t.equal(order.customer?.name, 'João Pereira');
  t.same(order.order_items.map(({ lineTotal, product }) => [lineTotal, typeof product?.price, product?.id]),
    [['21.50', 'string', 31], ['6.90', 'string', 14]]);
  t.equal(await db.from('orders').count({ where: { shippedAt: null } }), 13);
  t.equal(await db.from('orders').count({ where: { shippedAt: ['is-not-null', null] } }), 59);
  t.same(await db.from('products').aggregate({ select: ['sum(stock)', 'max(price)', 'count()', 'min(id)'], where: { price: ['<', 10] } }),
    [{ sum_stock: '1317', max_price: '9.90', count: 12, min_id: 4 }]);
  const [group] = await db.from('products').aggregate({
    select: ['count()'], groupBy: ['origin'], orderBy: [{ field: 'count', direction: 'desc' }],
  });
  t.same(group, { origin: 'JP', count: 12 });
  t.same(await refusal(db.from('products').get(9999)), ['NOT_FOUND', 404]);
});

test('rows are created, changed, changed while they are as they were read, and deleted', async t => {
  const { db } = await storeClient(t);
  const tags = db.from('tags');
  const made = await tags.create({ name: 'spicy', color: '#b3422f' });
  t.match(made, { name: 'spicy', color: '#b3422f' });
  t.same(await tags.create({ name: 'mild' }, { fields: ['name'] }), { id: made.id + 1, name: 'mild' });
  const read = await tags.get(made.id);
  t.match(await tags.update(made.id, { color: '#c0392b' }, { ifMatch: read }), { color: '#c0392b' });
  t.same(await refusal(tags.update(made.id, { color: '#000000' }, { ifMatch: read })), ['PRECONDITION_FAILED', 412]);
  t.same(await refusal(tags.update(made.id, {}, { ifMatch: made })), ['INVALID_INPUT', 0], 'a row that no get returned');
  t.same(await refusal(tags.update(made.id, {}, { ifMatch: undefined as never })), ['INVALID_INPUT', 0], 'no tag is not every tag');
  const { data, meta } = await tags.createMany([{ name: 'sweet' }, { name: 'sour' }], { fields: ['name'] });
  t.same([data.map(({ name }) => name), meta], [['sweet', 'sour'], { written: 2 }]);
  t.equal((await tags.createMany([{ name: 'sour', color: '#111111' }], { onConflict: ['name'] })).data[0]?.id, data[1]?.id);
  const unsaid = { onConflict: undefined as unknown as ['name'] };
  t.same(await refusal(tags.upsert({ name: 'sour' }, unsaid)), ['INVALID_INPUT', 0]);
  t.match(await tags.upsert({ name: 'sour', color: '#c0c030' }, { onConflict: ['name'] }), { id: data[1]?.id, color: '#c0c030' });
  t.equal(await tags.remove(made.id), undefined);
  t.same(await refusal(tags.get(made.id)), ['NOT_FOUND', 404]);
  const history = await tags.history(data[1]?.id ?? 0, { limit: 2 });
  t.match(history.data.map(({ action, changed_fields, values }) => [action, changed_fields, values.color]),
    [['update', ['color'], '#c0c030'], ['update', ['color'], '#111111']]);
  t.match(await tags.revert(data[1]?.id ?? 0, history.data[1]?.id ?? ''), { color: '#111111' });
});

test('stored values are changed by operations, exact ones among them', async t => {
  const { db } = await storeClient(t);
  const before = await db.from('products').get(1);
  const after = await db.from('products').update(1, {
    stock: { $inc: -1 }, price: { $inc: '0.10' }, materials: { $push: 'cardboard' }, attributes: { $merge: { refill: true } },
  });
  t.equal(after.stock, before.stock - 1);
  t.equal(Math.round(Number(after.price) * 100), Math.round(Number(before.price) * 100) + 10);
  t.match(after, { materials: ['green tea', 'cardboard'], attributes: { refill: true } });
  const inside = { counter: { $inc: '5.10' }, list: [{ $inc: '1' }] };
  t.strictSame((await db.from('products').update(1, { attributes: inside })).attributes, inside, 'inside of JSON it is a text as any');
  t.match((await db.from('products').update(1, { attributes: { $merge: { $inc: '2' } } })).attributes, { ...inside, $inc: '2' });
  const [batched] = await db.batch(batch => [batch.update('products', 1, { attributes: inside, price: { $inc: '-0.10' } })]);
  t.match(batched, { attributes: inside, price: before.price });
  await db.from('products').update(1, { tags: [12, 3] });
  t.same((await db.from('products').related(1, 'tags').list({ fields: ['id'], orderBy: [{ field: 'id' }] })).data, [{ id: 3 }, { id: 12 }]);
});

test('rows that belong to a row are reached through it', async t => {
  const { db } = await storeClient(t);
  const sweets = db.from('categories').related(5, 'categories').related(18, 'products');
  t.equal(await sweets.count(), 4);
  t.equal((await sweets.get(53)).name, 'Modica chocolate, cinnamon');
  const bundle = db.from('bundles').related(1, 'products');
  const [first] = (await bundle.list({ fields: ['name'], orderBy: [{ field: 'name' }] })).data;
  t.same(first, { id: 39, name: 'Cuenco de Talavera', _pivot: { quantity: 1, note: 'Wide, so that the whisk has room.' } });
  await bundle.link(2);
  await bundle.updateLink(2, { quantity: 3 });
  await bundle.link(4);
  const links = await bundle.list({ where: { id: ['in', [2, 4]] }, orderBy: [{ field: 'id' }] });
  t.same(links.data.map(({ id, _pivot }) => [id, _pivot.quantity]), [[2, 3], [4, 1]]);
  await bundle.remove(2);
  t.same(await refusal(bundle.get(2)), ['NOT_FOUND', 404]);
  const order = await db.from('orders').create({ customerId: CUSTOMER, address: ADDRESS });
  const line = await db.from('orders').related(order.id, 'order_items').create({ orderId: order.id, productId: 1, unitPrice: '3.10' });
  t.match(line, { orderId: order.id, lineTotal: '3.10' });
});

test('a batch writes all or nothing, and its operations refer to rows before them', async t => {
  const { db } = await storeClient(t);
  const { order, items, gone } = await db.batch(batch => {
    const tag = batch.create('tags', { name: 'peaty' });
    const order = batch.create('orders', { customerId: CUSTOMER, address: ADDRESS, shipping: '4.90' });
    const items = [1, 2].map(productId => batch.create('order_items', { orderId: order.id, productId, unitPrice: 3 }));
    batch.update('orders', order.id, { shipping: { $inc: '0.10' }, note: order.note });
    return { order, items, gone: batch.remove('tags', tag.id) };
  });
  t.equal(gone, null);
  t.equal(order.shipping, '4.90', 'the row as that operation left it');
  t.same(items.map(({ orderId, lineTotal }) => [orderId, lineTotal]), [[order.id, '3.00'], [order.id, '3.00']]);
  t.equal((await db.from('orders').get(order.id)).shipping, '5.00');
  const before = await db.from('tags').count();
  const error: unknown = await db.batch(batch => {
    batch.create('tags', { name: 'left out' });
    batch.create('tags', { name: 'gift' });
  }).catch((reason: unknown) => reason);
  t.match(error, { code: 'PG_23505', status: 409, details: { index: 1 } });
  t.equal(await db.from('tags').count(), before);
  t.same(await refusal(db.batch(() => undefined)), ['INVALID_INPUT', 0]);
  for (const given of [{ $ref: 'o0.name' }, [{ deep: { $ref: '#/defs/a' } }], { $ref: 1 }]) {
    const copied = db.batch(batch => {
      void JSON.stringify(batch.create('tags', { name: 'copied' }).name);
      batch.update('products', 1, { attributes: { given } });
    });
    t.same(await refusal(copied), ['INVALID_INPUT', 0], 'what was given as JSON is no reference');
  }
  for (const id of [{ $ref: 'o0.id' }, undefined, null]) {
    t.same(await refusal(db.batch(batch => batch.remove('tags', id as never))), ['INVALID_INPUT', 0]);
  }
  const attributes = { texts: { $refs: 1, note: '"$ref":', list: ['$ref'] } };
  t.same((await db.batch(batch => batch.update('products', 1, { attributes }))).attributes, attributes, 'and other JSON goes as it is');
  const at = new Date(0);
  const dated = await db.batch(batch => ({ at, rows: [{ tag: batch.create('tags', { name: 'dated' }) }] }));
  t.equal(dated.at.getTime(), 0, 'an object of a class stays as it is');
  t.equal(dated.at, at);
  t.equal(dated.rows[0].tag.name, 'dated');
  const named = await db.batch(batch =>
    Object.assign(Object.create(null) as object, { constructor: batch.create('tags', { name: 'named' }) }));
  t.equal(named.constructor.name, 'named', 'whatever the members are called');
  let kept: Batch<Schema> | undefined;
  await db.batch(batch => { kept = batch; batch.create('tags', { name: 'kept' }); });
  t.throws(() => kept?.create('tags', { name: 'late' }), { code: 'INVALID_INPUT' }, 'what comes after it was sent is not lost in silence');
  const late = db.batch(async batch => {
    batch.create('tags', { name: 'early' });
    await Promise.resolve();
    batch.create('tags', { name: 'later' });
  });
  t.same(await refusal(late), ['INVALID_INPUT', 0]);
  t.equal(await db.from('tags').count({ where: { name: ['in', ['early', 'later', 'late']] } }), 0);
});

test('a failure is one class, with what the service says of it', async t => {
  const { db } = await storeClient(t);
  const error: unknown = await db.from('products').create({ name: 'x', price: -1 } as never).catch((reason: unknown) => reason);
  if (!(error instanceof RowgateError) || error.code !== 'VALIDATION_CONSTRAINT') return t.fail(String(error));
  t.equal(error.status, 400);
  t.match(error.requestId, /^[0-9a-f-]{36}$/);
  t.match(error.message, /sku is required/);
  t.ok(error.details.violations?.some(({ field }) => field === 'sku'));
});

test('the token is asked for before each request', async t => {
  const { service } = await storeClient(t);
  const staff = await tokenFor('ada', ['staff']);
  await service.account(staff);
  const tokens = [staff, undefined];
  const url = `${service.address}/api`;
  const db = createClient<Schema>({ url, schema, token: () => Promise.resolve(tokens.shift()), warn: () => undefined });
  t.equal((await db.from('products').get(1)).cost, '9.08');
  t.same(await refusal(db.from('products').get(1)), ['UNAUTHORIZED', 401]);
});

test('numbers may be rounded, and the client tells of another schema once', async t => {
  const { service } = await storeClient(t);
  const warnings: string[] = [];
  const warn = (text: string) => { warnings.push(text); };
  const options = { url: service.address, numbers: 'number' as const, token: SERVICE_KEY, warn };
  // A server without pgvector serves a field less than the types have.
  const { schemaVersion: version } = (await service.request('/meta/schema-version')).body as { schemaVersion: string };
  const db = createClient<Schema<number>>({ ...options, schema: { ...schema, version } });
  t.equal(typeof (await db.from('products').get(1)).price, 'number');
  const other = createClient<Schema<number>>({ ...options, schema: { ...schema, version: 'v1:older' } });
  other.from('tags');
  other.from('tags');
  await until('the warning', () => warnings.length > 0);
  await other.from('tags').count();
  t.match(warnings, [/v1:older/]);
  t.equal(warnings.length, 1);
});
