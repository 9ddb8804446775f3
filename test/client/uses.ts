// Right and wrong uses of the types, for the compiler alone: test/client/uses.unit.test.ts.
import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { expectTypeOf } from 'expect-type';
import { queriesOf } from '../../client/src/query-options.ts';
import { realtime } from '../../client/src/realtime/realtime.ts';
import {
  addPasskey, listPasskeys, removePasskey, renamePasskey, signInWithPasskey, type Passkey,
} from '../../client/src/session/passkeys.ts';
import { resumableUpload, type ResumableOptions } from '../../client/src/uploads.ts';
import {
  callFunction, createClient, fileUrl, uploadFile, type Auth, type Client, type Live, type Operation, type Ref, RowgateError,
  type Session,
} from '../../client/src/index.ts';
import { schema, type Category, type Order, type Product, type Schema } from './store.types.ts';

export async function rightUses(db: Client<Schema>): Promise<void> {
  const { data, meta } = await db.from('orders').list({
    where: {
      status: 'paid', shipping: ['>', 3], 'customer.country': ['in', ['JP', 'PT']], 'address->city': 'Porto',
      placedAt: [['>=', new Date()], ['<', '2026-01-01']], note: null, shipment: ['is-not-null', null], customer: 'an-id', id: 1n,
    },
    or: [
      { column: 'status', operator: '==', value: 'paid' }, { column: 'id', operator: 'in', value: [1n, '2'] },
      { column: 'placedAt', operator: '>', value: new Date() }, { column: 'customer', operator: '!=', value: 'an-id' },
      { column: 'customer.country', operator: 'like', value: 'J%' }, { column: 'address->city', operator: 'ilike', value: 'porto' },
      { type: 'not', conditions: [{ column: 'note', operator: 'is-null' }, { column: 'shipment', operator: 'is-not-null', value: null }] },
    ],
    fields: ['id', 'shipping'],
    include: { customer: { fields: ['name'] }, order_items: { include: { product: true }, limit: 3 } },
    orderBy: [
      { field: 'placedAt', direction: 'desc' }, { field: 'max(customer.name)' }, { field: 'count(order_items)', nulls: 'last' },
      { field: 'sum(order_items.quantity)' }, { field: 'count(customer.preferences)' },
    ],
  });
  expectTypeOf<typeof meta.total>().toEqualTypeOf<number>();
  const [order] = data;
  expectTypeOf<keyof NonNullable<typeof order>>().toEqualTypeOf<'id' | 'shipping' | 'customer' | 'order_items'>();
  expectTypeOf<NonNullable<typeof order>['shipping']>().toEqualTypeOf<string>();
  expectTypeOf<NonNullable<typeof order>['customer']>().toEqualTypeOf<{ id: string; name: string } | null>(); // row security may hide it
  expectTypeOf<NonNullable<typeof order>['order_items'][number]['product']>().toEqualTypeOf<Product | null>();

  const product = await db.from('products').get(1, { include: { category: { fields: ['name'], include: { parent: true } } } });
  expectTypeOf<typeof product.cost>().toEqualTypeOf<string | null | undefined>();
  expectTypeOf<NonNullable<typeof product.category.parent>['position']>().toEqualTypeOf<number>();
  const narrowed = await db.from('products').get(1, { include: { category: { fields: ['slug'], where: { slug: 'ink' } } } });
  expectTypeOf<typeof narrowed.category>().toEqualTypeOf<{ id: number; slug: string } | null>();
  const grouped = await db.from('products').get(1, { include: { category: {
    logical: { type: 'or', conditions: [{ column: 'slug', operator: '==', value: 'ink' }] } } } });
  expectTypeOf<typeof grouped.category>().toEqualTypeOf<Category | null>();
  const whole = (await db.from('tags').list()).data.at(0);
  expectTypeOf<typeof whole>().toEqualTypeOf<{ id: number; name: string; color: string } | undefined>();

  const groups = await db.from('orders').aggregate({
    select: ['sum(shipping)', 'count()', 'max(placedAt)'], groupBy: ['status'], orderBy: [{ field: 'sum_shipping', direction: 'desc' }],
  });
  expectTypeOf<(typeof groups)[number]['sum_shipping']>().toEqualTypeOf<string | null>();
  expectTypeOf<(typeof groups)[number]['count']>().toEqualTypeOf<number>();
  expectTypeOf<keyof (typeof groups)[number]>().toEqualTypeOf<'sum_shipping' | 'count' | 'max_placedAt' | 'status'>();
  expectTypeOf<(typeof groups)[number]['status']>().toEqualTypeOf<'pending' | 'paid' | 'packed' | 'shipped' | 'delivered' | 'cancelled'>();

  const linked = await db.from('bundles').related(1, 'products').list({ fields: ['name'] });
  expectTypeOf<(typeof linked.data)[number]>()
    .toEqualTypeOf<{ id: number; name: string; _pivot: { quantity: number; note: string | null } }>();
  await db.from('bundles').related(1, 'products').updateLink(3, { note: 'a sample' });
  const deep = await db.from('categories').related(5, 'categories').related(18, 'products').count({ where: { price: ['<', '8'] } });
  expectTypeOf<typeof deep>().toEqualTypeOf<number>();

  const item = await db.from('orders').related(1, 'order_items').create({ productId: 1, unitPrice: '3.00' }, { fields: ['orderId'] });
  expectTypeOf<typeof item>().toEqualTypeOf<{ id: string; orderId: string }>();
  await db.from('orders').related(1, 'order_items').create({ orderId: 1, productId: 1, unitPrice: 3 });

  const done = await db.batch(batch => {
    const made = batch.create('orders', { customerId: 'x', address: { street: 'a', city: 'b', country: 'DE' } });
    const item = batch.create('order_items', { orderId: made.id, productId: 1, unitPrice: 3 });
    batch.update('orders', made.id, { shipping: { $inc: '0.50' } });
    batch.update('orders', item.orderId, { note: made.note, shipping: item.lineTotal, customerId: made.customerId });
    batch.update('products', item.productId, { cost: batch.update('products', 1, {}).cost });
    const tag = batch.create('tags', { name: 'a' });
    batch.update('products', 1, { tags: [1, tag.id], materials: [tag.name, 'b'] });
    batch.create('customers', {
      name: 'a', email: 'b', city: 'c', country: 'PT', uid: made.id, preferences: { order: made.id, tags: [{ id: tag.id }] },
    });
    batch.update('customers', made.customerId, { preferences: { $merge: { order: made.id } } });
    batch.update('products', 1, { stock: { $inc: item.quantity }, materials: { $push: [tag.name] } });
    batch.create('bundles', { name: 'a', price: item.unitPrice, products: [{ id: item.productId, _pivot: { quantity: item.quantity } }] });
    batch.remove('customers', made.customerId);
    const operation: Operation<Order> = made;
    expectTypeOf<typeof operation.note>().toEqualTypeOf<Ref<string | null>>();
    return { made, items: [item], gone: batch.remove('tags', 1) };
  });
  expectTypeOf<typeof done.made.id>().toEqualTypeOf<string>();
  expectTypeOf<(typeof done.items)[0]['lineTotal']>().toEqualTypeOf<string>();
  expectTypeOf<typeof done.gone>().toEqualTypeOf<null>();

  await db.from('products').update(1, { stock: { $inc: -1 }, materials: { $push: ['a', 'b'] }, attributes: { $merge: { a: [1] } } });
  const changes = await db.from('tags').history(1, { limit: 2 });
  expectTypeOf<(typeof changes.data)[number]['values']['name']>().toEqualTypeOf<string | undefined>();
  const found = await db.from('products').list({ searchString: 'tea', orderBy: [{ field: '_score' }] });
  expectTypeOf<(typeof found.data)[number]['_score']>().toEqualTypeOf<number | undefined>();
  for await (const { stock } of db.from('products').each({ fields: ['stock'] })) expectTypeOf<typeof stock>().toEqualTypeOf<number>();
  const origins = await db.from('products').list({ distinct: true, fields: ['origin'] });
  expectTypeOf<(typeof origins.data)[number]>().toEqualTypeOf<{ origin: string }>();
  const sellers = await callFunction(db, 'best_sellers', { since: new Date() }, {
    where: { pieces: ['>=', 10] }, fields: ['name', 'revenue'], orderBy: [{ field: 'revenue', direction: 'desc' }], count: 'none',
  });
  expectTypeOf<(typeof sellers.data)[number]>().toEqualTypeOf<{ name: string | null; revenue: string | null }>();
  expectTypeOf<keyof typeof sellers.meta>().toEqualTypeOf<'limit' | 'offset' | 'hasMore' | 'nextCursor'>();
  const rounded = createClient<Schema<number>>({ url: '', schema, numbers: 'number' });
  const [price] = (await rounded.from('products').list({ fields: ['price'] })).data;
  expectTypeOf<NonNullable<typeof price>['price']>().toEqualTypeOf<number>();
}

export function errors(error: unknown): string {
  if (!(error instanceof RowgateError)) return '';
  // @ts-expect-error a code that there is not
  if (error.code === 'NOT_FUND') return '';
  if (error.code === 'MFA_REQUIRED') return error.details.mfaToken;
  // @ts-expect-error only of MFA_REQUIRED
  return error.details.mfaToken;
}

interface Filed {
  version: '';
  digits: string;
  collections: { docs: { files: 'scan'; fields: { title: 'string'; text: 'json' } }; notes: { files: never } };
  functions: {};
}

export async function files(db: Client<Schema>, filed: Client<Filed>, file: Blob): Promise<void> {
  await uploadFile(db, 'a', file, { metadata: { alt: 'A lamp' }, onProgress: (sent, total) => { expectTypeOf<typeof sent>()
    .toEqualTypeOf<typeof total>(); } });
  await uploadFile(filed, 'a', file, { collection: 'docs', property: 'scan' });
  await uploadFile(filed, 'a', file, { collection: 'notes', property: 'gallery.image' });
  // @ts-expect-error a property that holds no file
  await uploadFile(filed, 'a', file, { collection: 'notes', property: 'scan' });
  // @ts-expect-error a collection that there is not
  await uploadFile(filed, 'a', file, { collection: 'doc', property: 'a.b' });
  // @ts-expect-error a format that there is not
  fileUrl(db, 'a', { format: 'gif' });
}

export async function resumableUploads(
  db: Client<Schema>, filed: Client<Filed>, file: Blob, stream: ReadableStreamDefaultReader,
): Promise<void> {
  const done = await resumableUpload(db, 'a', file, {
    contentType: 'video/mp4', bucket: 'films', signal: AbortSignal.timeout(1),
    onProgress: (sent, total) => { expectTypeOf<[typeof sent, typeof total]>().toEqualTypeOf<[number, number]>(); },
    tus: { onShouldRetry: (error, attempt) => {
      expectTypeOf<typeof attempt>().toEqualTypeOf<number>();
      return error.originalResponse?.getStatus() !== 400;
    } },
  });
  expectTypeOf<typeof done>().toEqualTypeOf<void>();
  await resumableUpload(db, 'a', new Uint8Array(1));
  await resumableUpload(db, 'a', stream, { tus: { chunkSize: 1, uploadSize: 1 } });
  await resumableUpload(filed, 'a', file, { collection: 'docs', property: 'scan' });
  expectTypeOf<NonNullable<ResumableOptions<Schema, never>['tus']>['chunkSize']>().toEqualTypeOf<number | undefined>();
  // @ts-expect-error a text is no file
  await resumableUpload(db, 'a', 'a film');
  // @ts-expect-error an option that tus-js-client does not have
  await resumableUpload(db, 'a', file, { tus: { chunks: 1 } });
  // @ts-expect-error a property that holds no file
  await resumableUpload(filed, 'a', file, { collection: 'notes', property: 'scan' });
}

export async function passkeys(auth: Auth, db: Client<Schema>): Promise<void> {
  const session = await signInWithPasskey(auth);
  expectTypeOf<typeof session>().toEqualTypeOf<Session>();
  const added = [await addPasskey(auth), await addPasskey(auth, { friendlyName: 'A phone' }), await renamePasskey(auth, 'an-id', 'A key')];
  expectTypeOf<typeof added>().toEqualTypeOf<Passkey[]>();
  const first = (await listPasskeys(auth)).at(0);
  expectTypeOf<typeof first>().toEqualTypeOf<Passkey | undefined>();
  expectTypeOf<Passkey['friendlyName']>().toEqualTypeOf<string | null>();
  await removePasskey(auth, 'an-id');
  // @ts-expect-error a name that is no text
  await addPasskey(auth, { friendlyName: 1 });
  // @ts-expect-error a client has a session, and is none
  await signInWithPasskey(db);
}

export async function queries(db: Client<Schema>, filed: Client<Filed>, cache: QueryClient): Promise<void> {
  const products = queriesOf(db, 'products');
  const list = products.list({ fields: ['name'], include: { category: { fields: ['slug'] } } });
  const { data } = await cache.query(list);
  expectTypeOf<typeof data>().toEqualTypeOf<{ id: number; name: string; category: { id: number; slug: string } }[]>();
  const kept = cache.getQueryData(list.queryKey);
  expectTypeOf<NonNullable<typeof kept>['data']>().toEqualTypeOf<typeof data>();
  const one = await cache.query(products.get(1));
  expectTypeOf<typeof one>().toEqualTypeOf<Product>();
  const rename = products.mutation((rows, name: string) => rows.update(1, { name }, { fields: ['name'] }));
  expectTypeOf<Parameters<typeof rename.mutationFn>>().toEqualTypeOf<[variables: string]>();
  // @ts-expect-error a collection that there is not
  queriesOf(db, 'product');
  // @ts-expect-error a field that there is not
  products.list({ fields: ['nmae'] });
  // @ts-expect-error an argument of another type
  await rename.mutationFn(1);
  // @ts-expect-error a client without realtime
  products.list({}, { live: true });
  queriesOf(filed, 'docs').aggregate({ select: ['count()'], groupBy: ['title'] });
  // @ts-expect-error JSON text has no order, and so no groups
  queriesOf(filed, 'docs').aggregate({ select: ['count()'], groupBy: ['text'] });
  // @ts-expect-error nor in requests
  await filed.from('docs').aggregate({ select: ['count()'], groupBy: ['text'] });
}

interface Columns { row: { a: string; b: number }; key: never; fields: { a: 'string'; b: 'number' }; relations: {} }
interface Called {
  version: ''; digits: string; collections: {};
  functions: { one: { args: { n: number }; value: number }; row: { args: {}; row: Columns } };
}

export async function wrongUses(db: Client<Schema>, called: Client<Called>): Promise<void> {
  // @ts-expect-error a collection that there is not
  db.from('order');
  const { data } = await db.from('orders').list({ fields: ['id'], include: { order_items: { include: { product: { fields: ['name'] } } } } });
  // @ts-expect-error not selected
  data[0]?.status;
  // @ts-expect-error not included
  data[0]?.customer;
  // @ts-expect-error not selected of what is included
  data[0]?.order_items[0]?.product?.price;
  // @ts-expect-error the key of a distinct list
  (await db.from('products').list({ distinct: true, fields: ['origin'] })).data[0]?.id;
  // @ts-expect-error a total that is not counted
  (await db.from('products').list({ count: 'none' })).meta.total;
  // @ts-expect-error may be missing
  (await db.from('products').get(1)).cost.length;
  // @ts-expect-error may be null
  (await db.from('orders').get(1, { include: { shipment: true } })).shipment.carrier;

  // @ts-expect-error an option that there is not
  await db.from('orders').list({ wher: {} });
  // @ts-expect-error a field that there is not
  await db.from('orders').list({ fields: ['nmae'] });
  // @ts-expect-error a field that there is not
  await db.from('orders').list({ where: { stauts: 'paid' } });
  // @ts-expect-error a field of a related row that there is not
  await db.from('orders').list({ where: { 'customer.nmae': 'a' } });
  // @ts-expect-error an operator that there is not
  await db.from('orders').list({ where: { note: ['>>', 'a'] } });
  // @ts-expect-error an operator alone
  await db.from('orders').list({ where: { note: ['like'] } });
  // @ts-expect-error a list of values without an operator
  await db.from('orders').list({ where: { note: ['a', 'b', 'c'] } });
  // @ts-expect-error a pattern for a number
  await db.from('products').list({ where: { stock: ['like', '1%'] } });
  // @ts-expect-error an order of lists
  await db.from('products').list({ where: { materials: ['>', 'a'] } });
  // @ts-expect-error a text for a whole number
  await db.from('products').list({ where: { stock: '1' } });
  // @ts-expect-error no such value of the enum
  await db.from('orders').list({ where: { status: 'payed' } });
  // @ts-expect-error a number has no array-contains, in a group either
  await db.from('orders').count({ or: [{ column: 'id', operator: 'array-contains', value: 'x' }] });
  // @ts-expect-error no such value of the enum
  await db.from('orders').count({ and: [{ column: 'status', operator: '==', value: 5 }] });
  // @ts-expect-error an operator without its value
  await db.from('orders').count({ not: [{ column: 'note', operator: '==' }] });
  // @ts-expect-error a map has no order
  await db.from('orders').count({ or: [{ column: 'address', operator: '>', value: 'a' }] });
  // @ts-expect-error a list takes in
  await db.from('orders').count({ or: [{ type: 'and', conditions: [{ column: 'note', operator: '==', value: ['a'] }] }] });
  // @ts-expect-error a pattern for a number of a related row
  await db.from('orders').count({ or: [{ column: 'order_items.quantity', operator: 'like', value: '1%' }] });
  // @ts-expect-error an order of related rows
  await db.from('orders').count({ or: [{ column: 'customer', operator: '>', value: 'an-id' }] });
  // @ts-expect-error no list inside of JSON
  await db.from('orders').count({ or: [{ column: 'address->city', operator: 'array-contains', value: 'a' }] });
  // @ts-expect-error a field that there is not
  await db.from('orders').count({ or: [{ column: 'nmae', operator: '==', value: 'a' }] });
  // @ts-expect-error in an include
  await db.from('tags').get(1, { include: { products: { logical: { type: 'or', conditions: [{ column: 'id', operator: 'like' }] } } } });
  // @ts-expect-error undefined would be dropped
  await db.from('orders').list({ where: { note: ['==', undefined] } });
  // @ts-expect-error a relation that there is not
  await db.from('orders').list({ include: { custmer: true } });
  // @ts-expect-error a field of what is included that there is not
  await db.from('orders').list({ include: { customer: { fields: ['nmae'] } } });
  // @ts-expect-error an option of an include that there is not
  await db.from('orders').list({ include: { customer: { filds: ['name'] } } });
  // @ts-expect-error a relation two hops away that there is not
  await db.from('orders').list({ include: { order_items: { include: { prodct: true } } } });
  // @ts-expect-error a condition on a field that there is not, two hops away
  await db.from('orders').list({ include: { order_items: { include: { product: { where: { nmae: 'a' } } } } } });
  // @ts-expect-error a direction that there is not
  await db.from('orders').list({ orderBy: [{ field: 'id', direction: 'down' }] });
  // @ts-expect-error a map has no order
  await db.from('orders').list({ orderBy: [{ field: 'address' }] });
  // @ts-expect-error a field of a related row
  await db.from('orders').list({ orderBy: [{ field: 'customer.name' }] });
  // @ts-expect-error a field of related rows
  await db.from('orders').list({ orderBy: [{ field: 'order_items.quantity' }] });
  // @ts-expect-error a text of a related row has no sum
  await db.from('orders').list({ orderBy: [{ field: 'sum(customer.name)' }] });
  // @ts-expect-error a map of related rows has no order
  await db.from('tags').list({ orderBy: [{ field: 'min(products.attributes)' }] });
  // @ts-expect-error a field of a related row of what is included
  await db.from('orders').list({ include: { order_items: { orderBy: [{ field: 'product.name' }] } } });
  await db.from('orders').list({ include: { order_items: { orderBy: [{ field: 'max(product.name)' }] } } });
  // @ts-expect-error an include has no search
  await db.from('tags').list({ include: { products: { orderBy: [{ field: '_score' }] } } });
  // @ts-expect-error a score without a search block
  await db.from('orders').list({ orderBy: [{ field: '_score' }] });
  // @ts-expect-error a text has no sum
  await db.from('orders').aggregate({ select: ['sum(status)'] });
  // @ts-expect-error no such aggregate
  await db.from('orders').aggregate({ select: ['median(shipping)'] });
  // @ts-expect-error a text for a number
  await db.from('tags').get('1');

  // @ts-expect-error a required field is missing
  await db.from('tags').create({ color: '#ffffff' });
  // @ts-expect-error a field that there is not
  await db.from('tags').create({ name: 'a', colour: '#ffffff' });
  // @ts-expect-error null where there is none
  await db.from('tags').create({ name: null });
  // @ts-expect-error a computed field
  await db.from('order_items').create({ orderId: 1, productId: 1, unitPrice: 1, lineTotal: 1 });
  // @ts-expect-error an operation in a create
  await db.from('order_items').create({ orderId: 1, productId: 1, unitPrice: { $inc: 1 } });
  // @ts-expect-error a text has no $inc
  await db.from('products').update(1, { name: { $inc: 1 } });
  // @ts-expect-error a number has no $push
  await db.from('products').update(1, { stock: { $push: 1 } });
  // @ts-expect-error the key of a row does not change
  await db.from('products').update(1, { id: 2 });
  // @ts-expect-error no such field of the link
  await db.from('bundles').related(1, 'products').updateLink(3, { amount: 2 });
  // @ts-expect-error these links say nothing
  await db.from('products').related(1, 'tags').updateLink(3, { amount: 2 });
  // @ts-expect-error a required field that is not the foreign key is missing
  await db.from('orders').related(1, 'order_items').create({ productId: 1 });
  // @ts-expect-error a field that there is not
  await db.from('orders').related(1, 'order_items').create({ productId: 1, unitPrice: 3, price: 3 });
  // @ts-expect-error related rows have no bulk
  await db.from('products').related(1, 'tags').createMany([]);
  // @ts-expect-error no history is kept
  await db.from('orders').history(1);
  // @ts-expect-error nothing is deleted softly
  await db.from('orders').restore(1);
  await db.batch(batch => {
    const made = batch.create('orders', { customerId: 'x', address: { street: 'a', city: 'b', country: 'DE' } });
    // @ts-expect-error a reference to a text where a number stands
    batch.create('order_items', { orderId: 1, productId: made.customerId, unitPrice: 3 });
    // @ts-expect-error a reference to a field that is no number where the id of an order stands
    batch.update('orders', made.status, {});
    // @ts-expect-error nor is an id of another kind
    batch.remove('tags', made.id);
    // @ts-expect-error a text where a number is written
    batch.update('orders', made.id, { shipping: made.customerId });
    // @ts-expect-error a reference that may be null where null does not fit
    batch.update('customers', made.customerId, { city: made.note });
    // @ts-expect-error a text among numbers
    batch.update('products', 1, { tags: [1, made.customerId] });
    // @ts-expect-error an operation that a map does not have
    batch.update('customers', made.customerId, { preferences: { $inc: 1 } });
    // @ts-expect-error a text where a number is added
    batch.update('products', 1, { stock: { $inc: made.customerId } });
    // @ts-expect-error a field of the row that there is not
    made.nmae;
  });
  // @ts-expect-error a function that there is not
  await callFunction(db, 'best_seller', {});
  // @ts-expect-error a required argument is missing
  await callFunction(db, 'best_sellers', {});
  // @ts-expect-error an argument that there is not
  await callFunction(db, 'best_sellers', { since: null, sinse: null });
  // @ts-expect-error a column that there is not
  await callFunction(db, 'best_sellers', { since: null }, { fields: ['nmae'] });
  // @ts-expect-error rows of no table have no relations
  await callFunction(db, 'best_sellers', { since: null }, { include: { product: true } });
  // @ts-expect-error a value has no query
  await callFunction(called, 'one', { n: 1 }, { fields: [] });
  // @ts-expect-error one row has no order
  await callFunction(called, 'row', {}, { orderBy: [] });
  // @ts-expect-error a row may be null
  (await callFunction(called, 'row', {})).a;
  // @ts-expect-error not selected
  (await callFunction(called, 'row', {}, { fields: ['a'] }))?.b;
  const one = await callFunction(called, 'one', { n: 1 });
  expectTypeOf<typeof one>().toEqualTypeOf<number>();
  // @ts-expect-error the types have text for exact numbers
  createClient<Schema>({ url: '', schema, numbers: 'number' });
  // @ts-expect-error the types have numbers
  createClient<Schema<number>>({ url: '', schema });
}

export async function liveQueries(db: Live<Schema> & Client<Schema>, cache: QueryClient): Promise<void> {
  const products = queriesOf(db, 'products');
  const list = products.list({ fields: ['name'], count: 'none' }, { live: true });
  const { data, meta } = await cache.query(list);
  expectTypeOf<typeof data>().toEqualTypeOf<{ id: number; name: string }[]>();
  // @ts-expect-error nothing is counted
  meta.total;
  const one = await cache.query(products.get(1, {}, { live: true }));
  expectTypeOf<typeof one>().toEqualTypeOf<Product>();
  new QueryObserver(cache, list);
  // @ts-expect-error a count is not live
  products.count({}, { live: true });
}

export function liveUses(db: Live<Schema>): void {
  db.from('orders').subscribe({
    where: { status: 'paid', 'customer.country': 'PT' }, fields: ['shipping'], include: { customer: { fields: ['name'] } }, limit: 5,
  }, snapshot => {
    expectTypeOf<keyof (typeof snapshot.data)[number]>().toEqualTypeOf<'id' | 'shipping' | 'customer'>();
    expectTypeOf<(typeof snapshot.data)[number]['customer']>().toEqualTypeOf<{ id: string; name: string } | null>();
    expectTypeOf<typeof snapshot.state>().toEqualTypeOf<'live' | 'catching up' | 'offline'>();
    expectTypeOf<typeof snapshot.meta.total>().toEqualTypeOf<number>();
  }, error => { expectTypeOf<typeof error>().toEqualTypeOf<RowgateError>(); });
  db.from('tags').subscribeOne(1, { fields: ['name'] }, ({ data }) => { expectTypeOf<typeof data>()
    .toEqualTypeOf<{ id: number; name: string } | null>(); });
  db.from('bundles').related(1, 'products').subscribe({ fields: ['name'], count: 'none' }, ({ data, meta }) => {
    expectTypeOf<(typeof data)[number]>().toEqualTypeOf<{ id: number; name: string; _pivot: { quantity: number; note: string | null } }>();
    // @ts-expect-error nothing is counted
    meta.total;
  });
  const without: Client<Schema> = createClient<Schema>({ url: '', schema, realtime });
  // @ts-expect-error a client without realtime
  without.channel('room');
  // @ts-expect-error a client without realtime
  without.from('orders').subscribe({}, () => undefined);
  // @ts-expect-error a field that there is not
  db.from('orders').subscribe({ fields: ['nothing'] }, () => undefined);
  // @ts-expect-error an operator that a text does not have
  db.from('orders').subscribe({ where: { note: ['array-contains', 'a'] } }, () => undefined);
  // @ts-expect-error a search for the nearest is not live
  db.from('products').subscribe({ vector_search: 'embedding', vector: [1] }, () => undefined);
  // @ts-expect-error a field that was not selected
  db.from('tags').subscribe({ fields: ['name'] }, ({ data: [tag] }) => tag?.color);
  // @ts-expect-error the id of a tag is a number
  db.from('tags').subscribeOne('one', {}, () => undefined);
}
