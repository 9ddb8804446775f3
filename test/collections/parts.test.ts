// Fields inside a map, an array or a block that not everybody may read or write.
import t, { test } from 'tap';
import { some } from '../harness/effort.ts';
import { tokenFor } from '../harness/service.ts';
import { collections, createWriter, type Writer } from '../write/client.ts';

const everyone = [{ access: 'public' }];
const id = { type: 'number', isId: 'increment' };
const text = { type: 'string' };
const staff = { type: 'string', access: { read: ['staff'] } };
const guarded = { type: 'string', access: { write: ['staff'] } };
const both = { type: 'string', access: { read: ['staff'], write: ['staff'] } };
const hidden = { type: 'string', excludeFromApi: true };
const nobody = { type: 'string', access: { read: [] } };
const parts = { open: text, staff, guarded, both, hidden, nobody };

const things = {
  slug: 'things', history: true, securityRules: everyone,
  properties: {
    id, name: { type: 'string', validation: { unique: true } },
    flat: { type: 'map', properties: parts },
    deep: { type: 'map', properties: { open: text, in: { type: 'map', properties: parts } } },
    rows: { type: 'array', of: { type: 'map', properties: parts } },
    mixed: { type: 'map', properties: { open: text, rows: { type: 'array', of: { type: 'map', properties: { open: text, both } } } } },
    blocks: { type: 'array', oneOf: { properties: { plain: text, card: { type: 'map', properties: parts }, note: staff, memo: hidden } } },
    plain: { type: 'map', properties: { open: text } },
  },
};
const whole = { open: 'O', staff: 'S', guarded: 'G', both: 'B', hidden: 'H', nobody: 'N', more: 'M' };
const stored = {
  flat: whole, deep: { open: 'o', in: whole }, rows: [whole, { open: 'p' }, null], mixed: { open: 'm', rows: [{ open: 'x', both: 'y' }] },
  blocks: [
    { type: 'plain', value: 'p' }, { type: 'card', value: whole, key: 1 }, { type: 'note', value: 'S' }, { type: 'memo', value: 'H' },
    { type: 'card' },
  ],
  plain: { open: 'o', more: 1 },
};
const seen = { open: 'O', guarded: 'G', more: 'M' };
const toReader = {
  id: 1, name: 'a', flat: seen, deep: { open: 'o', in: seen }, rows: [seen, { open: 'p' }, null],
  mixed: { open: 'm', rows: [{ open: 'x' }] },
  blocks: [{ type: 'plain', value: 'p' }, { type: 'card', value: seen, key: 1 }, { type: 'note' }, { type: 'memo' }, { type: 'card' }],
  plain: { open: 'o', more: 1 },
};
const known = { ...seen, staff: 'S', both: 'B' };
const toStaff = {
  ...toReader, flat: known, deep: { open: 'o', in: known }, rows: [known, { open: 'p' }, null], mixed: stored.mixed,
  blocks: [
    { type: 'plain', value: 'p' }, { type: 'card', value: known, key: 1 }, { type: 'note', value: 'S' }, { type: 'memo' }, { type: 'card' },
  ],
};

const service = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, things) } });

/** A fresh copy for each test. */
async function shop(): Promise<Writer & {
  reader: string; staff: string; row: (id?: number) => Promise<any>; put: (values: object, id?: number) => Promise<void>;
}> {
  await service.sql`truncate things, service.history restart identity`;
  const put = async (values: object, key = 1): Promise<void> => {
    for (const [column, value] of Object.entries(values)) {
      await service.sql`update things set ${service.sql(column)} = ${JSON.stringify(value)}::text::jsonb where id = ${key}`;
    }
  };
  await service.sql`insert into things (name) values ('a')`;
  await put(stored);
  const row = async (key = 1): Promise<any> => ({ ...(await service.sql`select * from things where id = ${key}`)[0] });
  return { ...service, put, row, reader: await tokenFor('r', ['writer']), staff: await tokenFor('s', ['staff']) };
}

test('closed parts of a value are absent wherever it is shown', async t => {
  const { send, reader, staff } = await shop();
  for (const [as, expected] of [[reader, toReader], [staff, toStaff], [undefined, toStaff]] as const) {
    const asked = as === undefined ? {} : { as };
    t.same((await send('GET', 'things/1', undefined, asked)).body, expected);
    t.same((await send('GET', 'things', undefined, asked)).body.data, [expected]);
    t.same((await send('GET', 'things/1?fields=flat', undefined, asked)).body, { id: 1, flat: expected.flat });
  }
  const [one, other] = [await send('GET', 'things/1', undefined, { as: reader }), await send('GET', 'things/1', undefined, { as: staff })];
  t.not(one.headers.get('etag'), other.headers.get('etag'), 'callers who see different rows have different tags');
});

test('a value that is not of its form shows nothing to who may not see all of it', async t => {
  const { send, reader, staff, put } = await shop();
  await put({
    flat: [whole], rows: { staff: 'S' }, deep: { in: [{ staff: 'S' }], open: 'o' },
    blocks: [{ type: 'video', value: { staff: 'S' } }, 'S', { value: 'S' }],
  });
  t.match((await send('GET', 'things/1', undefined, { as: reader })).body,
    { flat: null, rows: null, deep: { in: null, open: 'o' }, blocks: [null, null, null] });
  t.match((await send('GET', 'things/1?fields=mixed,plain', undefined, { as: staff })).body, { mixed: stored.mixed });
});

/** A body of one field, with a key too many. */
const closedBodies = (key: string, value: unknown): [body: object, path: string][] => [
  [{ flat: { open: 'n', [key]: value } }, `flat.${key}`],
  [{ deep: { in: { [key]: value } } }, `deep.in.${key}`],
  [{ rows: [{ open: 'n' }, { [key]: value }] }, `rows[1].${key}`],
  [{ blocks: [{ type: 'plain', value: 'x' }, { type: 'card', value: { [key]: value } }] }, `blocks[1].value.${key}`],
];

test('a write of a closed part is refused with its path', async t => {
  const { send, refused, reader, staff, row } = await shop();
  const before = await row();
  const writes = [...closedBodies('guarded', 'x'), ...closedBodies('both', null)].flatMap(([body, path]) => ([
    ['POST', 'things', body], ['PATCH', 'things/1', body], ['PUT', 'things/1', body],
    ['POST', 'things?on_conflict=name', { name: 'a', ...body }], ['POST', 'things/bulk', { rows: [body] }],
    ['PATCH', 'things/bulk', { updates: [{ id: 1, data: body }] }],
    ['POST', '_batch', { operations: [{ op: 'create', collection: 'things', values: body }] }],
    ['POST', '_batch', { operations: [{ op: 'update', collection: 'things', id: 1, values: body }] }],
  ] as const).map(write => [path, ...write] as const));
  for (const [path, method, address, sent] of some(writes)) {
    t.same(await refused(method, address, sent, reader), [400, 'FIELD_NOT_WRITABLE', `${path}: access`],
      `${method} ${address} ${JSON.stringify(sent)}`);
  }
  for (const value of ['G', 5, {}]) t.same(await refused('PATCH', 'things/1', { flat: { guarded: value } }, reader),
    [400, 'FIELD_NOT_WRITABLE', 'flat.guarded: access'], 'what is stored already too');
  for (const [body, path] of closedBodies('hidden', 'H')) {
    for (const as of [reader, staff, undefined]) {
      t.same(await refused('POST', 'things', body, as), [400, 'VALIDATION_EXCLUDED_FIELDS', `${path}: access`]);
      t.same(await refused('PATCH', 'things/1', body, as), [400, 'VALIDATION_EXCLUDED_FIELDS', `${path}: access`]);
    }
  }
  t.same(await refused('PATCH', 'things/1', { blocks: [{ type: 'memo', value: 'x' }] }),
    [400, 'VALIDATION_EXCLUDED_FIELDS', 'blocks[0].value: access']);
  t.same(await refused('PATCH', 'things/1', { flat: { guarded: 'x', hidden: 'y', open: 5 } }, reader),
    [400, 'VALIDATION_EXCLUDED_FIELDS', 'flat.hidden: access'], 'what nobody may comes first');
  t.same(await refused('PATCH', 'things/1', { flat: { $merge: { guarded: 'x' } } }, reader),
    [400, 'FIELD_NOT_WRITABLE', 'flat.guarded: access']);
  t.same(await refused('PATCH', 'things/1', { deep: { $merge: { in: { both: 'x' } } } }, reader),
    [400, 'FIELD_NOT_WRITABLE', 'deep.in.both: access']);
  t.same(await refused('PATCH', 'things/1', { rows: { $push: { both: 'x' } } }, reader),
    [400, 'FIELD_NOT_WRITABLE', 'rows[0].both: access']);
  t.same(await row(), before, 'and nothing is written');
  t.match(await send('POST', 'things', { flat: { guarded: 'g', both: 'b' } }, { as: staff }),
    { status: 201, body: { flat: { guarded: 'g', both: 'b' } } });
  t.match(await send('POST', 'things', { flat: { staff: 's', nobody: 'n', open: 'o' } }, { as: reader }),
    { status: 201, body: { flat: { open: 'o' } } }, 'to write and not to read is another matter');
});

test('a map that is replaced keeps what the caller cannot see or write', async t => {
  const { send, reader, staff, row, put } = await shop();
  const [held, heldOfStaff] = [{ staff: 'S', guarded: 'G', both: 'B', hidden: 'H', nobody: 'N' }, { hidden: 'H', nobody: 'N' }];
  const cases: [as: string, sent: object, left: object][] = [
    [reader, { flat: { open: 'new' } }, { flat: { ...held, open: 'new' } }],
    [reader, { flat: {} }, { flat: held }],
    [reader, { flat: null }, { flat: held }],
    [reader, { flat: { staff: 'mine', nobody: 'too' } }, { flat: { ...held, staff: 'mine', nobody: 'too' } }],
    [staff, { flat: { open: 'new', both: 'b' } }, { flat: { ...heldOfStaff, open: 'new', both: 'b' } }],
    [reader, { deep: { open: 'new' } }, { deep: { open: 'new', in: held } }],
    [reader, { deep: { in: { open: 'new' } } }, { deep: { in: { ...held, open: 'new' } } }],
    [reader, { deep: { in: null } }, { deep: { in: held } }],
    [reader, { deep: { $merge: { open: 'new' } } }, { deep: { ...stored.deep, open: 'new' } }],
    [reader, { deep: { $merge: { in: { open: 'new' } } } }, { deep: { open: 'o', in: { ...held, open: 'new' } } }],
    [staff, { deep: { $merge: { in: { guarded: 'g' } } } }, { deep: { open: 'o', in: { ...heldOfStaff, guarded: 'g' } } }],
    [reader, { flat: { $merge: { open: 'new', staff: 'x' } } }, { flat: { ...whole, open: 'new', staff: 'x' } }],
    [reader, { mixed: { open: 'new' } }, { mixed: { open: 'new', rows: stored.mixed.rows } }],
    [reader, { mixed: null }, { mixed: { rows: stored.mixed.rows } }],
    [reader, { mixed: { $merge: { open: 'new' } } }, { mixed: { ...stored.mixed, open: 'new' } }],
    [staff, { mixed: { rows: [] } }, { mixed: { rows: [] } }],
    [reader, { rows: { $push: { open: 'q' } } }, { rows: [...stored.rows, { open: 'q' }] }],
    [reader, { blocks: { $push: [{ type: 'plain', value: 'q' }] } }, { blocks: [...stored.blocks, { type: 'plain', value: 'q' }] }],
    [reader, { plain: { more: 2 } }, { plain: { more: 2 } }],
  ];
  const writes = cases.flatMap(([as, sent, left]) => ([
    ['PATCH', 'things/1', sent], ['PUT', 'things/1', sent], ['PATCH', 'things/bulk', { updates: [{ id: 1, data: sent }] }],
    ['PATCH', 'things/bulk', { updates: [{ id: 1, data: sent }, { id: 1, data: {} }] }],
    ['POST', '_batch', { operations: [{ op: 'update', collection: 'things', id: 1, values: sent }] }],
    ...JSON.stringify(sent).includes('$') ? [] : [
      ['POST', 'things?on_conflict=name', { name: 'a', ...sent }],
      ['POST', 'things/bulk', { rows: [{ name: 'a', ...sent }], upsert: true, onConflict: ['name'] }],
    ] as const,
  ] as const).map(write => [as, sent, left, ...write] as const));
  for (const [as, sent, left, method, path, body] of some(writes)) {
    await put(stored);
    const { status, text } = await send(method, path, body, { as });
    t.ok(status < 300, text);
    t.same(await row(), { id: 1, name: 'a', ...stored, ...left }, `${method} ${path} ${JSON.stringify(sent)}`);
  }
  await put({ ...stored, flat: { open: 'O' } });
  t.same((await send('PATCH', 'things/1', { flat: null }, { as: reader })).body.flat, {}, 'emptied, whether or not it holds something');
  await put({ flat: null });
  t.same((await send('PATCH', 'things/1', { flat: { open: 'x' } }, { as: reader })).body.flat, { open: 'x' });
  t.same((await send('PATCH', 'things/1', { flat: null }, { as: staff })).body.flat, {});
});

test('a list with closed parts is added to, not replaced, unless it is empty', async t => {
  const { send, refused, reader, staff, row, put } = await shop();
  for (const [body, path] of [
    [{ rows: [] }, 'rows'], [{ rows: null }, 'rows'], [{ rows: [{ open: 'p' }] }, 'rows'], [{ blocks: [] }, 'blocks'],
    [{ blocks: stored.blocks.slice(0, 1) }, 'blocks'], [{ mixed: { rows: [] } }, 'mixed.rows'],
    [{ mixed: { rows: null, open: 'x' } }, 'mixed.rows'], [{ mixed: { $merge: { rows: [{ open: 'x' }] } } }, 'mixed.rows'],
  ] as const) {
    for (const [method, address, sent] of [
      ['PATCH', 'things/1', body], ['PATCH', 'things/bulk', { updates: [{ id: 1, data: body }] }],
    ] as const) {
      t.same(await refused(method, address, sent, reader), [400, 'FIELD_NOT_WRITABLE', `${path}: access`], JSON.stringify(body));
    }
  }
  await put({ rows: [{ open: 'p' }] });
  t.equal((await refused('PATCH', 'things/1', { rows: [] }, reader))[1], 'FIELD_NOT_WRITABLE',
    'nor does the answer tell whether there is something to lose');
  t.same(await row(), { id: 1, name: 'a', ...stored, rows: [{ open: 'p' }] });
  t.same(await refused('PATCH', 'things/1', { rows: { $pull: { open: 'p' } } }, reader), [400, 'FIELD_NOT_READABLE', 'rows: access']);
  await put({ rows: [], blocks: null });
  t.match(await send('PATCH', 'things/1', { rows: [{ open: 'z' }], blocks: [{ type: 'plain', value: 'z' }] }, { as: reader }),
    { status: 200, body: { rows: [{ open: 'z' }], blocks: [{ value: 'z' }] } });
  t.same(await refused('PATCH', 'things/1', { rows: { $pull: { open: 'z' } } }, staff), [400, 'FIELD_NOT_READABLE', 'rows: access'],
    'hidden from everybody');
  t.match(await send('PATCH', 'things/1', { mixed: { rows: [{ both: 'b' }] } }, { as: staff }),
    { status: 200, body: { mixed: { rows: [{ both: 'b' }] } } });
});

test('history shows each reader what he may read, tells of no other change, and keeps nothing that is hidden', async t => {
  const { send, refused, reader, staff, sql, put, row } = await shop();
  const entries = async (as: string) => (await send('GET', 'things/1/history', undefined, { as })).body.data as any[];
  t.notMatch(JSON.stringify(await sql`select snapshot, previous from service.history`), /"H"|hidden/);
  const [asReader] = await entries(reader);
  t.same(asReader.values, toReader);
  t.same((await entries(staff))[0].values, toStaff);

  await put({ flat: { ...whole, staff: 'S2' } });
  const [changed] = await entries(reader);
  t.same([changed.changed_fields, changed.values.flat, changed.previous_values.flat], [[], seen, seen]);
  t.same((await entries(staff))[0].changed_fields, ['flat']);
  const count = (await entries(staff)).length;
  await put({ flat: { ...whole, staff: 'S2', hidden: 'H2' } });
  t.equal((await entries(staff)).length, count, 'what is hidden leaves no entry');

  const revert = (entry: string, as: string) => send('POST', `things/1/history/${entry}/revert`, undefined, { as });
  await put({ flat: { ...whole, open: 'O2', staff: 'S3' } });
  t.same((await revert(asReader.id, reader)).body.data.flat, seen);
  t.same((await row()).flat, { ...whole, staff: 'S3' }, 'what he cannot see stays');
  await put({ flat: { ...whole, guarded: 'G2' } });
  t.same(await refused('POST', `things/1/history/${asReader.id as string}/revert`, undefined, reader),
    [400, 'FIELD_NOT_WRITABLE', 'flat.guarded: access']);
  t.same((await revert(asReader.id, staff)).body.data.flat, known);
});

test('a plain write to such a collection is one statement, and one without closed parts is what it is elsewhere', async t => {
  const { sql } = await shop();
  const planned = async (op: string, body: string[], role: string) => (await sql`select
    service_private.write_plan(${JSON.stringify({ op, collection: 'things', body })}::text::jsonb, array[${role}]) as plan`)[0]?.['plan'];
  for (const op of ['create', 'update']) t.match((await planned(op, ['flat', 'rows', 'blocks'], 'writer')).fastPath, String);
  t.notMatch((await planned('update', ['name', 'plain'], 'writer')).statement, /kept_parts|closed/);
  t.notMatch((await planned('update', ['mixed'], 'staff')).fastPath, /kept_parts/,
    'nor is anything kept from who may read and write all of it');
});
