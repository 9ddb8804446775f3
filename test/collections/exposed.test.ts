// A collection that is not exposed has no routes; what leads to it must not be one.
import { test } from 'tap';
import { createService } from '../harness/service.ts';
import { collections } from '../write/client.ts';

const everyone = [{ access: 'public' }];
const id = { type: 'number', isId: 'increment' };
const relation = (kind: string, target: string, options = {}) => ({ type: 'relation', relation: { kind, target, ...options } });
const shops = { slug: 'shops', securityRules: everyone, properties: { id, name: { type: 'string' }, safe: relation('belongsTo',
  'safes'), codes: relation('hasMany', 'codes'), keys: relation('manyToMany', 'keys'), staff: relation('hasMany', 'staff') } };
const staff = {
  slug: 'staff', securityRules: everyone, properties: { id, name: { type: 'string' }, shop: relation('belongsTo', 'shops') },
};
const hidden = { exposed: false, securityRules: everyone };
const safes = { slug: 'safes', ...hidden, properties: { id, secret: { type: 'string' }, shops: relation('hasMany', 'shops') } };
const codes = { slug: 'codes', ...hidden, properties: { id, secret: { type: 'string' }, shop: relation('belongsTo', 'shops') } };
const keys = { slug: 'keys', ...hidden, properties: { id, secret: { type: 'string' } } };

const json = (value: object) => encodeURIComponent(JSON.stringify(value));
const doors: [path: string, status: number, code: string][] = [
  ...['safes', 'codes', 'keys', 'safes/1', 'safes/count', 'safes/aggregate?select=count()', 'safes/1/shops', 'keys/1']
    .map((path): [string, number, string] => [path, 404, 'NOT_FOUND']),
  ...['safe', 'codes', 'keys'].flatMap((name): [string, number, string][] => [
    [`shops?include=${name}`, 400, 'UNKNOWN_RELATION'], [`shops/1?include=${name}`, 400, 'UNKNOWN_RELATION'],
    [`staff?include=shop.${name}`, 400, 'UNKNOWN_RELATION'],
    [`shops?include=${json({ [name]: { where: { secret: 'x' } } })}`, 400, 'UNKNOWN_RELATION'],
    [`shops/1/${name}`, 404, 'UNKNOWN_RELATION'], [`shops/1/${name}/1`, 404, 'UNKNOWN_RELATION'],
    [`shops/1/${name}/count`, 404, 'UNKNOWN_RELATION'], [`staff/1/shop/1/${name}`, 404, 'UNKNOWN_RELATION'],
    [`shops?${name}=1`, 400, 'UNKNOWN_FILTER_FIELD'], [`shops?${name}=isnull.`, 400, 'UNKNOWN_FILTER_FIELD'],
    [`shops?${name}.secret=like.a%25`, 400, 'UNKNOWN_FILTER_FIELD'], [`shops?or=(${name}.secret.eq.a)`, 400, 'UNKNOWN_FILTER_FIELD'],
    [`shops?where=${json({ [`${name}.secret`]: ['==', 'a'] })}`, 400, 'UNKNOWN_FILTER_FIELD'],
    [`shops/count?${name}.secret=a`, 400, 'UNKNOWN_FILTER_FIELD'],
    [`shops/aggregate?select=count()&${name}.secret=a`, 400, 'UNKNOWN_FILTER_FIELD'],
    [`staff?include=${json({ shop: { where: { [`${name}.secret`]: 'a' } } })}`, 400, 'UNKNOWN_FILTER_FIELD'],
    [`shops?orderBy=max(${name}.secret)`, 400, 'UNKNOWN_ORDER_BY_FIELD'], [`shops?orderBy=count(${name})`, 400, 'UNKNOWN_ORDER_BY_FIELD'],
    [`shops?orderBy=${name}`, 400, 'UNKNOWN_ORDER_BY_FIELD'],
  ]),
];

test('a collection that is not exposed is reached by no door', async t => {
  const { request, sql } = await createService(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, shops, staff, safes, codes, keys) } });
  await sql`insert into safes (secret) values ('SECRET-safe')`;
  await sql`insert into shops (name, safe_id) values ('Corner', 1)`;
  await sql`insert into codes (secret, shop_id) values ('SECRET-code', 1)`;
  await sql`insert into keys (secret) values ('SECRET-key')`;
  await sql`insert into staff (name, shop_id) values ('Ann', 1)`;
  for (const [path, status, code] of doors) {
    const answer = await request(`/data/${path}`);
    t.same([answer.status, answer.body.error?.code], [status, code], path);
    t.notMatch(answer.text, /SECRET/, path);
  }
  t.same((await request('/data/shops/1?include=*')).body, { id: 1, name: 'Corner', safeId: 1, staff: [{ id: 1, name: 'Ann', shopId: 1 }] },
    '* means what is exposed');
  t.same((await request('/data/shops?include=nothing')).body.error.details.validRelations, ['staff']);
  t.same((await request('/data/shops?nothing=1')).body.error.details.validFields.filter((field: string) =>
    ['safe', 'codes', 'keys'].includes(field)), []);
  t.same((await request('/data/collections')).body.data.map(({ slug }: { slug: string }) => slug), ['shops', 'staff']);
  t.notMatch((await request('/docs')).text, /secret|codes/);
  t.same((await request('/data/shops?safeId=1')).body.meta.total, 1, 'the foreign key is a column of its own table');
});
