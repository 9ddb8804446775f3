// Arrays whose elements are of several types, each with its type and its value.
import { test } from 'tap';
import { collections, createWriter } from './client.ts';
import { everyone, id } from './history.ts';

const heading = { type: 'string', validation: { required: true, max: 10 } };
const gallery = {
  type: 'array', of: { type: 'map', properties: { src: { type: 'string', url: true, validation: { required: true } } } },
  validation: { max: 2 },
};
const fold = {
  type: 'array', oneOf: { typeField: 'is', valueField: 'of', properties: { 'it\'s': { type: 'number' }, day: { type: 'date' } } },
};
const pages = {
  slug: 'pages', securityRules: everyone,
  properties: {
    id,
    body: { type: 'array', oneOf: { properties: {
      heading, gallery, fold, quote: { type: 'map', properties: { by: { type: 'string', enum: { me: 'Me', you: 'You' } } } },
    } }, validation: { max: 4 } },
    plain: { type: 'array', columnType: 'json', oneOf: { properties: { note: { type: 'string' } } } },
    side: {
      type: 'map',
      properties: { blocks: { type: 'array', oneOf: { properties: { n: { type: 'number', validation: { integer: true } } } } } },
    },
  },
};

test('blocks are stored as they were sent, and judged by their types, each by its path', async t => {
  const { send, refused, sql } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, pages) } });
  const body = [
    { type: 'heading', value: 'Hello' }, { type: 'gallery', value: [{ src: 'https://a.b/c' }], id: 'x1' },
    { type: 'quote', value: { by: 'me' } },
    { type: 'fold', value: [{ is: 'it\'s', of: 1 }, { is: 'day', of: '2026-01-02' }, { is: 'day' }] },
  ];
  const side = { blocks: [{ type: 'n', value: 1 }] };
  const created = await send('POST', 'pages', { body, plain: [{ value: 'x', type: 'note' }], side });
  t.match(created, { status: 201, body: { id: 1, body, side } });
  t.match(created.text, '"plain":[{"value":"x","type":"note"}]', 'json as it was sent');
  t.same((await send('GET', 'pages/1')).body.body, body);
  t.equal((await sql`select format_type(atttypid, atttypmod) as type
    from pg_attribute where attrelid = 'pages'::regclass and attname = 'body'`)[0]?.['type'], 'jsonb');

  const bad: [sent: object, violations: string[], code?: string][] = [
    [{ body: [{ type: 'heading', value: 'x' }, { type: 'heading', value: 'far too long a text' }] }, ['body[1].value: max_length']],
    [{ body: [{ type: 'heading' }] }, ['body[0].value: required']],
    [{ body: [{ type: 'heading', value: null }] }, ['body[0].value: required']],
    [{ body: [{ type: 'video', value: 1 }] }, ['body[0].type: enum']],
    [{ body: [{ type: 'video' }, {}, { value: 'x' }] }, ['body[0].type: enum', 'body[1].type: required', 'body[2].type: required']],
    [{ body: [{ type: ['heading'], value: 'x' }] }, ['body[0].type: type'], 'VALIDATION_INVALID_VALUE'],
    [{ body: ['heading', 5] }, ['body[0]: type', 'body[1]: type'], 'VALIDATION_INVALID_VALUE'],
    [{ body: { type: 'heading', value: 'x' } }, ['body: type'], 'VALIDATION_INVALID_VALUE'],
    [{ body: [{ type: 'heading', value: {} }] }, ['body[0].value: type'], 'VALIDATION_INVALID_VALUE'],
    [
      { body: [{ type: 'gallery', value: [{ src: 'nowhere' }, { src: null }, {}] }] },
      ['body[0].value: max_items', 'body[0].value[0].src: url', 'body[0].value[1].src: required'],
    ],
    [{ body: [{ type: 'quote', value: { by: 'them' } }] }, ['body[0].value.by: enum']],
    [
      { body: [{ type: 'fold', value: [{ is: 'it\'s', of: 'x' }, { is: 'day', of: 'soon' }] }] },
      ['body[0].value[0].of: type', 'body[0].value[1].of: type'], 'VALIDATION_INVALID_VALUE',
    ],
    [{ body: [{ type: 'fold', value: [{ type: 'day', value: 1 }] }] }, ['body[0].value[0].is: required']],
    [{ body: Array.from({ length: 5 }, () => ({ type: 'quote' })) }, ['body: max_items']],
    [{ plain: [{ type: 'x' }] }, ['plain[0].type: enum']],
    [{ side: { blocks: [{ type: 'n', value: 1.5 }] } }, ['side.blocks[0].value: integer']],
  ];
  for (const [sent, violations, code = 'VALIDATION_CONSTRAINT'] of bad) {
    for (const [method, path] of [['POST', 'pages'], ['PATCH', 'pages/1']] as const) {
      t.same(await refused(method, path, sent), [400, code, ...violations], JSON.stringify(sent));
    }
  }
  t.match(await send('POST', 'pages', { body: [{ type: 'video' }] }),
    { body: { error: { message: 'body[0].type must be one of fold, gallery, heading, quote.' } } });
  t.same((await send('POST', 'pages', { body: null, side: { blocks: [] } })).body.body, null);
  t.same((await send('POST', 'pages', { body: [] })).body.body, []);
});

test('a block is pushed and pulled like any element, and judged so', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, pages) } });
  await send('POST', 'pages', {});
  const [one, two] = [{ type: 'heading', value: 'One' }, { type: 'quote', value: null }];
  t.same((await send('PATCH', 'pages/1', { body: { $push: one } })).body.body, [one]);
  t.same((await send('PATCH', 'pages/1', { body: { $push: [two, one] } })).body.body, [one, two, one]);
  t.same(await refused('PATCH', 'pages/1', { body: { $push: [{ type: 'heading', value: 1 }, { type: 'x' }] } }),
    [400, 'VALIDATION_CONSTRAINT', 'body[1].type: enum']);
  t.same(await refused('PATCH', 'pages/1', { body: { $push: [one, one] } }), [400, 'VALIDATION_CONSTRAINT', 'body: max_items']);
  t.same((await send('PATCH', 'pages/1', { body: { $pull: one } })).body.body, [two]);
});

test('a write of blocks stays one statement', async t => {
  const { sql } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, pages) } });
  for (const op of ['create', 'update']) {
    const [{ plan } = {}] = await sql`select
      service_private.write_plan(${JSON.stringify({ op, collection: 'pages', body: ['body', 'side'] })}::text::jsonb, '{admin}') as plan`;
    t.match(plan.fastPath, String);
  }
});
