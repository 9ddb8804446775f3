// Every door through which a part of a value could be seen or guessed, tried with parts that this caller may not read.
import t, { test } from 'tap';
import { collections, createWriter } from '../write/client.ts';
import { tokenFor } from '../harness/service.ts';
import { some } from '../harness/effort.ts';
import { client, serviceKey, user } from '../read/client.ts';

const everyone = [{ access: 'public' }];
const id = { type: 'number', isId: 'increment' };
const staff = { read: ['staff'] };
const belongsTo = (target: string) => ({ kind: 'belongsTo', target });

/**
 * Inside a map, a map in a map, elements of an array and blocks: a part for staff, one for no role, one kept out of the API, one that every
 * role reads.
 */
const inside = {
  secret: { type: 'string', access: staff }, never: { type: 'string', access: { read: [] } },
  hidden: { type: 'string', excludeFromApi: true }, open: { type: 'string' },
};
const safes = {
  slug: 'safes', history: true,
  properties: {
    id, name: { type: 'string' }, map: { type: 'map', properties: inside },
    deep: { type: 'map', properties: { in: { type: 'map', properties: inside }, open: { type: 'string' } } },
    list: { type: 'array', of: { type: 'map', properties: inside } },
    blocks: { type: 'array', oneOf: { properties: { text: { type: 'string' }, card: { type: 'map', properties: inside } } } },
    keys: { type: 'relation', relation: { kind: 'hasMany', target: 'keys' } },
  },
  search: { fields: ['name', 'map.open', 'deep.open'] },
  securityRules: everyone,
};
const keys = {
  slug: 'keys', properties: { id, name: { type: 'string' }, safe: { type: 'relation', relation: belongsTo('safes') } },
  securityRules: everyone,
};
const KEPT = { secret: 'SECRET4d1e', never: 'NEVER77aa', hidden: 'HIDDEN02bb' };
const kept = { ...KEPT, open: 'OPEN', extra: 1 };

const [reader, holder] = [await tokenFor('r', ['writer']), await tokenFor('s', ['staff'])];
const bank = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, safes, keys) } });
await bank.sql`insert into safes (name, map, deep, list, blocks)
  values ('one', ${JSON.stringify(kept)}::text::jsonb, ${JSON.stringify({ in: kept, open: 'OPEN' })}::text::jsonb,
  ${JSON.stringify([kept])}::text::jsonb, ${JSON.stringify([{ type: 'card', value: kept }, { type: 'text', value: 'x' }])}::text::jsonb),
  ('two', '{}', '{}', '[]', '[]')`;
await bank.sql`insert into keys (name, safe_id) values ('k', 1)`;

const json = (value: object) => encodeURIComponent(JSON.stringify(value));
const include = (relation: string, options: object) => `include=${json({ [relation]: options })}`;

/** The field, the way to its parts in arrows and in dots. */
const places: [field: string, arrows: string, dots: string][] = [
  ['map', 'map->', 'map.'], ['deep', 'deep->in->', 'deep.in.'], ['list', 'list->0->', 'list.'],
  ['blocks', 'blocks->0->value->', 'blocks.value.'],
];
const pathDoors = (path: string, value: string): string[] => [
  `safes?${path}=${value}`, `safes?${path}=like.${value[0] ?? ''}*`, `safes?${path}=isnull.true`, `safes?${path}=gt.A`,
  `safes?where=${json({ [path]: ['!=', value] })}`, `safes?where=${json({ [path]: ['>', 1] })}`,
  `safes?or=(name.eq.one,${path}.eq.${value})`, `safes?not=(${path}.eq.${value})`, `safes/count?${path}=${value}`,
  `safes/aggregate?select=count()&${path}=${value}`, `keys?safe.${path}=${value}`, `keys?or=(safe.${path}.eq.${value})`,
  `keys/count?safe.${path}=${value}`, `keys?${include('safe', { where: { [path]: ['==', value] } })}`,
  `keys?${include('safe', { logical: `or(${path}.eq.${value})` })}`, `keys/1/safe?${path}=${value}`, `safes/1/keys?safe.${path}=${value}`,
];
/** Names in dots where a name stands, and what each answers for a name that is not there. */
const nameDoors = (name: string): [path: string, unknown: string][] => [
  [`safes?${name}=x`, 'UNKNOWN_FILTER_FIELD'], [`keys?safe.${name}=x`, 'UNKNOWN_FILTER_FIELD'],
  [`safes?orderBy=${name}`, 'UNKNOWN_ORDER_BY_FIELD'],
  [`safes?orderBy=${json([{ field: name, direction: 'desc' }])}&limit=1`, 'UNKNOWN_ORDER_BY_FIELD'],
  [`keys?orderBy=max(safe.${name})`, 'UNKNOWN_ORDER_BY_FIELD'], [`safes?fields=name,${name}`, 'UNKNOWN_FIELD'],
  [`safes/1?fields=${name}`, 'UNKNOWN_FIELD'], [`safes?distinct=true&fields=${name}`, 'UNKNOWN_FIELD'],
  [`keys?${include('safe', { fields: [name] })}`, 'UNKNOWN_FIELD'],
  [`keys?${include('safe', { orderBy: [{ field: name, direction: 'asc' }] })}`, 'UNKNOWN_ORDER_BY_FIELD'],
  [`safes/aggregate?select=count()&groupBy=${name}`, 'UNKNOWN_AGGREGATE_FIELD'],
];
/** Requests that compare, sort, count or group by a whole value. */
const wholeDoors = (field: string): string[] => [
  `safes?${field}=isnull.true`, `safes?where=${json({ [field]: ['is-not-null', null] })}`, `safes?distinct=true&fields=${field}`,
  `safes/count?distinct=true&fields=${field}`, `safes/aggregate?select=count(${field})`, `safes/aggregate?select=count()&groupBy=${field}`,
  `keys?safe.${field}=isnull.true`, `safes?or=(${field}.isnull.true)`, `keys?${include('safe', { where: { [field]: ['is-null', null] } })}`,
  ...field === 'list' || field === 'blocks'
    ? [`safes?${field}=cs.x`, `safes?${field}=csa.(a,b)`]
    : [`safes?where=${json({ [field]: ['==', '{}'] })}`],
];
const ofBank = (path: string, as?: string) => bank.request(`/data/${path}`, as === undefined ? {} : { as });
const holdsNone = (text: string, ...names: (keyof typeof KEPT)[]): boolean =>
  names.every(name => !text.includes(KEPT[name]) && !text.includes(`"${name}"`));

test('a part that not everybody reads: every door is closed to others by its path, and open to who may', async t => {
  for (const [field, arrows, dots] of places) {
    for (const [part, callers] of [['secret', [reader]], ['never', [reader, holder, undefined]]] as const) {
      for (const as of callers) {
        for (const path of some([...pathDoors(arrows + part, KEPT[part]), ...nameDoors(dots + part).map(([path]) => path)])) {
          const refused = await ofBank(path, as);
          t.same([refused.status, refused.body.error?.code, refused.body.error?.details?.fields],
            [400, 'FIELD_NOT_READABLE', [dots + part]], path);
          t.match(refused.body.error?.details, { collection: 'safes', violations: [{ field: dots + part, code: 'access' }] }, path);
          t.notMatch(refused.text, KEPT[part], path);
        }
      }
    }
    for (const path of some(pathDoors(`${arrows}secret`, KEPT.secret))) t.equal((await ofBank(path, holder)).status, 200, path);
    for (const path of some(pathDoors(`${arrows}open`, 'OPEN'))) t.equal((await ofBank(path, reader)).status, 200, path);
    t.equal((await ofBank(`safes/count?${arrows}secret=${KEPT.secret}`, holder)).body.count, 1);
    t.equal((await ofBank(`safes/count?${arrows}open=OPEN`, reader)).body.count, 1);
    t.equal((await ofBank(`safes?explain=true&${arrows}never=x`)).body.error?.code, 'FIELD_NOT_READABLE',
      'who may have statements explained too');
    for (const path of wholeDoors(field)) {
      for (const as of [reader, holder, undefined]) t.same([(await ofBank(path, as)).body.error?.code, path], ['FIELD_NOT_READABLE', path]);
    }
  }
  for (const path of ['deep->in=x', 'list->0=x', 'blocks->0->value=x', 'deep->in=isnull.true']) {
    t.equal((await ofBank(`safes?${path}`, reader)).body.error?.code, 'FIELD_NOT_READABLE', path);
  }
});

test('a part that is kept out of the API is not there, for anybody', async t => {
  for (const [, arrows, dots] of places) {
    for (const as of [reader, undefined]) {
      for (const path of some(pathDoors(`${arrows}hidden`, KEPT.hidden))) {
        const refused = await ofBank(path, as);
        t.same([refused.status, refused.body.error?.code], [400, 'UNKNOWN_FILTER_FIELD'], path);
      }
      for (const [path, unknown] of some(nameDoors(`${dots}hidden`))) t.equal((await ofBank(path, as)).body.error?.code, unknown, path);
    }
  }
});

test('paths that reach a closed part by a detour find nothing', async t => {
  const found = async (path: string, as?: string) => (await ofBank(`safes/count?${path}`, as)).body.count as number;
  for (const path of [
    'list->-1->secret', 'list->->0->>secret', 'blocks->-2->value->secret', 'map->0->secret', 'map->>secret->x', 'deep->in->>secret->0',
    'blocks->0->secret', 'list->secret->0',
  ]) t.not(await found(`${path}=${KEPT.secret}`, reader), 1, path);
  await bank.sql`insert into safes (name, map, list) values ('odd', ${JSON.stringify([{ secret: KEPT.secret }])}::text::jsonb,
    ${JSON.stringify({ secret: KEPT.secret, 0: { secret: KEPT.secret } })}::text::jsonb)`;
  for (const path of ['map->0->secret', 'map->0', 'list->0', 'list->1', 'list->open']) {
    const { body, text } = await ofBank(`safes?${path}=notnull.&name=odd`, reader);
    t.ok((body.data ?? []).length === 0, `${path} ${text}`);
  }
  await bank.sql`delete from safes where name = 'odd'`;
});

test('rows, searches, history and errors show the parts that may be read and no more', async t => {
  const open = { open: 'OPEN', extra: 1 };
  const safe = {
    id: 1, name: 'one', map: open, deep: { in: open, open: 'OPEN' }, list: [open],
    blocks: [{ type: 'card', value: open }, { type: 'text', value: 'x' }],
  };
  t.same((await ofBank('safes/1', reader)).body, safe);
  t.same((await ofBank('keys?include=safe', reader)).body.data[0].safe, safe);
  t.same((await ofBank('keys/1/safe', reader)).body.data, [safe]);
  const { send } = bank;
  const answers = [
    await send('PATCH', 'safes/1', { name: 'one' }, { as: reader }), await send('PATCH', 'safes/1', {}, { as: reader }),
    await send('PATCH', 'safes/1?fields=map', {}, { as: reader }),
    await send('PATCH', 'safes/bulk', { updates: [{ id: 1, data: { name: 'one' } }] }, { as: reader }),
    await send('POST', '_batch', { operations: [
      { op: 'update', collection: 'safes', id: 1, values: { map: { open: 'OPEN', extra: 1 } }, ref: 's' },
      { op: 'create', collection: 'keys', values: { name: { $ref: 's.name' } } },
    ] }, { as: reader }),
    await send('PATCH', 'keys/1/safe/1', { name: 'x' }, { as: reader }), await send('PATCH', 'safes/1', { map: { open: 5 } },
      { as: reader }), await send('PATCH', 'safes/1', { map: { $merge: { extra: 1 } } }, { as: reader }),
    await send('PATCH', 'safes/1', { list: [] }, { as: reader }), await send('PATCH', 'safes/1', { list: { $pull: open } }, { as: reader }),
    await send('POST', '_batch', { operations: [
      { op: 'update', collection: 'safes', id: 1, values: {}, ref: 's' },
      { op: 'create', collection: 'keys', values: { name: { $ref: 's.map' } } },
    ] }, { as: reader }),
    await send('PATCH', 'safes/1?fields=map.secret', {}, { as: reader }),
    await send('PATCH', 'safes/1?fields=map.hidden', {}, { as: reader }),
    await send('PATCH', 'safes/1', { map: { hidden: 'x' } }, { as: reader }),
  ];
  for (const { text } of answers) t.notMatch(text, /SECRET4d1e|NEVER77aa|HIDDEN02bb/);
  t.same([answers.at(-3)?.body.error.code, answers.at(-2)?.body.error.code, answers.at(-1)?.body.error.code],
    ['FIELD_NOT_READABLE', 'UNKNOWN_RESPONSE_FIELD', 'VALIDATION_EXCLUDED_FIELDS']);
  for (const path of [
    'safes', 'safes?include=*', 'safes/1/history', 'safes?searchString=OPEN&searchExplain=true', 'safes?limit=1', 'safes?nothing=1',
    'safes?map->nothing=1', 'safes?fields=map', 'keys?include=safe',
  ]) {
    const asked = await ofBank(path, reader);
    t.ok(holdsNone(asked.text, 'secret', 'never', 'hidden'), path);
    t.ok(holdsNone((await ofBank(path, holder)).text, 'never', 'hidden'), path);
  }
  t.equal((await ofBank('safes?searchString=OPEN', reader)).body.meta.total, 1);
  for (const value of Object.values(KEPT)) t.equal((await ofBank(`safes?searchString=${value}`)).body.meta.total, 0);
  t.not((await ofBank('safes/1', reader)).headers.get('etag'), (await ofBank('safes/1', holder)).headers.get('etag'));
  t.match((await ofBank('safes/1', holder)).body, { map: { secret: KEPT.secret }, list: [{ secret: KEPT.secret }] });
});

test('the API document names no part that is kept out of the API', async t => {
  const { text, body } = await bank.request('/docs');
  t.notMatch(text, /hidden/i);
  const { Safe, SafeInput } = body.components.schemas;
  t.same(Object.keys(Safe.properties.map.properties).sort(), ['open', 'secret']);
  t.same(Object.keys(SafeInput.properties.list.items.properties).sort(), ['never', 'open', 'secret']);
  t.match(Safe.properties.map.properties.secret,
    { 'x-service-access': { read: ['staff'] }, description: 'Read only with one of the roles staff, admin.' });
  t.match(Safe.properties.blocks.items.oneOf[0].properties.value.properties,
    { secret: { 'x-service-access': { read: ['staff'] } }, never: undefined });
});

test('psql reads by the same statements, and refuses the same', async t => {
  for (const asking of [serviceKey, await user('r', ['writer']), await user('s', ['staff'])]) {
    const { get } = client(t, bank, asking);
    for (const path of [
      'safes', 'safes/1', 'keys?include=safe', ...places.map(([, arrows]) => `safes?${arrows}open=OPEN`), 'safes?map->more->0=x',
      'safes?list->-1->open=OPEN',
    ]) await get(path);
  }
  const asReader = JSON.stringify({ uid: 'r', roles: 'writer', isAnonymous: false, jwt: { sub: 'r', roles: ['writer'] } });
  for (const [, arrows] of places) {
    await t.rejects(bank.sql`select service.list('safes', ${JSON.stringify({ where: { [`${arrows}secret`]: ['==', 'x'] } })}::text::json,
      ${asReader}::text::jsonb)`, { code: 'GW400', message: /cannot be read by this caller/ });
  }
});
