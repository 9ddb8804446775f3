import { test, type Test } from 'tap';
import { some } from '../harness/effort.ts';
import { createService, tokenFor, type Answer, type TestService } from '../harness/service.ts';
import { bodyOf, resolved, UUID, violations, type Row, type Schema } from './answers.ts';
import { checked, operationAt, type Document, type Operation } from './document.ts';
import { everyType } from './tables.ts';

test('each documented write of a real database does what it says', async t => {
  const service = await createService(t, { template: 'served', setup: everyType });
  const document = await checked(t, (await service.request('/docs')).text);
  t.same(writtenPaths(document), ['every_type', 'pairs'].map(slug => `/data/${slug}`));
  for (const path of writtenPaths(document)) await writeAll(t, service, document, path, values);
});

test('each documented write of the example store does what it says', async t => {
  // A customer who has bought and reviewed nothing yet.
  const customer = `insert into customers (id, uid, name, email, city, country)
    values ('${UUID}', 'new', 'New', 'new@example.org', 'Lisboa', 'PT');`;
  const service = await createService(t, { setup: customer });
  const document = await checked(t, (await service.request('/docs')).text);
  t.same(writtenPaths(document), [
    'bundles', 'categories', 'customers', 'daily_reports', 'order_items', 'orders', 'products', 'reviews', 'shipments', 'tags',
  ].map(slug => `/data/${slug}`));
  for (const path of some(writtenPaths(document))) await writeAll(t, service, document, path,
    path === '/data/customers' ? values : { ...values, id: 900, ...(path === '/data/shipments' && { orderId: 72 }) });
});

test('each documented write of collection files does what it says', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(files) } });
  const document = await checked(t, (await service.request('/docs')).text);
  const author = await service.request('/data/authors', { method: 'POST', body: '{"id":"x","name":"Ann"}' });
  t.equal(author.status, 201, author.text);
  await writeAll(t, service, document, '/data/authors', { id: 'y' });
  await writeAll(t, service, document, '/data/posts', { code: 'ab', authorId: 'x' });
});

test('a value outside of what the document allows is refused', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(files) } });
  await service.request('/data/authors', { method: 'POST', body: '{"id":"x","name":"Ann"}' });
  const { components } = await checked(t, (await service.request('/docs')).text);
  const { required = [] } = components.schemas['PostInput'] ?? {};
  t.same(required, ['title', 'authorId']);
  const refused: Row[] = [
    { title: 'x' }, { title: 'x'.repeat(21) }, { code: 'abc' }, { stars: 0 }, { stars: 6 }, { share: 0 }, { share: 2 }, { whole: 1.5 },
    { level: 3 }, { state: 'other' }, { mail: 'x' }, { site: 'x' }, { at: '2019-12-31T00:00:00.000Z' }, { words: [] },
    { words: ['aa', 'aa'] }, { words: ['a'] }, { address: { street: 'x' } }, { address: { zip: '1' } }, { address: [] },
  ];
  for (const body of refused) {
    const answer = await service.request('/data/posts',
      { method: 'POST', body: JSON.stringify({ title: 'A title', authorId: 'x', ...body }) });
    t.match([answer.status, answer.body?.error?.code], [400, /^VALIDATION_/], JSON.stringify(body));
  }
});

test('a foreign key may go by the name of its relation, as the document says', async t => {
  const service = await createService(t);
  const document = await checked(t, (await service.request('/docs')).text);
  const described = document.components.schemas['ProductUpdate']?.description;
  t.match(described, /: category\. A field may carry an operation/);
  t.match(described, /`\{"\$inc": 1\}`: .*price, cost, stock\. .*: materials\. `\{"\$merge": \{…\}\}`: attributes\.$/);
  for (const category of [7, { id: 7 }]) {
    t.match((await service.request('/data/products/1', { method: 'PATCH', body: JSON.stringify({ category }) })).body, { categoryId: 7 });
  }
});

test('the documented failures of a write are its failures', async t => {
  const service = await createService(t, { env: { SERVICE_MAX_BODY_SIZE: '2000' } });
  const document = await checked(t, (await service.request('/docs')).text);
  const body = JSON.stringify({ name: 'gift' });
  const failures: [
    status: number, method: string, path: string, options: { as?: string | null; headers?: Record<string, string>; body?: string },
  ][] = [
    [400, 'POST', '', { body: '{}' }], [400, 'PATCH', '/1', { body: '[]' }], [400, 'DELETE', '/1?x=1', {}],
    [401, 'POST', '', { body, as: null }], [401, 'PATCH', '/1', { body, as: null }], [401, 'DELETE', '/1', { as: null }],
    [403, 'POST', '', { body, as: await tokenFor('ann') }], [403, 'PATCH', '/1', { body, as: await tokenFor('ann') }],
    [403, 'DELETE', '/1', { as: await tokenFor('ann') }], [404, 'PATCH', '/9999', { body }], [404, 'DELETE', '/9999', {}],
    [409, 'POST', '', { body }], [409, 'PATCH', '/1', { body }], [413, 'POST', '', { body: JSON.stringify({ name: 'x'.repeat(2000) }) }],
    [413, 'PATCH', '/1', { body: JSON.stringify({ name: 'x'.repeat(2000) }) }],
    [415, 'POST', '', { body, headers: { 'content-type': 'text/plain' } }],
    [415, 'PATCH', '/1', { body, headers: { 'content-type': 'text/plain' } }],
  ];
  for (const [status, method, path, options] of failures) {
    const answer = await service.request(`/data/tags${path}`, { method, ...options });
    t.equal(answer.status, status, `${method} ${path}`, { text: answer.text });
    const operation = operationAt(document, path === '' ? '/data/tags' : '/data/tags/{id}', method.toLowerCase());
    const schema = schemaOf(operation, status);
    t.ok(schema, `${method} documents ${status}`);
    t.same(violations(answer.body, schema ?? {}, document), []);
  }
});

function writtenPaths({ paths }: Document): string[] {
  return Object.keys(paths).filter(path => paths[path]?.['post'] && /^\/data\/(?!_batch)[^/]+$/.test(path));
}

/** Creates rows by the schema of a create, changes them by that of an update, and deletes them. */
async function writeAll(t: Test, service: TestService, document: Document, path: string, named: Row): Promise<void> {
  const [create, update, remove] = [
    operationAt(document, path, 'post'), operationAt(document, `${path}/{id}`, 'patch'), operationAt(document, `${path}/{id}`, 'delete'),
  ];
  const [input, changes, row] = [
    bodySchema(create, document), bodySchema(update, document), resolved(schemaOf(create, 201) ?? {}, document),
  ];
  const send = (method: string, at: string, body?: Row, headers = {}): Promise<Answer> =>
    service.request(at, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const documented = (answer: Answer, status: number, operation: Operation, what: string): void => {
    t.equal(answer.status, status, `${path}: ${what}`, { text: answer.text });
    const schema = schemaOf(operation, status);
    t.same(schema ? violations(answer.body, schema, document) : answer.text, schema ? [] : '',
      `${path}: ${what} answers as its schema says`);
  };
  const collection = service.database.catalog.current.document.collections.find(({ slug }) => path === `/data/${slug}`);
  const key = collection?.key ?? [];
  const itemOf = ({ body }: Answer): string => `${path}/${encodeURIComponent(key.map(name => String(body[name])).join(':::'))}`;

  const least = bodyOf(input, input.required ?? [], named);
  for (const name of input.required ?? []) {
    documented(await send('POST', path, { ...least, [name]: undefined }), 400, create, `nothing is created without ${name}`);
  }
  const isRelation = (name: string): boolean => collection?.relations.some(relation => relation.name === name) === true;
  for (const name of Object.keys(row.properties ?? {}).filter(name => !input.properties?.[name] && !isRelation(name))) {
    // Stamps of the service are ignored; columns that only the database writes are rejected.
    const stamped = collection?.properties.some(property => property.name === name && 'autoValue' in property.attributes) === true;
    if (!stamped) documented(await send('POST', path, { ...least, [name]: 1 }), 400, create, `nobody writes ${name}`);
  }

  const created = await send('POST', path, least);
  documented(created, 201, create, 'what is required is enough');
  const item = itemOf(created);
  const links = Object.keys(changes.properties ?? {}).filter(name => changes.properties?.[name]?.['x-service-relation'] !== undefined);
  const others = Object.keys(changes.properties ?? {}).filter(name => !key.includes(name) && !links.includes(name));
  for (const name of links) documented(await send('PATCH', item, { [name]: null }), 200, update, `it is linked by ${name} with nothing`);
  documented(await send('PATCH', item, bodyOf(changes, others, named)), 200, update, 'every field can be changed');
  const nullables = others.filter(name => changes.properties?.[name]?.nullable === true);
  documented(await send('PATCH', item, Object.fromEntries(nullables.map(name => [name, null]))), 200, update,
    'what is nullable can be null');
  for (const name of others.filter(name => changes.properties?.[name]?.type !== undefined && !nullables.includes(name))) {
    documented(await send('PATCH', item, { [name]: null }), 400, update, `${name} cannot be null`);
  }
  documented(
    await send('PATCH', item, Object.fromEntries(key.filter(name => changes.properties?.[name]).map(name => [name, created.body[name]]))),
    200, update, 'the key may be repeated',
  );
  for (const name of key.filter(name => changes.properties?.[name])) {
    documented(await send('PATCH', item, { [name]: typeof created.body[name] === 'number' ? 77 : UUID }), 400, update, 'but not changed');
  }
  const narrowed = await send('PATCH', `${item}?fields=${key.join()}`);
  t.same([narrowed.status, Object.keys(narrowed.body as Row).sort()], [200, key.toSorted()],
    `${path}: fields narrows the answer, and no body is no change`);
  const minimal = await send('PATCH', item, {}, { prefer: 'return=minimal' });
  documented(minimal, 204, update, 'an answer can be left out');
  t.equal(minimal.headers.get('preference-applied'), 'return=minimal');
  if (collection?.history === true) {
    const [list, revert] = [
      operationAt(document, `${path}/{id}/history`), operationAt(document, `${path}/{id}/history/{historyId}/revert`, 'post'),
    ];
    const entries = await send('GET', `${item}/history`);
    documented(entries, 200, list, 'a row has a history');
    const [oldest] = (entries.body.data as { id: string }[]).toReversed();
    documented(await send('POST', `${item}/history/${oldest?.id ?? ''}/revert`), 200, revert, 'a row can be what it was');
  }
  documented(await send('DELETE', item), 204, remove, 'a row is deleted');
  documented(await send('DELETE', item), 404, remove, 'it is gone');

  const whole = await send('POST', path, bodyOf(input, Object.keys(input.properties ?? {}).filter(name => !links.includes(name)), named));
  documented(whole, 201, create, 'every field can be created');
  documented(await send('DELETE', itemOf(whole)), 204, remove, 'and deleted');

  const bulk = { create: operationAt(document, `${path}/bulk`,
    'post'), update: operationAt(document, `${path}/bulk`, 'patch'), remove: operationAt(document, `${path}/bulk/delete`, 'post') };
  const many = await send('POST', `${path}/bulk`, { rows: [least] });
  documented(many, 200, bulk.create, 'rows are created together');
  const id = decodeURIComponent(itemOf({ ...many, body: many.body.data[0] }).slice(path.length + 1));
  documented(await send('PATCH', `${path}/bulk`, { updates: [{ id, data: {} }] }), 200, bulk.update, 'changed');
  documented(await send('POST', `${path}/bulk/delete`, { ids: [id] }), 200, bulk.remove, 'and deleted');
  documented(await send('POST', `${path}/bulk/delete`, { ids: [id] }), 404, bulk.remove, 'of which one is gone');
  documented(await send('POST', path, least, { prefer: 'return=minimal' }), 204, create, 'an answer can be left out of a create');
}

function schemaOf({ responses }: Operation, status: number): Schema | undefined {
  return responses[status]?.content?.['application/json'].schema;
}

function bodySchema({ requestBody }: Operation, document: Document): Schema {
  return resolved(requestBody?.content['application/json'].schema ?? {}, document);
}

/** Values that satisfy checks of the tables, which no schema mentions. */
const values: Row = {
  sku: 'ZZ-999', slug: 'new-shelf', origin: 'JP', country: 'JP', language: 'en', color: '#8a8a8a', email: 'ann@example.org',
  address: { street: 'a', city: 'b', country: 'JP' }, shippedAt: '2999-01-01T00:00:00.000Z', attributes: {}, preferences: {},
  published: true, anInterval: '1 day', anInet: '::1', aTime: '10:30', moods: ['calm'], id: '00000000-0000-4000-8000-000000000002',
};

const everyone = [{ operation: 'all', access: 'public' }];
const files = {
  'authors.json': JSON.stringify({
    slug: 'authors', properties: { id: { type: 'string', isId: 'manual' }, name: { type: 'string', validation: { required: true } } },
    securityRules: everyone,
  }),
  'posts.json': JSON.stringify({
    slug: 'posts',
    properties: {
      id: { type: 'number', isId: 'increment' },
      title: { type: 'string', validation: { required: true, min: 2, max: 20 } },
      code: { type: 'string', validation: { length: 2, matches: '^a' } },
      stars: { type: 'number', validation: { min: 1, max: 5 } },
      share: { type: 'number', validation: { positive: true, lessThan: 2 } },
      whole: { type: 'number', validation: { integer: true } },
      level: { type: 'number', enum: [1, 2] },
      state: { type: 'string', enum: ['draft', 'live'], defaultValue: 'draft', validation: { required: true } },
      mail: { type: 'string', email: true },
      site: { type: 'string', url: true },
      at: { type: 'date', validation: { min: '2020-01-01' } },
      words: { type: 'array', of: { type: 'string', validation: { min: 2 } }, validation: { min: 1, max: 3, uniqueInArray: true } },
      address: { type: 'map', properties: { zip: { type: 'string', validation: { required: true, min: 4 } }, street: { type: 'string' } } },
      locked: { type: 'string', access: { write: [] } },
      hidden: { type: 'string', excludeFromApi: true },
      unread: { type: 'string', access: { read: [] } },
      createdAt: { type: 'date', autoValue: 'on_create' },
      createdBy: { type: 'string', autoValue: 'user_on_create' },
      author: { type: 'relation', relation: { kind: 'belongsTo', target: 'authors', validation: { required: true } } },
    },
    securityRules: everyone,
  }),
};
