import { test } from 'tap';
import { collections, createWriter } from './client.ts';

const string = (validation: object, more: object = {}) => ({ type: 'string', validation, ...more });
const number = (validation: object, more: object = {}) => ({ type: 'number', validation, ...more });
const ruled = {
  slug: 'ruled',
  properties: {
    id: { type: 'number', isId: 'increment' },
    length: string({ length: 3 }), min: string({ min: 2 }), max: string({ max: 3 }),
    pattern: string({ matches: '^[a-z]+$' }), slashed: string({ matches: '/^[a-z]+$/i', matchesMessage: 'Letters, please.' }),
    choice: { type: 'string', enum: [{ id: 'a', label: 'A' }, { id: 'b', label: 'B' }] }, email: { type: 'string', email: true },
    url: { type: 'string', url: true }, tidy: string({ trim: true, lowercase: true, max: 3 }),
    loud: string({ uppercase: true, matches: '^[A-Z]*$' }), whole: number({ integer: true }), positive: number({ positive: true }),
    negative: number({ negative: true }), from: number({ min: 1 }), to: number({ max: 2 }), above: number({ moreThan: 1 }),
    below: number({ lessThan: 2 }), grade: { type: 'number', enum: [1, 2.5] }, since: { type: 'date', validation: { min: '2020-01-01' } },
    until: { type: 'date', validation: { max: '2020-01-01T12:00:00Z' } },
    few: { type: 'array', of: { type: 'string' }, validation: { min: 1, max: 2, uniqueInArray: true } },
    tags: { type: 'array', of: string({ min: 2 }) },
    lines: { type: 'array', of: { type: 'map', properties: { n: number({ positive: true, required: true }) } } },
    address: { type: 'map', properties: {
      zip: string({ length: 5, required: true }), city: { type: 'string' }, geo: { type: 'map', properties: { lat: number({ max: 90 }) } },
    } },
    home: { type: 'geopoint' },
  },
  securityRules: [{ operation: 'all', access: 'public' }],
};
const needs = {
  slug: 'needs',
  properties: {
    id: { type: 'number', isId: 'increment' },
    title: string({ required: true, requiredMessage: 'Every page has a title.' }),
    body: string({ required: true, min: 3 }),
    owner: { type: 'relation', relation: { kind: 'belongsTo', target: 'ruled' }, validation: { required: true } },
    stamp: { type: 'string', autoValue: 'user_on_create', validation: { required: true } },
  },
  securityRules: [{ operation: 'all', access: 'public' }],
};

test('each rule is judged on what was sent, and says its code', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ruled) } });
  const rule = async (field: string, good: unknown[], bad: unknown[], ...violations: string[]) => {
    for (const value of good) t.equal((await send('POST', 'ruled', { [field]: value })).status, 201, `${field}: ${JSON.stringify(value)}`);
    for (const value of bad) t.same(await refused('POST', 'ruled', { [field]: value }), [400, 'VALIDATION_CONSTRAINT', ...violations],
      `${field}: ${JSON.stringify(value)}`);
  };
  await rule('length', ['abc', 'äöü', '🦊🦊🦊', null], ['ab', 'abcd', ''], 'length: length');
  await rule('min', ['ab'], ['a', ''], 'min: min_length');
  await rule('max', ['', 'abc'], ['abcd'], 'max: max_length');
  await rule('pattern', ['abc'], ['Abc', '', 'a1'], 'pattern: pattern');
  await rule('slashed', ['aBc'], ['a1'], 'slashed: pattern');
  await rule('choice', ['a', null], ['c', ''], 'choice: enum');
  await rule('email', ['', 'a@b.c', 'ö@ä.de'], ['a@b', 'a b@c.d', '@b.c'], 'email: email');
  await rule('url', ['', 'https://a.b/c?d', 'ftp://x'], ['/a', 'a.b', 'https://'], 'url: url');
  await rule('whole', [1, '2', 3.0], [], 'whole: integer');
  await rule('positive', [0.1, '1'], [0, -1, '0'], 'positive: positive');
  await rule('negative', [-1], [0, 1], 'negative: negative');
  await rule('from', [1, '1e2'], [0.99, '0'], 'from: min');
  await rule('to', [2], [2.01], 'to: max');
  await rule('above', [1.01], [1], 'above: more_than');
  await rule('below', [1.99], [2], 'below: less_than');
  await rule('grade', [1, 2.5, '1', 1.0], [2], 'grade: enum');
  await rule('since', ['2020-01-01', '2024-05-06T00:00:00Z'], ['2019-12-31', '2020-01-01T00:00:00+01:00'], 'since: date_min');
  await rule('until', ['2020-01-01T12:00:00Z'], ['2020-01-01T12:00:01Z'], 'until: date_max');
  await rule('few', [['a'], ['a', 'b']], [[]], 'few: min_items');
  await rule('few', [], [['a', 'b', 'c']], 'few: max_items');
  await rule('few', [], [['a', 'a']], 'few: unique_items');
  await rule('tags', [[], ['ab']], [['ab', 'c']], 'tags[1]: min_length');
  await rule('lines', [[{ n: 1 }]], [[{ n: 1 }, { n: 0 }]], 'lines[1].n: positive');
  await rule('lines', [], [[{ n: null }, {}, { n: 1 }]], 'lines[0].n: required');
  await rule('address', [{}, { zip: '12345' }, { zip: '12345', geo: { lat: 9 } }], [{ city: 'x' }], 'address.zip: required');
  await rule('address', [], [{ zip: '1', geo: { lat: 91 } }], 'address.geo.lat: max', 'address.zip: length');
  t.same(await refused('POST', 'ruled', { whole: 1.5 }), [400, 'VALIDATION_INVALID_VALUE', 'whole: type']);
  t.same(await refused('POST', 'ruled', { tags: ['ab', 55, {}] }), [400, 'VALIDATION_INVALID_VALUE', 'tags[2]: type']);
  t.same(await refused('POST', 'ruled', { address: [] }), [400, 'VALIDATION_INVALID_VALUE', 'address: type']);
  t.same(await refused('POST', 'ruled', { address: { zip: 12345.5, city: true } }),
    [400, 'VALIDATION_CONSTRAINT', 'address.city: type', 'address.zip: length']);
  t.same(await refused('POST', 'ruled', { home: { latitude: 1 } }), [400, 'VALIDATION_INVALID_VALUE', 'home: type']);
  t.same((await send('POST', 'ruled', { home: { latitude: 1.5, longitude: -2 } })).body.home, { latitude: 1.5, longitude: -2 });
});

test('trim, lowercase and uppercase come first, and are what is stored', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ruled) } });
  t.match((await send('POST', 'ruled', { tidy: '  ÄBc \n', loud: 'abc' })).body, { tidy: 'äbc', loud: 'ABC' });
  t.equal((await send('PATCH', 'ruled/1', { tidy: ' X ' })).body.tidy, 'x');
  t.equal((await send('PATCH', 'ruled/1', { tidy: null })).body.tidy, null);
  t.same(await refused('POST', 'ruled', { tidy: ' abcd ' }), [400, 'VALIDATION_CONSTRAINT', 'tidy: max_length']);
});

test('all broken rules are reported at once', async t => {
  const { send } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ruled) } });
  const { status, body } = await send('POST', 'ruled', { slashed: '1', positive: -1, negative: 'x', tags: ['a', 'b'] });
  t.same([status, body.error.code], [400, 'VALIDATION_CONSTRAINT']);
  const { violations, messages, collection } = body.error.details;
  t.equal(collection, 'ruled');
  t.same(violations.map((v: { field: string; code: string }) => `${v.field} ${v.code}`),
    ['negative type', 'positive positive', 'slashed pattern', 'tags[0] min_length', 'tags[1] min_length']);
  t.same(messages, violations.map((v: { message: string }) => v.message));
  t.ok(messages.includes('Letters, please.'));
  t.equal(body.error.message, messages.join(' ').replace('Letters', 'slashed: Letters'),
    'a message that does not name its field gets the name');
});

test('an impossible date is reported together with the rest', async t => {
  const dated = {
    slug: 'dated',
    properties: {
      id: { type: 'number', isId: 'increment' }, title: string({ required: true }), plain: { type: 'date' },
      day: { type: 'date', columnType: 'date' }, since: { type: 'date', validation: { min: '2020-01-01' } },
      days: { type: 'array', of: { type: 'date' } },
    },
    securityRules: [{ operation: 'all', access: 'public' }],
  };
  const { send, refused } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, dated) } });
  const bad = { plain: '2024-02-30', day: '2024-13-01', since: '20-20-20', days: ['2024-01-01', '9999999'] };
  const found = ['day: type', 'days[1]: type', 'plain: type', 'since: type'];
  t.same(await refused('POST', 'dated', bad), [400, 'VALIDATION_CONSTRAINT', ...found, 'title: required']);
  t.same(await refused('POST', 'dated', { ...bad, title: 'x' }), [400, 'VALIDATION_INVALID_VALUE', ...found]);
  const { body: { id } } = await send('POST', 'dated',
    { title: 'x', plain: '2024-02-29T23:00:00+05:00', day: '2024-02-29', since: '2020-01-01', days: ['2024-01-01'] });
  t.same(await refused('PATCH', `dated/${id}`, { since: '2019-12-31', plain: '2024-02-30' }),
    [400, 'VALIDATION_CONSTRAINT', 'plain: type', 'since: date_min']);
});

test('required fields are required when a row is created', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, needs, ruled) } });
  await send('POST', 'ruled', {});
  t.same(await refused('POST', 'needs', {}), [400, 'VALIDATION_CONSTRAINT', 'body: required', 'owner: required', 'title: required']);
  t.match((await send('POST', 'needs', { title: null, body: 'x', ownerId: 1 })).body.error.details,
    { messages: ['body must have at least 3 characters.', 'Every page has a title.'] });
  t.equal((await send('POST', 'needs', { title: '', body: 'xyz', ownerId: 1 })).status, 201,
    'a blank text is a text; either name satisfies');
  t.equal((await send('POST', 'needs', { title: '', body: 'xyz', owner: { id: 1 } })).status, 201);
  t.same(await refused('PATCH', 'needs/1', { body: null }), [400, 'PG_23502', 'body: required'], 'of an update NOT NULL is the judge');
  t.same(await refused('POST', 'needs', { title: 'x', body: 'xyz', owner: 1 }, null), [401, 'UNAUTHORIZED']);
});

test('a stamp that must not be empty asks for a sign-in', async t => {
  const { refused, send } = await createWriter(t,
    { template: 'served', env: { AUTH_REQUIRE: 'false', SERVICE_COLLECTIONS_DIR: collections(t, needs, ruled) } });
  await send('POST', 'ruled', {});
  t.same(await refused('POST', 'needs', { title: 'x', body: 'xyz', owner: 1 }, null), [400, 'VALIDATION_CONSTRAINT', 'stamp: required']);
  t.equal((await send('POST', 'needs', { title: 'x', body: 'xyz', owner: 1 })).body.stamp, 'service');
});
