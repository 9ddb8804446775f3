import { test } from 'tap';
import { readConfig } from '../../gateway/features/config.ts';
import { filesOf } from '../../gateway/start/source.ts';
import { runGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, storeFiles } from '../harness/service.ts';

/** A server whose pgvector cannot be seen. */
const WITHOUT = `create or replace function service_private.extension_schema(name text) returns text
  language sql stable set search_path = pg_catalog, pg_temp return case when name <> 'vector' then 'public' end`;

test('without pgvector vector properties are left out with one warning, and everything else works', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(WITHOUT);
  const { code, output } = await runGateway(t, { DATABASE_URL: url, SERVICE_PROVISION_ONLY: '1', ...storeFiles });
  t.equal(code, 0, output);
  t.same(output.split('\n').filter(line => line.includes('WARN')).map(line => line.replace(/^.*?WARN.*?: /, '')),
    ['vector: This server does not have the extension vector; its columns are left out. Install pgvector on the database server.']);
  t.same(await sql`select attname from pg_attribute where attrelid = 'products'::regclass and attname = 'taste'`, []);

  const service = await openService(url, storeFiles);
  t.teardown(service.close);
  const send = async (path: string, method = 'GET', body?: object) => {
    const answer = await service.request(path, { method, ...(body && { body: JSON.stringify(body) }) });
    return [answer.status, answer.body.error?.code ?? answer.body];
  };
  t.match(await send('/data/products/1?include=category,tags'), [200, { sku: 'TG-101', category: { slug: 'green-tea' } }]);
  t.match(
    await send('/data/products', 'POST', { category: 7, sku: 'tb-206', name: 'Ceylon', description: 'Brisk.', price: 7.5, origin: 'lk' }),
    [201, { sku: 'TB-206', origin: 'LK', materials: [] }],
  );
  t.match((await send('/data/products?fields=name,taste&limit=1'))[1], { data: [{ name: 'Ceylon' }] });
  t.same(await send('/data/products', 'POST', { taste: [1, 0, 0, 0] }), [400, 'VALIDATION_EXCLUDED_FIELDS']);
  const refused = await service.request('/data/products?vector_search=taste&vector=[1,0,0,0]');
  t.equal(refused.status, 501);
  t.match(refused.body.error,
    { code: 'FEATURE_DISABLED', message: /does not have the extension vector/, details: { field: 'taste', extension: 'vector' } });
  t.same(await send('/data/products?vector_search=nose&vector=[1]'), [400, 'UNKNOWN_VECTOR_PROPERTY']);
  t.notOk('taste' in (await service.request('/docs')).body.components.schemas['Product'].properties);
});

test('vectors are served as soon as pgvector is there, and the example has its own by then', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  if ((await sql`select from pg_available_extensions where name = 'vector'`).length === 0) return t.comment('this server has no pgvector');
  const [{ text } = { text: '' }] = await sql<{ text: string }[]>`select pg_get_functiondef('service_private.extension_schema'::regproc)
    as text`;
  await sql.unsafe(WITHOUT);
  const folder = { ...storeFiles, SERVICE_SOURCE: 'files' };
  const service = await openService(url, folder);
  t.teardown(service.close);
  t.equal((await service.request('/data/products?vector_search=taste&vector=[0.9,0.1,0,0.6]')).status, 501);
  await sql.unsafe(text);
  const files = filesOf(readConfig({ NODE_ENV: 'test', ...folder }));
  if (files !== undefined) await service.database.files?.apply(files);
  await service.database.catalog.refresh();
  const { status, body } = await service.request('/data/products?vector_search=taste&vector=[0.9,0.1,0,0.6]&limit=1&fields=name');
  t.same(status, 200, { body });
  t.match(body.data, [{ name: 'Heather honey', _distance: 0 }]);
});

test('pgvector in a schema of its own serves as well', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  if ((await sql`select from pg_available_extensions where name = 'vector'`).length === 0) return t.comment('this server has no pgvector');
  await sql.unsafe('create schema "My Types"; create extension vector schema "My Types"').simple();
  const service = await openService(url, { SERVICE_COLLECTIONS_DIR: t.testdir({ 'things.json': JSON.stringify({
    slug: 'things', properties: { id: { type: 'number', isId: 'increment' }, near: { type: 'vector', dimensions: 2 } },
    securityRules: [{ access: 'public' }],
  }) }) });
  t.teardown(service.close);
  for (const near of [[1, 0], [0, 1]]) {
    t.equal((await service.request('/data/things', { method: 'POST', body: JSON.stringify({ near }) })).status, 201);
  }
  t.same((await service.request('/data/things/1', { method: 'PATCH', body: '{"near": [1, 0.5]}' })).body, { id: 1, near: [1, 0.5] });
  t.match((await service.request('/data/things?vector_search=near&vector=[0,1]&vector_distance=l2')).body.data,
    [{ id: 2, near: [0, 1], _distance: 0 }, { id: 1 }]);
  t.match((await service.request('/data/things', { method: 'POST', body: '{"near": [1]}' })).body.error.code, 'VALIDATION_INVALID_VALUE');
});

test('with pgvector the nearest products are found', async t => {
  const { request, sql } = await createService(t);
  const [row] = await sql`select exists (select from pg_available_extensions where name = 'vector') as found`;
  if (row?.['found'] !== true) return t.comment('this server has no pgvector');
  const { body } = await request('/data/products?vector_search=taste&vector=[0.9,0.1,0,0.6]&limit=1&fields=name');
  t.match(body.data, [{ name: 'Heather honey', _distance: 0 }]);
});
