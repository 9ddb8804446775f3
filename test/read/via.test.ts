import { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { tokenFor } from '../harness/service.ts';
import { collections } from '../write/client.ts';

const open = [{ operation: 'all', access: 'public' }];
const id = { type: 'number', isId: 'increment' };
const name = { type: 'string' };
const to = (target: string) => ({ type: 'relation', relation: { kind: 'belongsTo', target } });
const via = (target: string, joinPath: unknown[], more: object = {}) =>
  ({ type: 'relation', relation: { kind: 'via', target, joinPath, ...more } });
const step = (table: string, from: string | string[], on: string | string[]) => ({ table, on: { from, to: on } });

const FILES = [
  { slug: 'regions', properties: { id, name, readers: via('readers', [step('shops', 'regions.id',
    'shops.region_id'), step('loans', 'id', 'shop_id'), step('readers', 'reader_id', 'id')]) }, securityRules: open },
  {
    slug: 'shops', softDelete: true,
    properties: {
      id, name, deletedAt: { type: 'date' }, region: to('regions'), city: { type: 'string' },
      readers: via('readers', [step('public.loans', 'id', 'shop_id'), step('readers', 'reader_id', 'id')]),
      owner: via('readers', [step('readers', 'city', 'city')], { cardinality: 'one' }),
      tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags', through: { table: 'shop_tags' } } },
    },
    securityRules: open,
  },
  {
    slug: 'loans', properties: { id, shop: to('shops'), reader: to('readers'), hidden: { type: 'boolean', defaultValue: false } },
    securityRules: [{ operation: 'all', using: 'not {hidden}' }],
  },
  {
    slug: 'readers',
    properties: { id, name, city: { type: 'string', access: { read: ['staff'] } }, tags: via('tags',
      [step('loans', 'id', 'reader_id'), step('shop_tags', 'shop_id', 'shop_id'), step('tags', 'tag_id', 'id')]) },
    securityRules: open,
  },
  { slug: 'tags', properties: { id, name }, securityRules: open },
];
const DATA = `
  insert into regions (name) values ('north'), ('south');
  insert into shops (name, region_id, city) values ('a', 1, 'x'), ('b', 1, 'y'), ('c', 2, 'z');
  insert into readers (name, city) values ('r1', 'x'), ('r2', 'y'), ('r3', 'q');
  insert into loans (shop_id, reader_id, hidden) values (1, 1, false), (1, 1, false), (1, 2, false), (2, 2, false), (3, 3, true);
  insert into tags (name) values ('t1'), ('t2');
  insert into shop_tags (shop_id, tag_id) values (1, 1), (2, 1), (2, 2);`;

test('a chain of joins is read as a relation, each row once, under the row security of every table on the way', async t => {
  const { request, sql } = await lendService(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ...FILES), AUTH_REQUIRE: 'false' } });
  await sql.unsafe(DATA);
  const json = async (path: string) => (await request(path, { as: null })).body; // the service key sees everything
  const names = (rows: { name: string }[]) => rows.map(row => row.name).sort();
  const included = async (path: string, relation: string) => names((await json(`/data/${path}?include=${relation}`))[relation]);
  t.strictSame(await included('shops/1', 'readers'), ['r1', 'r2']);
  t.strictSame(await included('shops/3', 'readers'), [], 'a loan that is hidden leads nowhere');
  t.strictSame(await included('regions/1', 'readers'), ['r1', 'r2'], 'over two tables');
  t.strictSame(await included('readers/2', 'tags'), ['t1', 't2'], 'over a junction');
  t.strictSame(names((await json('/data/shops/1/readers')).data), ['r1', 'r2']);
  t.equal((await json('/data/shops/1/readers/count')).count, 2);
  t.equal((await json('/data/shops/1/readers/2')).name, 'r2');
  t.equal((await request('/data/shops/2/readers/1')).status, 404);
  t.strictSame((await json('/data/shops?include=readers&orderBy=id')).data.map((row: any) => names(row.readers)),
    [['r1', 'r2'], ['r2'], []]);
  await sql`update shops set deleted_at = now() where id = 1`;
  t.strictSame(await included('regions/1', 'readers'), ['r2'], 'what is deleted softly leads nowhere');
});

test('a chain to one row, and unsupported uses of a chain', async t => {
  const { request, sql } = await lendService(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ...FILES), AUTH_REQUIRE: 'false' } });
  await sql.unsafe(DATA);
  const staff = await tokenFor('s', ['staff']);
  const owner = async (id: number) => (await request(`/data/shops/${id}?include=owner`, { as: staff })).body.owner;
  t.equal((await owner(1)).name, 'r1');
  t.equal(await owner(3), null);
  const refused = async (path: string, options: Parameters<typeof request>[1] = {}) => {
    const { status, body } = await request(`/data/${path}`, options);
    return [status, body?.error?.code];
  };
  t.strictSame(await refused('shops/1?include=owner', { as: null }), [400, 'FIELD_NOT_READABLE'],
    'who may not read a column may not be led by it');
  t.strictSame(await refused('shops?readers.name=eq.r1'), [400, 'UNSUPPORTED_RELATION_FILTER']);
  t.strictSame(await refused('shops?readers=eq.1'), [400, 'UNSUPPORTED_RELATION_FILTER']);
  t.strictSame(await refused('shops?orderBy=count(readers)'), [400, 'ORDER_BY_FIELD_NOT_SORTABLE']);
  for (const [method, path, body, code] of [
    ['PATCH', 'shops/1', { readers: [1] }, 'RELATION_NOT_WRITABLE'], ['POST', 'shops/1/readers', {}, 'RELATION_NOT_WRITABLE'],
    ['PATCH', 'shops/1/readers/1', {}, 'RELATION_NOT_WRITABLE'], ['DELETE', 'shops/1/readers/1', undefined, 'RELATION_NOT_UNLINKABLE'],
  ] as const) {
    t.strictSame(await refused(path, { method, ...(body && { body: JSON.stringify(body) }) }), [400, code], `${method} ${path}`);
  }
  await sql`alter table loans rename column reader_id to somebody`;
  t.strictSame(await refused('shops/1?include=readers'), [500, 'RELATION_MISCONFIGURED']);
});

test('a chain over an excluded column is hidden', async t => {
  const hidden = FILES.map(file =>
    file.slug !== 'loans' ? file : { ...file, properties: { ...file.properties, reader: { ...to('readers'), excludeFromApi: true } } });
  const { request } = await lendService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ...hidden) } });
  t.equal((await request('/data/shops?include=readers')).body.error.code, 'UNKNOWN_RELATION');
  t.equal((await request('/data/shops/1/readers')).body.error.code, 'UNKNOWN_RELATION');
  const { paths } = (await request('/docs')).body;
  t.notOk(Object.keys(paths).some(path => path.includes('/{parentId}/readers')), 'nor does the document say so');
});
