// Tools: requests of REST, as the agent may make them.
import { test } from 'tap';
import { caughtUp } from '../harness/caught-up.ts';
import { createMcp, type Mcp } from './agent.ts';

const ALL = ['data:read', 'data:write', 'data:delete'];
const names = (tools: { name: string }[]) => tools.map(({ name }) => name);
const toolsOf = async (mcp: Mcp, key: string) => (await mcp.ask(key, { method: 'tools/list' })).body.result.tools;
const collectionsIn = (tool: any): string[] => tool.inputSchema.properties.collection.enum;

test('each tool answers as REST does', async t => {
  const mcp = await createMcp(t);
  const key = await mcp.key(ALL, ['admin']);
  const rest = async (path: string, method = 'GET', body?: object) =>
    (await mcp.request(`/data/${path}`, { method, as: key, ...(body && { body: JSON.stringify(body) }) })).body;
  for (const [given, query] of [
    [{}, 'limit=25'],
    [{ filter: { price: ['<', 10] }, orderBy: 'price', order: 'desc', limit: 3, offset: 1 },
      'where={"price":["<",10]}&orderBy=price:desc&limit=3&offset=1'],
    [{ orderBy: 'category:desc, price,id:asc', limit: 7 },
      'orderBy=[{"field":"category","direction":"desc"},{"field":"price"},{"field":"id","direction":"asc"}]&limit=7'],
    [{ orderBy: 'origin:asc:first', limit: 2 }, 'orderBy=origin:asc:first&limit=2'],
    [{ search: 'tea', fields: ['id', 'name'], limit: 5 }, 'searchString=tea&fields=id,name&limit=5'],
    [{ filter: { 'category.slug': ['!=', 'x'] }, include: ['category'], limit: 2 },
      'where={"category.slug":["!=","x"]}&include=category&limit=2'],
    [{ logical: { type: 'or', conditions: [{ column: 'id', operator: '==', value: 1 }, { column: 'id', operator: '==', value: 2 }] } },
      'where={"id":["in",[1,2]]}'],
  ] as [object, string][]) {
    const { structuredContent } = await mcp.call(key, 'query_collection', { collection: 'products', ...given });
    const { data } = await rest(`products?${encodeURI(query)}`);
    t.same(structuredContent.rows, data, query);
    t.ok(data.length > 0, query);
    t.same([structuredContent.collection, structuredContent.count], ['products', data.length]);
  }
  t.same((await mcp.call(key, 'get_document', { collection: 'products', id: 1 })).structuredContent, await rest('products/1'));
  t.same((await mcp.call(key, 'aggregate_collection', {
    collection: 'products', select: ['count()', 'max(price)'], groupBy: ['origin'], filter: { stock: ['>', 0] },
    orderBy: 'count:desc', limit: 2,
  })).structuredContent, await rest('products/aggregate?select=count(),max(price)&groupBy=origin&stock=gt.0&orderBy=count:desc&limit=2'));
  t.same((await mcp.call(key, 'aggregate_collection', {
    collection: 'products', select: ['count()'], groupBy: ['origin'], orderBy: 'count:desc,origin', limit: 4,
  })).structuredContent,
  await rest(`products/aggregate?select=count()&groupBy=origin&limit=4&orderBy=${
    encodeURIComponent('[{"field":"count","direction":"desc"},{"field":"origin"}]')}`));
  t.same((await mcp.call(key, 'aggregate_collection', { collection: 'products', select: ['sum(stock)'] })).structuredContent,
    await rest('products/aggregate?select=sum(stock)'));

  const made = (await mcp.call(key, 'create_document', { collection: 'tags', values: { name: 'New' } })).structuredContent;
  t.same(made, await rest(`tags/${made.id}`));
  const changed = await mcp.call(key, 'update_document', { collection: 'tags', id: made.id, values: { name: 'Newer' } });
  t.same(changed.structuredContent, { ...made, name: 'Newer' });
  t.same((await mcp.call(key, 'delete_document', { collection: 'tags', id: String(made.id) })).structuredContent,
    { deleted: true, id: String(made.id) });
  t.equal((await rest(`tags/${made.id}`)).error.code, 'NOT_FOUND');
  const told = await mcp.call(key, 'create_document', { collection: 'tags', id: 900, values: { name: 'Told' } });
  t.equal(told.structuredContent.id, 900);
});

test('texts hold what the content holds, with all digits', async t => {
  const mcp = await createMcp(t, {
    template: 'served', env: { SERVICE_SOURCE: 'tables' },
    setup: `create table public.big (id bigint primary key, amount numeric);
      insert into public.big values (9007199254740993, 0.10000000000000000001);
      alter table public.big enable row level security; create policy all_rows on public.big using (true) with check (true);`,
  });
  const key = await mcp.key(ALL);
  const { text } = await mcp.ask(key, {
    method: 'tools/call', params: { name: 'query_collection', arguments: { collection: 'big', filter: { amount: ['<', 1] } } },
  });
  t.match(text, /"structuredContent":.*9007199254740993.*0\.10000000000000000001/);
  t.equal(text.split('9007199254740993').length, 3, 'in the text as well');
  const body = '{"id":1,"method":"tools/call","params":{"name":"create_document","arguments":'
    + '{"collection":"big","values":{"id":9007199254740995,"amount":1.0000000000000000000001}}}}';
  t.match((await mcp.post(body, { authorization: `Bearer ${key}` })).text, /9007199254740995.*1\.0000000000000000000001/);
});

test('limits are kept within bounds, and what cannot be read counts as not given', async t => {
  const mcp = await createMcp(t, {
    template: 'served', env: { SERVICE_SOURCE: 'tables' },
    setup: `create table public.many (id int primary key); insert into public.many select generate_series(1, 300);
      alter table public.many enable row level security; create policy all_rows on public.many using (true);`,
  });
  const key = await mcp.key(['data:read']);
  for (const [limit, count] of [
    [undefined, 25], [1, 1], ['2', 2], [200, 200], [1000, 200], [0, 1], [-5, 1], [1.5, 25], ['x', 25], [null, 25], [{}, 25], [1e300, 25],
  ]) {
    const { structuredContent } = await mcp.call(key, 'query_collection', { collection: 'many', limit, orderBy: 'id' });
    const { count: told, rows, truncated } = structuredContent;
    t.same([told, rows.length, truncated], [count, count, true], `limit ${JSON.stringify(limit)}`);
  }
  for (const [offset, first] of [[10, 11], [-1, 1], ['x', 1]]) {
    const { structuredContent } = await mcp.call(key, 'query_collection', { collection: 'many', limit: 1, offset, orderBy: 'id' });
    t.equal(structuredContent.rows[0].id, first, `offset ${String(offset)}`);
  }
  const last = await mcp.call(key, 'query_collection', { collection: 'many', limit: 5, offset: 298 });
  t.same([last.structuredContent.count, last.structuredContent.truncated], [2, false]);
});

test('what REST refuses the tool says, its code first', async t => {
  const mcp = await createMcp(t);
  const key = await mcp.key(ALL, ['admin']);
  const product = { collection: 'products' };
  for (const [name, given, text] of [
    ['query_collection', {}, /^INVALID_INPUT: "collection"/],
    ['query_collection', { collection: 'product' }, /^NOT_FOUND: .*Did you mean products\?/],
    ['query_collection', { collection: 'customers/1/orders' }, /^NOT_FOUND/],
    ['query_collection', { ...product, where: {} }, /^INVALID_INPUT: This tool has no argument "where"/],
    ['query_collection', { ...product, filter: { prise: 1 } }, /^UNKNOWN_FILTER_FIELD: .*products has: id, .*price/],
    ['query_collection', { ...product, filter: [] }, /^INVALID_WHERE/],
    ['query_collection', { ...product, filter: { price: 'much.1' } }, /^[A-Z_]*FILTER[A-Z_]*: /],
    ['query_collection', { ...product, filter: { price: 'x\0' } }, /^INVALID_FILTER_VALUE/],
    ['query_collection', { ...product, fields: ['nope'] }, /^UNKNOWN_FIELD: .*products has: /],
    ['query_collection', { ...product, orderBy: 'nope' }, /^UNKNOWN_ORDER_BY_FIELD: .*products has: /],
    ['query_collection', { ...product, include: ['nope'] }, /^UNKNOWN_RELATION: /],
    ['query_collection', { ...product, logical: 'or' }, /^INVALID_LOGICAL_GROUP/],
    ['query_collection', { ...product, search: '\ud800' }, /^INVALID_PARAM/],
    ['get_document', product, /^INVALID_INPUT: "id"/],
    ['get_document', { ...product, id: 'count' }, /^NOT_FOUND/],
    ['get_document', { ...product, id: 'aggregate' }, /^NOT_FOUND/],
    ['get_document', { ...product, id: '../orders' }, /^NOT_FOUND/],
    ['get_document', { ...product, id: 99999 }, /^NOT_FOUND/],
    ['aggregate_collection', product, /^MISSING_AGGREGATE_SELECT/],
    ['aggregate_collection', { ...product, select: ['median(price)'] }, /^INVALID_AGGREGATE_FUNCTION/],
    ['create_document', { collection: 'batch', values: { operations: [] } }, /^NOT_FOUND/],
    ['create_document', { ...product, values: [] }, /^INVALID_INPUT/],
    ['create_document', { ...product, values: { nope: 1 } }, /^VALIDATION_UNKNOWN_FIELDS: .*products has: /],
    ['create_document', { ...product, values: {} }, /^VALIDATION_/],
    ['update_document', { ...product, id: 1, values: { price: 'much' } }, /^VALIDATION_/],
    ['update_document', { ...product, id: 99999, values: { price: 1 } }, /^NOT_FOUND/],
    ['delete_document', { ...product, id: 99999 }, /^NOT_FOUND/],
  ] as [string, object, RegExp][]) {
    const result = await mcp.call(key, name, given);
    t.equal(result.isError, true, `${name} ${JSON.stringify(given)}`);
    t.match(result.content?.[0]?.text, text, `${name} ${JSON.stringify(given)}`);
  }
});

test('schemas name what the agent may use, in a stable order', async t => {
  const mcp = await createMcp(t);
  const everything = await mcp.key(ALL, ['admin']);
  const tools = await toolsOf(mcp, everything);
  t.same(names(tools), [
    'list_collections', 'query_collection', 'get_document', 'aggregate_collection', 'create_document', 'update_document', 'delete_document',
  ]);
  t.same(collectionsIn(tools[1]), collectionsIn(tools[1]).toSorted());
  for (const tool of tools) {
    t.equal(tool.inputSchema.additionalProperties, false, tool.name);
    t.equal(tool.outputSchema.type, 'object', tool.name);
    t.equal(tool.annotations.readOnlyHint, /^(list|query|get|aggregate)/.test(tool.name), tool.name);
    t.equal(tool.annotations.destructiveHint, /^(update|delete)/.test(tool.name), tool.name);
  }
  t.equal((await mcp.ask(everything, { method: 'tools/list' })).text, (await mcp.ask(everything, { method: 'tools/list' })).text);

  const reader = await toolsOf(mcp, await mcp.key(['data:read:products', 'data:read:tags']));
  t.same(names(reader), ['list_collections', 'query_collection', 'get_document', 'aggregate_collection']);
  t.same(collectionsIn(reader[1]), ['products', 'tags']);
  t.notMatch(JSON.stringify(reader), /customers|orders/);
  const visitor = await mcp.key(['data:read']);
  const { structuredContent: { collections } } = await mcp.call(visitor, 'list_collections');
  const product = collections.find(({ name }: { name: string }) => name === 'products');
  t.match(product, { title: 'Products', relations: [] });
  t.match(product.fields[0], { name: 'id', type: 'number', title: 'Id' });
  const [asVisitor, asAdmin] = [JSON.stringify(await toolsOf(mcp, visitor)), JSON.stringify(tools)];
  t.match(asAdmin, /cost number/);
  t.notMatch(asVisitor, /cost number/, 'a field that this role may not read');
  t.notOk(product.fields.some(({ name }: { name: string }) => name === 'cost'));
});

test('a table that comes is there at the next request', async t => {
  const mcp = await createMcp(t, { template: 'served', env: { SERVICE_SOURCE: 'tables' } });
  const key = await mcp.key(['data:read']);
  t.same(names(await toolsOf(mcp, key)).length, 4);
  await mcp.sql`create table public.late (id int primary key)`;
  await mcp.sql`alter table public.late enable row level security`;
  await mcp.sql`create policy all_rows on public.late using (true)`;
  await caughtUp(mcp.database.catalog);
  t.same(collectionsIn((await toolsOf(mcp, key))[1]), ['late']);
});

test('a tool without its scope asks for what it needs, all at once', async t => {
  const mcp = await createMcp(t);
  const key = await mcp.key(['data:read:products', 'data:write:tags'], ['admin']);
  const ask = (name: string, given: object) => mcp.ask(key, { method: 'tools/call', params: { name, arguments: given } });
  for (const [name, given, scopes] of [
    ['delete_document', { collection: 'tags', id: 1 }, 'data:delete'],
    ['query_collection', { collection: 'orders' }, 'data:read:orders'],
    ['query_collection', { collection: 'products', include: ['category', 'reviews'] }, 'data:read:'],
    ['query_collection', { collection: 'products', filter: { 'category.slug': 'tea' } }, 'data:read:categories'],
    ['query_collection', { collection: 'products', orderBy: 'category.name' }, 'data:read:categories'],
    ['get_document', { collection: 'orders', id: 1 }, 'data:read:orders'],
    ['aggregate_collection', { collection: 'orders', select: ['count()'] }, 'data:read:orders'],
    ['create_document', { collection: 'products', values: {} }, 'data:write:products'],
    ['update_document', { collection: 'products', id: 1, values: { price: 1 } }, 'data:write:products'],
  ] as const) {
    const { status, body, headers } = await ask(name, given);
    t.same([status, body.error?.code, body.id], [403, -32602, 1], `${name} ${JSON.stringify(given)}`);
    const challenge = headers.get('www-authenticate') ?? '';
    t.ok(challenge.includes('error="insufficient_scope"') && challenge.includes(`scope="${scopes}`), challenge);
    t.match(challenge, /resource_metadata="http/);
  }
  t.equal((await ask('query_collection', { collection: 'products' })).status, 200);
  const many = await mcp.ask(key, [1, 2].map(id => ({ id, method: 'tools/call', params: { name: 'delete_document', arguments: {} } })));
  t.same([many.status, many.body.map(({ error }: { error: { code: number } }) => error.code)], [200, [-32602, -32602]]);
});

test('rows stay those of the agent, and of its limit', async t => {
  const mcp = await createMcp(t, { env: { SERVICE_DATA_RATE_LIMIT: '5' } });
  const key = await mcp.key(ALL);
  t.same((await mcp.call(key, 'query_collection', { collection: 'customers' })).structuredContent?.rows, []);
  t.match((await mcp.call(key, 'create_document', { collection: 'products', values: { name: 'x' } })).content[0].text, /^[A-Z_]+: /);
  let answer = await mcp.ask(key, { method: 'tools/call', params: { name: 'get_document', arguments: { collection: 'products', id: 1 } } });
  for (let n = 0; n < 8 && answer.status === 200; n++) {
    answer = await mcp.ask(key, { method: 'tools/call', params: { name: 'get_document', arguments: { collection: 'products', id: 1 } } });
  }
  t.match([answer.status, answer.body.error.code, answer.headers.get('retry-after')], [429, 'RATE_LIMITED', /^\d+$/]);
});

test('a call is a line of the log that names who, with which tool, and no argument', async t => {
  const mcp = await createMcp(t);
  const key = await mcp.key(ALL);
  await mcp.call(key, 'query_collection', { collection: 'products', filter: { name: 'a-very-private-name' } });
  await mcp.ask(key, ['list_collections', 'query_collection'].map(name => ({ method: 'tools/call', params: { name } })));
  const { entries } = (await mcp.request('/admin/logs?search=/mcp')).body;
  t.match(entries, [
    { metadata: { tool: 'list_collections, query_collection' } },
    {
      source: 'api', message: /^POST \/mcp 200 /,
      metadata: { uid: /^api-key:/, client: /^[0-9a-f-]{36}$/, tool: 'query_collection', requestId: String },
    },
  ]);
  t.notMatch(JSON.stringify((await mcp.request('/admin/logs?limit=1000')).body), /a-very-private-name/);
});
