// A map that is sent in part: a new row gets the defaults of the parts that it lacks.
import { test, type Test } from 'tap';
import { collections, createWriter, type Writer } from './client.ts';
import { everyone, id } from './history.ts';

const size = { type: 'map', properties: { unit: { type: 'string', defaultValue: 'mm' }, width: { type: 'number' } } };
const spec = {
  type: 'map',
  properties: {
    material: { type: 'string', defaultValue: 'it\'s "oak"', validation: { required: true, max: 12 } },
    count: { type: 'number', defaultValue: 0 }, done: { type: 'boolean', defaultValue: false },
    tags: { type: 'array', of: { type: 'string' }, defaultValue: ['a', 'b'] }, note: { type: 'string' },
    'odd\'key': { type: 'string', defaultValue: '' }, size, box: { type: 'map', defaultValue: { w: 1 } },
  },
};
const filled = { material: 'it\'s "oak"', count: 0, done: false, tags: ['a', 'b'], 'odd\'key': '', box: { w: 1 } };
const things = { slug: 'things', securityRules: everyone, properties: {
  id, code: { type: 'string', validation: { unique: true } }, spec, plain: { type: 'map', properties: { a: { type: 'string' } } },
} };

const shop = (t: Test): Promise<Writer> =>
  createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, things) } });

test('the parts that are missing, at each level that is sent; null and falsy values are values', async t => {
  const { send, sql } = await shop(t);
  const cases: [sent: unknown, stored: unknown][] = [
    [{}, filled],
    [{ note: 'x' }, { ...filled, note: 'x' }],
    [{ material: 'ash', count: null, done: true, tags: [] }, { ...filled, material: 'ash', count: null, done: true, tags: [] }],
    [{ size: {} }, { ...filled, size: { unit: 'mm' } }],
    [{ size: { width: 1 } }, { ...filled, size: { width: 1, unit: 'mm' } }],
    [{ size: { unit: null } }, { ...filled, size: { unit: null } }],
    [{ size: null }, { ...filled, size: null }],
    [{ box: {}, other: 1 }, { ...filled, box: {}, other: 1 }],
    [null, null],
  ];
  for (const [sent, stored] of cases) {
    const { status, body } = await send('POST', 'things', { spec: sent });
    t.same([status, body.spec], [201, stored], JSON.stringify(sent));
    t.same((await sql`select service.create('things', ${JSON.stringify({ spec: sent })}::text::jsonb) as body`)[0]?.['body'].spec, stored,
      'psql says the same');
  }
  t.match(await send('POST', 'things', { code: 'none' }), { status: 201, body: { spec: null } }, 'a map that is not sent is not made');
  const bulk = await send('POST', 'things/bulk',
    { rows: cases.map(([sent], n) => n % 2 === 0 ? { spec: sent, plain: {} } : { spec: sent }) });
  t.same(bulk.body.data.map((row: any) => row.spec), cases.map(([, stored]) => stored));
  const mixed = await send('POST', 'things/bulk', { rows: [{ plain: {} }, { spec: {} }] });
  t.same(mixed.body.data.map((row: any) => row.spec), [null, filled], 'nor where another row of many has it');
  t.same((await send('POST', '_batch', {
    operations: [{ op: 'create', collection: 'things', values: { spec: { note: 'b' } } }],
  })).body.data[0].spec,
    { ...filled, note: 'b' });
});

test('an update stores what it says, and so does an upsert of a row that is there', async t => {
  const { send, refused } = await shop(t);
  await send('POST', 'things', { code: 'a', spec: { note: 'x' } });
  t.same((await send('PATCH', 'things/1', { spec: { count: 1 } })).body.spec, { count: 1 });
  t.same((await send('PATCH', 'things/1', { spec: { $merge: { done: true } } })).body.spec, { count: 1, done: true });
  t.same((await send('PATCH', 'things/bulk', { updates: [{ id: 1, data: { spec: { size: {} } } }] })).body.data[0].spec, { size: {} });
  t.same((await send('POST', 'things?on_conflict=code', { code: 'a', spec: { note: 'up' } })).body,
    { ...(await send('GET', 'things/1')).body, spec: { note: 'up' } });
  t.same((await send('POST', 'things?on_conflict=code', { code: 'b', spec: { note: 'new' } })).body.spec, { ...filled, note: 'new' });
  const many = await send('POST', 'things/bulk',
    { rows: [{ code: 'a', spec: { count: 5 } }, { code: 'c', spec: { count: 5 } }], upsert: true, onConflict: ['code'] });
  t.same(many.body.data.map((row: any) => row.spec), [{ count: 5 }, { ...filled, count: 5 }]);
  t.same(await refused('POST', 'things', { spec: { material: null } }), [400, 'VALIDATION_CONSTRAINT', 'spec.material: required'],
    'null is not left out');
  t.same(await refused('POST', 'things', { spec: { material: 'x'.repeat(13) } }),
    [400, 'VALIDATION_CONSTRAINT', 'spec.material: max_length']);
});

test('a create stays one statement, and only an upsert that completes is not', async t => {
  const { sql } = await shop(t);
  const isFast = async (shape: object) =>
    (await sql`select service_private.write_plan(${sql.json({ collection: 'things', op: 'create', ...shape })},
      '{admin}') ? 'fastPath' as fast`)[0]?.['fast'] as boolean;
  t.same(await Promise.all([
    isFast({ body: ['spec'] }), isFast({ body: ['spec', 'plain'] }), isFast({ body: ['code', 'plain'], conflict: ['code'] }),
    isFast({ body: ['code', 'spec'], conflict: ['code'] }),
  ]), [true, true, true, false]);
});
