// A project as a user keeps it: collection files and a graphile-migrate folder beside them.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { runGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, storeFiles, tokenFor, SERVICE_KEY } from '../harness/service.ts';
import { attempt } from './callers.ts';
import { fingerprint } from './declared.ts';

const notes = {
  slug: 'notes',
  properties: {
    id: { type: 'number', isId: 'increment' }, title: { type: 'string', validation: { required: true } }, slug: { type: 'string' },
  },
  securityRules: [{ access: 'public' }],
};
const callbacks = {
  beforeSave: 'app.before_save', afterSave: 'app.after_save', beforeDelete: 'app.before_delete', afterDelete: 'app.after_delete',
  afterRead: 'app.after_read',
};
const FUNCTIONS = `
  create schema app;
  create table app.log (line text);
  grant insert, select on app.log to service_user;
  create function app.before_save(op text, old jsonb, new jsonb) returns jsonb language plpgsql as $$ begin
    if new ->> 'title' = 'bad' then raise exception 'No bad notes.'; end if;
    return jsonb_build_object('slug', lower(replace(new ->> 'title', ' ', '-'))); end $$;
  create function app.after_save(op text, old jsonb, new jsonb) returns void language plpgsql as $$ begin
    insert into app.log values (op || ' ' || (new ->> 'title'));
    if new ->> 'title' = 'late' then raise exception 'Too late.'; end if; end $$;
  create function app.before_delete(old jsonb) returns boolean language sql return old ->> 'title' <> 'kept';
  create function app.after_delete(old jsonb) returns void language plpgsql as $$ begin
    if old ->> 'title' = 'needed' then raise exception 'Still needed.'; end if; end $$;
  create function app.after_read(r json) returns json language plpgsql as $$ begin
    if r ->> 'title' = 'writes' then insert into app.log values ('read'); end if;
    return (r::jsonb || '{"read": true}')::json; end $$;`;

/** Committed files as graphile-migrate writes them. */
function committed(bodies: string[]): Record<string, string> {
  let previous = '';
  return Object.fromEntries(bodies.map((body, i) => {
    const hash = `sha1:${createHash('sha1').update(`${`${previous}\n${body.trim()}`.trim()}\n`).digest('hex')}`;
    const text = `--! Previous: ${previous === '' ? '-' : previous}\n--! Hash: ${hash}\n\n${body.trim()}\n`;
    previous = hash;
    return [`${String(i + 1).padStart(6, '0')}.sql`, text];
  }));
}

function project(t: Test, bodies: string[], definition: object = notes): Record<string, string> {
  const folder = t.testdir({
    collections: { 'notes.json': JSON.stringify(definition) }, migrations: { committed: committed(bodies), 'current.sql': '' },
  });
  return { SERVICE_COLLECTIONS_DIR: join(folder, 'collections') };
}

test('both chains begin with 000001 and both are applied; the second boot applies nothing', async t => {
  const { url, sql } = await createDatabase(t);
  const env = { DATABASE_URL: url, SERVICE_PROVISION_ONLY: '1', ...storeFiles };
  const first = await runGateway(t, env);
  t.equal(first.code, 0, first.output);
  t.match(await sql`select number, name from service.migrations`, [{ number: 1, name: '000001.sql' }]);
  t.match(await sql`select filename from graphile_migrate.migrations order by 1`,
    [{ filename: '000001.sql' }, { filename: '000002.sql' }, { filename: '000003.sql' }]);
  t.match(await sql`select count(*)::int as products, max(id) as last from products`, [{ products: 60, last: 60 }]);
  const before = await fingerprint(sql);
  const second = await runGateway(t, env);
  t.equal(second.code, 0, second.output);
  t.notMatch(second.output, /provisioned|migrated|WARN(?!: vector)/);
  t.same(await fingerprint(sql), before);
  t.match(await sql`insert into tags (name) values ('next') returning id`, [{ id: 13 }], 'keys go on after the rows of the migration');
});

test('rules may call what the migrations bring', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const mine = { ...notes, securityRules: [{ using: 'app.mine({slug})' }] };
  const env = project(t, [`create schema app; insert into notes (title, slug) values ('one', 'ann'), ('two', 'bob');
    create function app.mine(owner text) returns boolean language sql stable return owner = (select service.uid());`], mine);
  const service = await openService(url, env);
  t.teardown(service.close);
  t.match((await service.request('/data/notes', { as: await tokenFor('ann') })).body.data, [{ title: 'one' }]);
  t.same(await sql`select from service.provision_plan()`, []);
});

test('a database that is ahead of the folder is refused in one line', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  await (await openService(url, project(t, [`insert into notes (title) values ('one')`, `insert into notes (title) values ('two')`])))
    .close();
  const { code, stderr } = await runGateway(t, { DATABASE_URL: url, ...project(t, [`insert into notes (title) values ('one')`]) });
  t.equal(code, 1);
  t.equal(stderr,
    'The database has the project\'s migration 000002.sql, which is not in the migrations folder: it was set up by a newer state of the '
      + 'project.\n');
});

test('a migration that fails stops boot, and is tried again by the next', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const good = `insert into notes (title) values ('one')`;
  await t.rejects(openService(url, project(t, [good, `insert into notes (title) values ('two'); select 1 / 0`])),
    { name: 'BootError', message: /^A migration in .*migrations failed: division by zero/ });
  t.match(await sql`select title from notes`, [{ title: 'one' }], 'what came before it stays, of it nothing');
  await (await openService(url, project(t, [good, `insert into notes (title) values ('second')`]))).close();
  t.match(await sql`select title from notes order by id`, [{ title: 'one' }, { title: 'second' }]);
});

test('callbacks from a migration: all five kinds, through HTTP and in SQL', async t => {
  const { request, sql } = await createService(t, { template: 'served', env: project(t, [FUNCTIONS], { ...notes, callbacks }) });
  const send = (method: string, path: string, body?: object) =>
    request(`/data/${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  const rejected = async (method: string, path: string, body?: object) => {
    const { status, body: { error: { code, message, details } } } = await send(method, path, body);
    return [status, code, message, details?.stage];
  };

  const created = await send('POST', 'notes', { title: 'First Note' });
  t.same([created.status, created.body], [201, { id: 1, title: 'First Note', slug: 'first-note', read: true }]);
  t.same((await send('PATCH', 'notes/1', { title: 'Same Note' })).body.slug, 'same-note');
  t.same((await request('/data/notes')).body.data, [{ id: 1, title: 'Same Note', slug: 'same-note', read: true }]);
  t.same(await rejected('POST', 'notes', { title: 'bad' }), [400, 'CALLBACK_REJECTED', 'No bad notes.', 'beforeSave']);
  t.same(await rejected('POST', 'notes', { title: 'late' }), [400, 'CALLBACK_REJECTED', 'Too late.', 'afterSave']);
  t.match(await sql`select line from app.log order by line`, [{ line: 'INSERT First Note' }, { line: 'UPDATE Same Note' }],
    'what a refused callback wrote is gone');
  await sql`insert into notes (id, title) values (20, 'kept'), (21, 'needed'), (22, 'gone'), (23, 'writes')`;
  t.same(await sql`select slug from notes where id = 20`, [{ slug: 'kept' }], 'the owner\'s SQL meets them too');
  t.same(await rejected('DELETE', 'notes/20'), [403, 'CALLBACK_REJECTED', 'The row may not be deleted.', 'beforeDelete']);
  t.same(await rejected('DELETE', 'notes/21'), [400, 'CALLBACK_REJECTED', 'Still needed.', 'afterDelete']);
  t.equal((await send('DELETE', 'notes/22')).status, 204);
  const read = await request('/data/notes/23');
  t.same([read.status, read.body.error.code], [409, 'READ_ONLY_TRANSACTION']);

  t.equal(await attempt(sql, 'owner', `insert into notes (title) values ('bad')`), 'GW400');
  t.equal(await attempt(sql, 'owner', 'delete from notes where id = 20'), 'GW403');
  const [row] = await sql<{ body: { data: object[] } }[]>`select service.list('notes', '{"where": {"id": ["==", 20]}}') as body`;
  t.same(row?.body.data, [{ id: 20, title: 'kept', slug: 'kept', read: true }]);
});

test('the example\'s own callbacks, rules and field access', async t => {
  const { request } = await createService(t);
  const item = await request('/data/order_items/1', { method: 'PATCH', body: '{"quantity": 3}' });
  t.match(item.body, { quantity: 3, unitPrice: 6.9, lineTotal: 20.7 });
  t.match((await request('/data/order_items/1', { method: 'PATCH', body: '{"lineTotal": 1}' })).status, 400);
  const kept = await request('/data/products/14', { method: 'DELETE' });
  t.match([kept.status, kept.body.error.details.stage], [403, 'beforeDelete']);
  t.match((await request('/data/products/60', { method: 'DELETE' })).status, 204, 'a draft was never ordered');
  const product = async (id: number, as: string) => (await request(`/data/products/${id}`, { as })).body;
  t.match(await product(1, await tokenFor('ann', ['staff'])), { cost: 9.08 }, 'staff sees what a product costs,');
  t.match(await product(59, await tokenFor('ann', ['staff'])), { published: false }, 'and drafts');
  t.notOk('cost' in await product(1, await tokenFor('ann')), 'nobody else does');
  t.match(await product(59, await tokenFor('ann')), { error: { code: 'NOT_FOUND' } });
  t.match(await product(1, SERVICE_KEY), { cost: 9.08 });
});

test('the example\'s parcel of an order, and the products of a bundle with what the bundle says of each', async t => {
  const { request, sql } = await createService(t);
  const get = async (path: string, as = SERVICE_KEY) => (await request(`/data/${path}`, { as })).body;
  t.match(await get('orders/1?include=shipment'),
    { shipment: { orderId: 1, carrier: 'bicycle', trackingCode: 'RG007919PT', deliveredOn: '2025-01-15' } });
  t.match(await get('orders/72?include=shipment'), { status: 'pending', shipment: null });
  t.match(await get('shipments/1?include=order'), { order: { id: 1 } });
  t.equal((await request('/data/shipments', { method: 'POST', body: '{"order": 1, "trackingCode": "x"}' })).status, 409, 'one each');
  t.same((await get('shipments', await tokenFor('nobody'))).data, []);
  const products = (await get('bundles/2?include={"products":{"fields":["sku"],"orderBy":"sku"}}')).products;
  t.same(products.map(({ sku, _pivot }: Record<string, unknown>) => ({ sku, _pivot })), [
    { sku: 'CB-501', _pivot: { quantity: 2, note: null } }, { sku: 'CR-602', _pivot: { quantity: 1, note: 'Keeps warm.' } },
    { sku: 'CR-605', _pivot: { quantity: 1, note: 'So that Sunday is saved.' } },
  ]);
  t.match((await get('bundles/1?include=products,products.category')).products,
    [{ _pivot: { quantity: 1 }, category: { id: Number } }, { _pivot: { quantity: 1 } }]);
  await sql`update products set published = false where sku = 'CB-501'`;
  t.match(await get('bundles/2?include={"products":{"fields":["sku"],"orderBy":"sku"}}', await tokenFor('ann')),
    { products: [{ sku: 'CR-602' }, { sku: 'CR-605' }] }, 'a draft is not in it');
  await t.rejects(sql`insert into bundle_products (bundle_id, product_id, quantity) values (1, 1, 0)`, { code: '23514' });
});
