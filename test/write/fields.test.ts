import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { collections, createWriter, open } from './client.ts';

const id = { type: 'number', isId: 'increment' };
const everyone = [{ operation: 'all', access: 'public' }];
const notes = {
  slug: 'notes',
  properties: {
    id,
    text: { type: 'string' },
    secret: { type: 'string', excludeFromApi: true },
    locked: { type: 'string', access: { write: [] } },
    salary: { type: 'number', access: { write: ['hr'] } },
    hidden: { type: 'string', access: { read: ['hr'] } },
    author: { type: 'relation', relation: { kind: 'belongsTo', target: 'people' } },
    createdAt: { type: 'date', autoValue: 'on_create' },
    updatedAt: { type: 'date', autoValue: 'on_update' },
    createdBy: { type: 'string', autoValue: 'user_on_create' },
    updatedBy: { type: 'string', autoValue: 'user_on_update' },
    state: { type: 'string', enum: ['draft', 'live'], defaultValue: 'draft', validation: { required: true } },
    count: { type: 'number', defaultValue: 0, validation: { required: true } },
  },
  securityRules: everyone,
};
const people = { slug: 'people', properties: {
  id, name: { type: 'string', validation: { required: true } },
  notes: { type: 'relation', relation: { kind: 'hasMany', target: 'notes', foreignKeyOnTarget: 'author_id' } },
}, securityRules: everyone };
const loose = {
  slug: 'loose', strictWrites: false, properties: { id, name: { type: 'string' }, secret: { type: 'string', excludeFromApi: true } },
  securityRules: everyone,
};

test('closed fields are refused by either name, for everyone or for those without the role', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, notes, people) } });
  const [hr, ann] = [await tokenFor('hr', ['hr']), await tokenFor('ann')];
  t.same(await refused('POST', 'notes', { secret: 'x' }), [400, 'VALIDATION_EXCLUDED_FIELDS', 'secret: access']);
  t.same(await refused('POST', 'notes', { locked: 'x', nope: 1, state: 'x' }), [400, 'VALIDATION_EXCLUDED_FIELDS', 'locked: access'],
    'before anything else is looked at');
  t.same(await refused('POST', 'notes', { salary: 1 }, ann), [400, 'FIELD_NOT_WRITABLE', 'salary: access']);
  t.equal((await send('POST', 'notes', { salary: 1 }, { as: hr })).status, 201);
  t.equal((await send('POST', 'notes', { salary: 1 })).status, 201, 'admin');
  const { body } = await send('POST', 'notes', { salary: 1 }, { as: ann });
  t.match(body.error.details,
    { collection: 'notes', fields: ['salary'], violations: [{ field: 'salary', code: 'access', message: String }], messages: [String] });
  t.same(await refused('PATCH', 'notes/1', { salary: 1 }, ann), [400, 'FIELD_NOT_WRITABLE', 'salary: access'], 'the stored value as well');
  const written = await send('PATCH', 'notes/1', { hidden: 'x' }, { as: ann });
  t.equal(written.status, 200, 'what may be written and not read');
  t.notOk('hidden' in written.body);
  t.same(await refused('PATCH', 'notes/1?fields=hidden', {}, ann), [400, 'FIELD_NOT_READABLE', 'hidden: access']);
});

test('unknown fields are all named, with what there is to write', async t => {
  const { send } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, notes, people) } });
  const { status, body } = await send('POST', 'notes', { txet: 1, nope: 2, text: 3 }, { as: await tokenFor('ann') });
  t.equal(status, 400);
  t.equal(body.error.code, 'VALIDATION_UNKNOWN_FIELDS');
  t.match(body.error.details, { collection: 'notes', fields: ['nope', 'txet'] });
  t.match(body.error.message, /text/);
  t.notMatch(body.error.message, /secret|locked|salary/);
});

test('a collection whose writes are not strict takes columns that it does not declare, and nothing that is no column', async t => {
  const { send, refused, sql } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, loose) } });
  await sql`alter table loose add column extra jsonb, add column doubled integer generated always as (2 * id) stored`;
  await sql`select service.reload()`;
  const written = await send('POST', 'loose', { name: 'a', extra: [1.0, { a: null }] });
  t.equal(written.status, 201, written.text);
  t.same(await sql`select name, extra from loose`, [{ name: 'a', extra: [1, { a: null }] }]);
  t.equal((await send('PATCH', `loose/${written.body.id as number}`, { extra: 'text' })).status, 200);
  t.same(await sql`select extra from loose`, [{ extra: 'text' }]);
  t.same(await refused('POST', 'loose', { name: 'b', nope: 1 }), [400, 'VALIDATION_UNKNOWN_FIELDS', 'nope: unknown'],
    'never dropped in silence');
  t.same(await refused('POST', 'loose', { doubled: 1 }), [400, 'VALIDATION_EXCLUDED_FIELDS', 'doubled: access']);
  t.same(await refused('POST', 'loose', { secret: 'x' }), [400, 'VALIDATION_EXCLUDED_FIELDS', 'secret: access'], 'closed is closed');
});

test('columns that the database computes are not written', async t => {
  const { send, refused } = await createWriter(t);
  t.same(await refused('PATCH', 'order_items/1', { lineTotal: 1 }), [400, 'VALIDATION_EXCLUDED_FIELDS', 'lineTotal: access']);
  t.same(await refused('PATCH', 'order_items/1', { line_total: null }), [400, 'VALIDATION_EXCLUDED_FIELDS', 'line_total: access']);
  const { body } = await send('PATCH', 'order_items/1', { quantity: 3, unitPrice: 2.5 });
  t.equal(body.lineTotal, 7.5);
});

test('a belongsTo is sent as an id or as a row, by its name, its field or its column', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, notes, people) } });
  for (const name of ['a', 'b']) await send('POST', 'people', { name });
  for (const sent of [
    { author: 1 }, { author: '1' }, { author: { id: 1, name: 'whatever' } }, { authorId: 1 }, { author_id: 1 },
    { author: 1, authorId: '1' }, { author: { id: 1 }, author_id: 1 },
  ]) {
    t.equal((await send('POST', 'notes', sent)).body.authorId, 1, JSON.stringify(sent));
  }
  t.equal((await send('PATCH', 'notes/1', { author: null })).body.authorId, null);
  t.equal((await send('PATCH', 'notes/1', { author: { id: 2 } })).body.authorId, 2);
  for (const sent of [
    { author: {} }, { author: { id: null } }, { author: { name: 'a' } }, { author: true }, { author: [1] }, { author: 'x' },
  ]) {
    t.same(await refused('PATCH', 'notes/1', sent), [400, 'VALIDATION_INVALID_VALUE', 'author: type'], JSON.stringify(sent));
  }
  t.same(await refused('PATCH', 'notes/1', { author: 1, authorId: 2 }), [400, 'VALIDATION_INVALID_VALUE', 'author, authorId: conflict']);
  t.same(await refused('PATCH', 'notes/1', { authorId: 1, author_id: null }),
    [400, 'VALIDATION_INVALID_VALUE', 'authorId, author_id: conflict']);
  t.same(await refused('PATCH', 'notes/1', { author: 99 }), [400, 'PG_23503', 'author: foreign_key']);
  t.equal((await send('PATCH', 'people/1', { notes: [1] })).status, 200, 'the other direction');
});

test('an operation is never stored as a value', async t => {
  const { send, refused } = await createWriter(t);
  for (const body of [
    { name: { $push: 'x' } }, { name: { $pull: 'x' } }, { name: { $merge: {} } }, { position: { $set: 1 } },
    { name: { $inc: 1, $push: 2 } }, { parent: { $ref: 'a.id' } }, { name: { $inc: 1, x: 2 } },
  ]) {
    t.same(await refused('PATCH', 'categories/2', body), [400, 'INVALID_FIELD_OPERATION'], JSON.stringify(body));
  }
  t.same(await refused('POST', 'categories', { name: 'x', slug: 'x', position: { $inc: 1 } }), [400, 'INVALID_FIELD_OPERATION'],
    'there is nothing to count up from');
  t.equal((await send('PATCH', 'categories/2', { description: '{"$inc": 1}' })).body.description, '{"$inc": 1}', 'text is text');
  t.match((await send('PATCH', 'products/1', { attributes: { price: { $inc: 1 } } })).body.attributes, { price: { $inc: 1 } },
    'and so is what lies deeper');
});

test('stamps of the service are not taken from the body', async t => {
  const { send, sql } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, notes, people) } });
  const [ann, bob] = [await tokenFor('ann'), await tokenFor('bob')];
  const old = '2001-01-01T00:00:00.000Z';
  const created =
    (await send('POST', 'notes', { text: 'x', createdAt: old, updatedAt: 5, createdBy: 'eve', updatedBy: {} }, { as: ann })).body;
  t.match(created, { createdBy: 'ann', updatedBy: 'ann' });
  for (const stamp of [created.createdAt, created.updatedAt]) t.ok(Math.abs(Date.now() - Date.parse(stamp)) < 60_000, stamp);
  await sql`update notes set created_at = ${old}`;
  const changed = (await send('PATCH', `notes/${created.id as number}`, { createdAt: 'x', createdBy: 'eve' }, { as: bob })).body;
  t.match(changed, { createdAt: old, createdBy: 'ann', updatedBy: 'bob' });
  t.not(changed.updatedAt, created.updatedAt);
  t.match((await send('PATCH', `notes/${created.id as number}`, {}, { as: null })).body ?? {}, {});
});

test('defaults fill what is absent when a row is made, and not what is null', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, notes, people) } });
  t.match((await send('POST', 'notes', {})).body, { state: 'draft', count: 0 });
  t.same(await refused('POST', 'notes', { count: null }), [400, 'PG_23502', 'count: required']);
  t.match((await send('PATCH', 'notes/1', { state: 'live' })).body, { state: 'live', count: 0 });
  t.match((await send('PATCH', 'notes/1', {})).body, { state: 'live' });
});

test('rules of files hold beside tables that were there before', async t => {
  const { refused } = await createWriter(t,
    { template: 'served', setup: `create table plain (id integer primary key, a integer); ${open('plain')}` });
  t.same(await refused('POST', 'plain', { id: 1, a: 1.5 }), [400, 'VALIDATION_INVALID_VALUE', 'a: type']);
});
