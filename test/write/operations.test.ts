import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { collections, createWriter, open, type Writer } from './client.ts';

const number = (validation: object = {}, more: object = {}) => ({ type: 'number', ...more, validation });
const counters = {
  slug: 'counters', softDelete: true, securityRules: [{ operation: 'all', access: 'public' }],
  properties: {
    id: { type: 'number', isId: 'increment' }, title: { type: 'string', validation: { min: 2 } },
    views: number({ integer: true }), stock: number({ min: 0, max: 10 }), above: number({ moreThan: 1, lessThan: 5 }),
    plus: number({ positive: true }), minus: number({ negative: true }), ratio: number({}, { columnType: 'double precision' }),
    price: number({}, { columnType: 'numeric', precision: 8, scale: 2 }),
    level: number({}, { enum: [1, 2, 3.5] }), kinds: { type: 'array', of: { type: 'string', enum: ['new', 'used'] } },
    sizes: { type: 'map', properties: { width: number({}, { enum: [1, 2] }), depths: { type: 'array', of: number({}, { enum: [2] }) } } },
    tags: { type: 'array', of: { type: 'string', validation: { min: 2 } }, validation: { min: 1, max: 3, uniqueInArray: true } },
    scores: { type: 'array', of: { type: 'number' } }, moments: { type: 'array', of: { type: 'date' } },
    things: { type: 'array', of: { type: 'map', properties: { n: number({ positive: true }) } } },
    address: { type: 'map', properties: {
      zip: { type: 'string', validation: { length: 5, required: true } }, city: { type: 'string' },
      geo: { type: 'map', properties: { lat: number({ required: true }) } },
    } },
    free: { type: 'map', keyValue: true, columnType: 'json' },
    secret: number({ max: 5 }, { access: { read: ['boss'] } }), closed: number({}, { access: { write: ['boss'] } }),
    hidden: { type: 'number', excludeFromApi: true }, changedAt: { type: 'date', autoValue: 'on_update' }, deletedAt: { type: 'date' },
    owner: { type: 'relation', relation: { kind: 'belongsTo', target: 'counters' } },
  },
};
const create = async (t: Parameters<typeof collections>[0] & Parameters<typeof createWriter>[0], row: object = {}): Promise<Writer> => {
  const writer = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, counters) } });
  await writer.send('POST', 'counters', row);
  return writer;
};

test('each operation works on what is stored, and on nothing', async t => {
  const { send, sql } = await create(t);
  const after = async (field: string, operation: object): Promise<unknown> =>
    (await send('PATCH', 'counters/1', { [field]: operation })).body[field];
  t.same([await after('views', { $inc: 1 }), await after('views', { $inc: 2.0 }), await after('views', { $inc: -5 })], [1, 3, -2]);
  t.same([await after('price', { $inc: 0.1 }), await after('price', { $inc: 0.2 })], [0.1, 0.3]);
  t.same([await after('ratio', { $inc: 1.5 }), await after('ratio', { $inc: 1e3 })], [1.5, 1001.5]);
  t.same([await after('tags', { $push: 'ab' }), await after('tags', { $push: ['cd', 'ab'] }), await after('tags', { $pull: 'ab' })],
    [['ab'], ['ab', 'cd', 'ab'], ['cd']]);
  t.same([await after('scores', { $pull: 1 }), await after('scores', { $push: [1, 2.5, 1] }), await after('scores',
    { $pull: [1, 7] }), await after('scores', { $pull: 2.5 })], [[], [1, 2.5, 1], [2.5], []]);
  t.same([await after('things', { $push: { n: 1 } }), await after('things', { $push: [{ n: 2, m: [1] }, { n: 1 }] }), await after('things',
    { $pull: { n: 1 } }), await after('things', { $pull: [{ m: [1], n: 2 }] })],
    [[{ n: 1 }], [{ n: 1 }, { n: 2, m: [1] }, { n: 1 }], [{ n: 2, m: [1] }], []]);
  t.same(await after('moments', { $push: '2024-01-01T00:00:00Z' }), ['2024-01-01T00:00:00Z']);
  t.same([await after('address', { $merge: { city: 'Ulm' } }), await after('address',
    { $merge: { zip: '89073', geo: { lat: 1 } } }), await after('address', { $merge: { geo: { lat: 2 } } })],
    [{ city: 'Ulm' }, { city: 'Ulm', zip: '89073', geo: { lat: 1 } }, { city: 'Ulm', zip: '89073', geo: { lat: 2 } }]);
  t.same([await after('free', { $merge: { a: { b: 1 } } }), await after('free', { $merge: { a: 1, c: null } })],
    [{ a: { b: 1 } }, { a: 1, c: null }]);
  t.match((await send('PATCH', 'counters/1', { title: 'mixed', views: { $inc: 2 }, tags: { $push: 'ef' }, stock: 5 })).body,
    { title: 'mixed', views: 0, tags: ['cd', 'ef'], stock: 5 });
  t.match(await send('PATCH', 'counters/1', { views: { $inc: 1 } }, { headers: { prefer: 'return=minimal' } }), { status: 204 });
  t.match(await send('PATCH', 'counters/bulk', { updates: [{ id: 1, views: { $inc: 1 } }, { id: 1, data: { views: { $inc: 10 } } }] }),
    { status: 200, body: { data: [{ views: 2 }, { views: 12 }] } });
  t.match(await send('POST', '_batch', { operations: [
    { op: 'update', collection: 'counters', id: 1, values: { views: { $inc: 1 } }, ref: 'c' },
    { op: 'update', collection: 'counters', id: 1, values: { stock: { $inc: { $ref: 'c.id' } } } },
  ] }), { status: 200, body: { data: [{ views: 13 }, { stock: 6 }] } });
  t.match(await sql`select service.update('counters', '1', '{"views": {"$inc": 7}}') ->> 'views' as views`, [{ views: '20' }]);
});

test('the result keeps the bounds of its field, and nothing beside it is written when it does not', async t => {
  const { send, refused } = await create(t, { title: 'kept', stock: 5, above: 2, plus: 1, minus: -1, tags: ['ab'] });
  const breaks = async (field: string, operation: object, ...violations: string[]) =>
    t.same(await refused('PATCH', 'counters/1', { title: 'not kept', [field]: operation }), [400, 'VALIDATION_CONSTRAINT', ...violations],
      JSON.stringify(operation));
  for (let n = 0; n < 3; n++) {
    await breaks('stock', { $inc: -6 }, 'stock: min');
    await breaks('stock', { $inc: 5.5 }, 'stock: max');
  }
  await breaks('above', { $inc: -1 }, 'above: more_than');
  await breaks('above', { $inc: 3 }, 'above: less_than');
  await breaks('plus', { $inc: -1 }, 'plus: positive');
  await breaks('minus', { $inc: 1 }, 'minus: negative');
  await breaks('tags', { $pull: 'ab' }, 'tags: min_items');
  await breaks('tags', { $push: ['bc', 'cd', 'de'] }, 'tags: max_items');
  await breaks('tags', { $push: ['bc', 'c'] }, 'tags[1]: min_length');
  await breaks('things', { $push: { n: 0 } }, 'things[0].n: positive');
  await breaks('address', { $merge: { zip: '1' } }, 'address.zip: length');
  await breaks('address', { $merge: { zip: null } }, 'address.zip: required');
  t.same(await refused('PATCH', 'counters/1', { stock: { $inc: -9 }, above: { $inc: 9 } }),
    [400, 'VALIDATION_CONSTRAINT', 'above: less_than', 'stock: min']);
  t.same(await refused('PATCH', 'counters/1', { views: { $inc: 1.5 } }), [400, 'VALIDATION_INVALID_VALUE', 'views: type']);
  t.same(await refused('PATCH', 'counters/99', { stock: { $inc: -9 } }), [404, 'NOT_FOUND']);
  t.match((await send('GET', 'counters/1')).body, { title: 'kept', stock: 5, above: 2, plus: 1, minus: -1, tags: ['ab'] });
  t.match((await send('PATCH', 'counters/1', { stock: { $inc: 5 } })).body, { stock: 10 });
  t.match(await refused('PATCH', 'counters/bulk', { updates: [{ id: 1, title: 'ok' }, { id: 1, stock: { $inc: 1 } }] }),
    [400, 'VALIDATION_CONSTRAINT', 'stock: max']);
  t.match((await send('GET', 'counters/1')).body, { title: 'kept' });
});

test('the result is one of the declared values, as a plain value is', async t => {
  const { send, refused } = await create(t, { level: 1, kinds: ['new'], sizes: { width: 1 } });
  for (const [field, value, operation, at = field] of [
    ['level', 9, { $inc: 8 }], ['level', 3, { $inc: 2 }], ['kinds', ['new', 'old'], { $push: ['new', 'old'] }, 'kinds[1]'],
    ['kinds', ['old'], { $push: 'old' }, 'kinds[0]'], ['sizes', { width: 3 }, { $merge: { width: 3 } }, 'sizes.width'],
    ['sizes', { depths: [3] }, { $merge: { depths: [3] } }, 'sizes.depths[0]'],
  ] as const) {
    const [plain, operated] = [await send('PATCH', 'counters/1', { [field]: value }),
      await send('PATCH', 'counters/1', { [field]: operation })];
    const error = { code: 'VALIDATION_CONSTRAINT', details: { violations: [{ field: at, code: 'enum' }] } };
    t.match(plain, { status: 400, body: { error } });
    t.same({ ...operated.body.error, requestId: '' }, { ...plain.body.error, requestId: '' }, JSON.stringify(operation));
    t.equal(operated.status, plain.status);
  }
  t.same(await refused('PATCH', 'counters/bulk', { updates: [{ id: 1, level: { $inc: 1 } }, { id: 1, level: { $inc: 1 } }] }),
    [400, 'VALIDATION_CONSTRAINT', 'level: enum']);
  t.match((await send('PATCH', 'counters/1', { level: { $inc: 2.5 }, kinds: { $push: 'used' }, sizes: { $merge: { depths: [2] } } })).body,
    { level: 3.5, kinds: ['new', 'used'], sizes: { width: 1, depths: [2] } });
});

test('unknown operations are refused', async t => {
  const { refused, send } = await create(t, { title: 'ab', views: 1 });
  const bad = async (body: object, method: 'POST' | 'PATCH' = 'PATCH', path = method === 'POST' ? 'counters' : 'counters/1') =>
    t.same((await refused(method, path, body)).slice(0, 2), [400, 'INVALID_FIELD_OPERATION'], JSON.stringify(body));
  for (const operand of ['1', null, true, [1], {}]) await bad({ views: { $inc: operand } });
  for (const operand of [[], null]) {
    await bad({ tags: { $push: operand } });
    await bad({ tags: { $pull: operand } });
  }
  for (const operand of [[], null, 1, 'x', [{}]]) await bad({ address: { $merge: operand } });
  for (const field of ['title', 'tags', 'address', 'id', 'owner', 'deletedAt', 'changedAt']) await bad({ [field]: { $inc: 1 } });
  for (const field of ['title', 'views', 'address']) await bad({ [field]: { $push: 'ab' } });
  for (const body of [
    { views: { $dec: 1 } }, { views: { $inc: 1, $push: 2 } }, { views: { $inc: 1, by: 2 } }, { free: { by: 2, $inc: 1 } },
    { free: { $ref: 'a.b' } }, { ownerId: 1, owner: { $inc: 1 } },
  ]) await bad(body);
  await bad({ views: { $inc: 1 } }, 'POST');
  await bad({ views: { $inc: 1 } }, 'POST', 'counters?on_conflict=id');
  await bad({ rows: [{ views: { $inc: 1 } }] }, 'POST', 'counters/bulk');
  t.equal((await send('GET', 'counters/1')).body.views, 1);
  t.match(await send('PATCH', 'counters/1', '{"views":{"$inc":1},"views":5}'), { status: 200, body: { views: 5 } },
    'of two values the last one');
  t.match(await send('PATCH', 'counters/1', '{"views":5,"views":{"\\u0024inc":1}}'), { status: 200, body: { views: 6 } });
  t.match(await refused('PATCH', 'counters/1', { views: { $inc: 1e300 } }), [400, 'PG_22003']);
});

test('closed fields refuse operations as they refuse values, and fields that cannot be read too', async t => {
  const { refused, send } = await create(t, { secret: 3 });
  const [clerk, boss] = [await tokenFor('clerk'), await tokenFor('boss', ['boss'])];
  const code = async (field: string, as: string) => (await refused('PATCH', 'counters/1', { [field]: { $inc: 1 } }, as))[1];
  t.same([await code('hidden', boss), await code('closed', clerk), await code('secret', clerk), await code('none', clerk)],
    ['VALIDATION_EXCLUDED_FIELDS', 'FIELD_NOT_WRITABLE', 'FIELD_NOT_READABLE', 'VALIDATION_UNKNOWN_FIELDS']);
  t.equal((await send('PATCH', 'counters/1', { secret: 4 }, { as: clerk })).status, 200, 'it may be set');
  t.match(await send('PATCH', 'counters/1', { secret: { $inc: 1 }, closed: { $inc: 1 } }, { as: boss }),
    { status: 200, body: { secret: 5, closed: 1 } });
});

test('the additions of fifty clients add up', async t => {
  const { send } = await create(t, { stock: 10, views: 0 });
  const statuses = await Promise.all(Array.from({ length: 50 },
    async () => (await send('PATCH', 'counters/1', { views: { $inc: 1 }, tags: { $pull: 'none' } })).status));
  t.same(new Set(statuses), new Set([400]), 'an empty list has too few items');
  t.same(new Set(await Promise.all(Array.from({ length: 50 },
    async () => (await send('PATCH', 'counters/1', { views: { $inc: 2 } })).status))), new Set([200]));
  const taken = await Promise.all(Array.from({ length: 50 },
    async () => (await send('PATCH', 'counters/1', { stock: { $inc: -1 } })).status));
  t.equal(taken.filter(status => status === 200).length, 10);
  t.equal(taken.filter(status => status === 400).length, 40);
  t.match((await send('GET', 'counters/1')).body, { views: 100, stock: 0 });
});

test('a table that was there before has them too', async t => {
  const { send, sql } = await createWriter(t, { template: 'served', setup: `
    create table stored (id bigint primary key, small smallint, names text[], days date[],
      stamps timestamp[], blobs bytea[], doc jsonb, old json, cost money);
    insert into stored (id) values (1);
    ${open('stored')}` });
  const after = async (field: string, operation: object): Promise<unknown> =>
    (await send('PATCH', 'stored/1', { [field]: operation })).body[field];
  t.same(await after('small', { $inc: 3 }), 3);
  t.same([await after('names', { $push: ['a', 'b'] }), await after('names', { $pull: 'a' })], [['a', 'b'], ['b']]);
  t.same([await after('days', { $push: '2024-01-01' }), await after('days', { $pull: '2024-01-01' })], [['2024-01-01'], []]);
  t.same(await after('stamps', { $push: '2024-01-01T01:00:00+01:00' }), ['2024-01-01T00:00:00.000Z']);
  t.same([await after('blobs', { $push: 'AAH/' }), await after('blobs', { $pull: ['AAH/'] })], [['AAH/'], []]);
  t.same([await after('doc', { $merge: { a: 1 } }), await after('old', { $merge: { a: 1 } })], [{ a: 1 }, { a: 1 }]);
  await sql`update stored set doc = '[1]'`;
  t.match(await send('PATCH', 'stored/1', { doc: { $merge: { a: 1 } } }),
    { status: 400, body: { error: { code: 'VALIDATION_INVALID_VALUE' } } });
});

test('operations keep the form of arrays of several dimensions, or are refused', async t => {
  const { send, refused, sql } = await createWriter(t, { template: 'served', setup: `
    create table grids (id bigint primary key, name text, grid integer[][], flat integer[], docs jsonb[]);
    insert into grids values (1, 'a', '{{1,2},{3,4}}', '{{1,2},{3,4}}', '{"[1]"}'), (2, 'b', null, null, null), (3, 'c', '{}', '{5}', '{}');
    ${open('grids')}` });
  const kept = async (id: number, field: string, operation: object): Promise<void> => {
    const [before] = await sql`select g::text from grids g where id = ${id}`;
    const [status, code, ...violations] = await refused('PATCH', `grids/${id}`, { name: 'new', [field]: operation });
    t.same([status, violations], [400, code === 'INVALID_FIELD_OPERATION' ? [] : [`${field}: type`]], JSON.stringify(operation));
    t.match(code, /^(INVALID_FIELD_OPERATION|VALIDATION_INVALID_VALUE)$/);
    t.same((await sql`select g::text from grids g where id = ${id}`)[0], before);
  };
  const made = async (id: number, field: string, operation: object): Promise<unknown> =>
    (await send('PATCH', `grids/${id}`, { [field]: operation })).body[field];
  for (const field of ['grid', 'flat']) for (const operand of [9, 1, [9, 9], [[1, 2]]]) await kept(1, field, { $pull: operand });
  for (const id of [2, 3]) await kept(id, 'grid', { $pull: 5 });
  for (const field of ['grid', 'flat']) for (const operand of [5, [5, 6], [[[5, 6]]]]) await kept(1, field, { $push: operand });
  for (const id of [2, 3]) for (const operand of [5, [5, 6], [[[5, 6]]]]) await kept(id, 'grid', { $push: operand });
  await kept(3, 'flat', { $push: [[5, 6]] });
  await kept(1, 'docs', { $push: [[1]] });
  t.same([await made(1, 'grid', { $push: [[5, 6], [7, 8]] }), await made(1, 'flat', { $push: [[5, 6]] })],
    [[[1, 2], [3, 4], [5, 6], [7, 8]], [[1, 2], [3, 4], [5, 6]]]);
  t.same([await made(2, 'grid', { $push: [[5, 6]] }), await made(3, 'grid', { $push: [[5, 6], [7, 8]] })], [[[5, 6]], [[5, 6], [7, 8]]]);
  t.same([await made(3, 'flat', { $push: 6 }), await made(3, 'flat', { $pull: 5 }), await made(2, 'flat', { $pull: 5 })],
    [[5, 6], [6], []]);
  t.match(await send('PATCH', 'grids/bulk', { updates: [{ id: 1, name: 'only' }, { id: 3, flat: { $pull: 6 } }] }),
    { status: 200, body: { data: [{ flat: [[1, 2], [3, 4], [5, 6]] }, { flat: [] }] } });
  t.match(await refused('PATCH', 'grids/bulk', { updates: [{ id: 3, flat: { $push: 6 } }, { id: 1, flat: { $pull: 6 } }] }),
    [400, 'VALIDATION_INVALID_VALUE', 'flat: type']);
  t.same((await send('GET', 'grids/3')).body.flat, []);
});

test('moments and bytes in arrays of several dimensions keep their form', async t => {
  const { send, sql } = await createWriter(t, { template: 'served', setup: `
    create table shapes (id bigint primary key, at timestamp[][], parts bytea[][], names text[]);
    ${open('shapes')}` });
  const at = ['2021-01-01T00:00:00.5+01:00', null].map(first => [[first, '2021-01-02T00:00:00Z'], [first, first]]);
  const parts = [[Buffer.from('a"\\,{}').toString('base64'), ''], [null, Buffer.from('null').toString('base64')]];
  await send('POST', 'shapes', { id: 1, at, parts });
  const stored = async (): Promise<unknown> => (await sql`select at::text, parts::text from shapes where id = 1`)[0];
  const moments = (first: string): string => `{{${first},"2021-01-02 00:00:00"},{${first},${first}}}`;
  t.same(await stored(), {
    at: `{${moments('"2020-12-31 23:00:00.5"')},${moments('NULL')}}`, parts: String.raw`{{"\\x61225c2c7b7d","\\x"},{NULL,"\\x6e756c6c"}}`,
  });
  await send('PATCH', 'shapes/1', { at: { $push: [at[1]] }, parts: { $push: [parts[1]] } });
  t.same(await stored(), {
    at: `{${moments('"2020-12-31 23:00:00.5"')},${moments('NULL')},${moments('NULL')}}`,
    parts: String.raw`{{"\\x61225c2c7b7d","\\x"},{NULL,"\\x6e756c6c"},{NULL,"\\x6e756c6c"}}`,
  });
  await send('PATCH', 'shapes/1', { at: [], parts: ['YQ=='] });
  t.same(await stored(), { at: '{}', parts: String.raw`{"\\x61"}` });
});

test('lists of lists take and lose lists only', async t => {
  const lists = {
    slug: 'lists', securityRules: [{ operation: 'all', access: 'public' }],
    properties: { id: { type: 'number', isId: 'increment' }, rows: { type: 'array', of: { type: 'array' } } },
  };
  const { send, refused } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, lists) } });
  await send('POST', 'lists', { rows: [[1, 2], [3]] });
  for (const operation of [{ $push: [5] }, { $push: 5 }, { $pull: [1, 2] }, { $pull: 3 }]) {
    const refusal = await refused('PATCH', 'lists/1', { rows: operation });
    t.same(refusal.slice(0, 2), [400, 'VALIDATION_INVALID_VALUE'], JSON.stringify(operation));
  }
  t.same((await send('PATCH', 'lists/1', { rows: { $push: [[5]] } })).body.rows, [[1, 2], [3], [5]]);
  t.same((await send('PATCH', 'lists/1', { rows: { $pull: [[1, 2], [4]] } })).body.rows, [[3], [5]]);
});
