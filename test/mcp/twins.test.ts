// Each tool beside the function that a DBA calls in psql, as the same account.
import { test } from 'tap';
import type { Session } from '../accounts/people.ts';
import { serveOAuth, type OAuthService } from '../oauth/clients.ts';

type Twin = { tool: string; given: object; sql: string; rows?: (answer: any) => unknown };

const claims = (uid: string) => `service.account_claims('${uid}')`;
const CUSTOMER = '5f1e2b1c-7d5c-4b0e-9d53-5a7f0d3c2b1a';
const TEXTS = { author: 'Ada', rating: 4, title: 'Tea', body: 'Fine.' };
const dataOf = ({ data }: any): unknown => data;

type Refusal = { code?: string; hint?: string };

/** Reads of the account, in both ways. */
const reads = (uid: string): Twin[] => [
  {
    tool: 'query_collection', given: { collection: 'orders', orderBy: 'id', limit: 3 },
    sql: `service.list('orders', '{"orderBy": [{"field": "id"}], "limit": 3}', ${claims(uid)})`, rows: dataOf,
  },
  {
    tool: 'query_collection',
    given: {
      collection: 'products', filter: { price: ['<', 20], 'category.slug': ['!=', 'x'] }, search: 'tea', fields: ['name', 'price'],
      include: ['category'], orderBy: 'price:desc,id', offset: 1, limit: 2,
    },
    sql: `service.list('products', '{"where": {"price": ["<", 20], "category.slug": ["!=", "x"]}, "search": {"text": "tea"},
      "fields": ["name", "price"], "include": ["category"], "orderBy": [{"field": "price", "direction": "desc"}, {"field": "id"}],
      "offset": 1, "limit": 2}', ${claims(uid)})`, rows: dataOf,
  },
  { tool: 'get_document', given: { collection: 'products', id: 1 }, sql: `service.get('products', '1', '{}', ${claims(uid)})` },
  { tool: 'get_document', given: { collection: 'orders', id: 900001 }, sql: `service.get('orders', '900001', '{}', ${claims(uid)})` },
  {
    tool: 'aggregate_collection',
    given: {
      collection: 'orders', select: ['count()', 'sum(shipping)'], groupBy: ['status'], filter: { shipping: ['>', 0] }, orderBy: 'status',
    },
    sql: `service.aggregate('orders', '{"select": [{"fn": "count"}, {"fn": "sum", "field": "shipping"}], "groupBy": ["status"],
      "where": {"shipping": [">", 0]}, "orderBy": [{"field": "status"}]}', ${claims(uid)})`,
  },
];

/** Its writes; each undone in psql before the tool does it. */
const writes = (uid: string): Twin[] => [
  {
    tool: 'create_document',
    given: { collection: 'reviews', id: 900001, values: { product: 1, customer: CUSTOMER, ...TEXTS } },
    sql: `service.create('reviews', '{"id": 900001, "product": 1, "customer": "${CUSTOMER}", "author": "Ada", "rating": 4, "title": "Tea",
      "body": "Fine."}', ${claims(uid)})`,
  },
  {
    tool: 'update_document', given: { collection: 'reviews', id: 900001, values: { rating: 2 } },
    sql: `service.update('reviews', '900001', '{"rating": 2}', ${claims(uid)})`,
  },
  { tool: 'delete_document', given: { collection: 'reviews', id: 900001 }, sql: `service.remove('reviews', '900001', ${claims(uid)})` },
];

async function served(t: Parameters<typeof serveOAuth>[0]) {
  const service = await serveOAuth(t, {}, { template: 'served_store' });
  const admin = await service.register('first@example.org');
  const ada = await service.register('ada@example.org');
  await service.sql`insert into customers (id, uid, name, email, city, country)
    values (${CUSTOMER}, ${ada.uid}, 'Ada', 'ada@example.org', 'Graz', 'AT')`;
  await service.sql`insert into orders (id, customer_id, status, shipping, address) values
    (900001, ${CUSTOMER}, 'pending', 4.90, '{"street": "A", "city": "Graz", "country": "AT"}'),
    (900002, ${CUSTOMER}, 'paid', 5.10, '{"street": "A", "city": "Graz", "country": "AT"}')`;
  const client = await service.registerClient();
  const tokenOf = async (session: Session) => (await service.letIn(client, session, 'data:read data:write data:delete')).access_token;
  const own = await tokenOf(ada);
  const call = async (name: string, given: object, as = own) => {
    const response = await fetch(`${service.address}/mcp`, {
      method: 'POST', headers: { 'authorization': `Bearer ${as}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
    });
    return (await response.json() as { result: any }).result;
  };
  return { service, ada, call, ofAdmin: await tokenOf(admin) };
}

/** The answer in psql, undone. */
async function undone({ sql }: OAuthService, expression: string): Promise<any> {
  let answer: unknown;
  await sql.begin(async own => {
    answer = (await own.unsafe(`select ${expression} as answer`))[0]?.['answer'];
    throw new Error('undone');
  }).catch((error: unknown) => { if ((error as Error).message !== 'undone') throw error; });
  return answer;
}

/** A row that is created twice has two times. */
function timeless(row: unknown): unknown {
  return JSON.parse(JSON.stringify(row), (_, value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? 'a time' : value);
}

test('each tool that reads has the rows of its twin in psql', async t => {
  const { service, ada, call } = await served(t);
  for (const { tool, given, sql, rows = (answer: any) => answer } of reads(ada.uid)) {
    const { structuredContent: content, content: text, isError } = await call(tool, given);
    t.notOk(isError, `${tool}: ${JSON.stringify(text)}`);
    const own = content.rows ?? content;
    const twin = rows(await undone(service, sql));
    t.same(own, twin, `${tool} ${JSON.stringify(given)}`);
    t.ok(!Array.isArray(own) || own.length > 1, 'there is something to compare');
  }
  const others = { collection: 'orders', id: 1 };
  t.match(await call('get_document', others), { isError: true, content: [{ text: /^NOT_FOUND/ }] });
  t.equal(await undone(service, `service.get('orders', '1', '{}', ${claims(ada.uid)})`), null, 'another\'s row is hidden from both');
});

test('the collections are those of the contract, without those that the roles of the person read nothing of', async t => {
  const { service, call, ofAdmin } = await served(t);
  const named = async (as?: string) =>
    (await call('list_collections', {}, as)).structuredContent.collections.map(({ name }: { name: string }) => name) as string[];
  const all = await undone(service, `service.contract() -> 'collectionSlugs'`) as string[];
  t.same(await named(ofAdmin), all);
  t.same(await named(), all.filter(slug => slug !== 'daily_reports'), 'which is for the staff');
});

test('each tool that writes does what its twin in psql does', async t => {
  const { service, ada, call } = await served(t);
  for (const { tool, given, sql } of writes(ada.uid)) {
    const twin = await undone(service, sql);
    const { structuredContent: content, isError, content: text } = await call(tool, given);
    t.notOk(isError, JSON.stringify(text));
    if (tool === 'delete_document') t.same(content, { deleted: true, id: 900001 });
    else t.same(timeless(content), timeless(twin), tool);
  }
  t.same(await service.sql`select from reviews where id = 900001`, []);
  for (const [tool, given, sql] of [
    ['create_document', { collection: 'tags', values: { name: 'Mine' } }, `service.create('tags', '{"name": "Mine"}', ${claims(ada.uid)})`],
    ['update_document', { collection: 'tags', id: 1, values: { name: 'Mine' } },
      `service.update('tags', '1', '{"name": "Mine"}', ${claims(ada.uid)})`],
    ['delete_document', { collection: 'tags', id: 1 }, `service.remove('tags', '1', ${claims(ada.uid)})`],
  ] as const) {
    const { isError, content: [{ text }] } = await call(tool, given);
    const { code, hint } = await undone(service, sql).then(() => { throw new Error('done'); }, (error: unknown) => error as Refusal);
    t.equal(isError, true, tool);
    t.equal(text.split(':')[0], code === '42501' ? 'WRITE_DENIED' : hint, tool);
  }
});
