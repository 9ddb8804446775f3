import { test } from 'tap';
import { textOf } from '../database/lanes.ts';
import { until } from '../harness/until.ts';
import { collections, createWriter, open, type Writer } from './client.ts';

const TABLES = `
  create table plain (id integer generated always as identity primary key, name text not null,
    size numeric(6, 2), tags text[], data jsonb, seen timestamptz(3));
  create table audited (id integer generated always as identity primary key, name text not null);
  create function nothing() returns trigger language plpgsql as 'begin return null; end';
  create trigger after_row after insert or update on audited for each row execute function nothing();
  create table ruled (id integer generated always as identity primary key, name text not null);
  create rule nothing as on delete to ruled do also nothing;
  create table parted (id integer primary key, name text not null) partition by range (id);
  create table parted_one partition of parted for values from (0) to (1000);
  create table drafts (id integer generated always as identity primary key, doc json, plain_id integer references plain);
  create table pairs (a integer, b integer, name text not null, primary key (a, b));
  create view seen_plain with (security_invoker) as select id, name from plain;
  comment on view seen_plain is '@key id';
  ${open('plain', 'audited', 'ruled', 'parted', 'pairs', 'drafts')}`;

async function isFast(
  { sql }: Writer, op: 'create' | 'update' | 'delete', collection: string, body: string[], more: Record<string, unknown> = {},
): Promise<boolean> {
  const shape = JSON.stringify({ op, collection, body, ...more });
  const [row] = await sql<{ fast: boolean }[]>`select service_private.write_plan(${shape}::text::jsonb, '{}') ? 'fastPath' as fast`;
  return row?.fast === true;
}

test('which writes are one statement', async t => {
  const writer = await createWriter(t, { template: 'served', setup: TABLES });
  t.ok(await isFast(writer, 'create', 'plain', ['name', 'size']));
  t.ok(await isFast(writer, 'create', 'plain', ['name'], { return: 'minimal' }));
  t.ok(await isFast(writer, 'create', 'plain', ['name'], { fields: ['name'] }));
  t.ok(await isFast(writer, 'update', 'plain', ['name']));
  t.ok(await isFast(writer, 'create', 'pairs', ['a', 'b', 'name']), 'a key that is sent');
  t.ok(await isFast(writer, 'update', 'pairs', ['name']));
  t.ok(await isFast(writer, 'update', 'plain', ['size', 'tags', 'name'], { operations: { size: '$inc', tags: '$push' } }), 'operations');
  t.ok(await isFast(writer, 'update', 'plain', ['name'], { match: true }), 'a tag');
  t.ok(await isFast(writer, 'update', 'pairs', ['a', 'name']), 'an update that repeats the key');
  for (const op of ['create', 'update', 'delete'] as const) {
    t.ok(await isFast(writer, op, 'plain', op === 'delete' ? [] : ['name'], { key: true }), 'an idempotency key');
  }
  t.ok(await isFast(writer, 'create', 'drafts', ['doc']), 'json as it was sent');
  t.ok(await isFast(writer, 'create', 'drafts', ['plain', 'plainId']), 'a column by two names');
  t.ok(await isFast(writer, 'delete', 'plain', []));
  t.ok(await isFast(writer, 'delete', 'audited', []), 'nothing is shown of what is deleted');
  t.ok(await isFast(writer, 'create', 'audited', ['name'], { return: 'minimal' }), 'nor of this');
  t.notOk(await isFast(writer, 'create', 'plain', ['size']), 'something required is missing');
  t.notOk(await isFast(writer, 'update', 'plain', []), 'nothing to set');
  t.notOk(await isFast(writer, 'create', 'audited', ['name']), 'a trigger after the row');
  t.notOk(await isFast(writer, 'update', 'audited', ['name']));
  t.notOk(await isFast(writer, 'create', 'ruled', ['name']), 'a rule');
  t.notOk(await isFast(writer, 'create', 'parted', ['id', 'name']), 'partitions');
});

test('the gateway sends them, and asks service_private.write about what they refuse', async t => {
  const { send, refused, database } = await createWriter(t, { template: 'served', setup: TABLES, env: { DB_POOL_MAX: '5' } });
  const prepared = async (like: string): Promise<number> =>
    Number(textOf(await database.lanes.write.run({
      text: `select count(*)::text from pg_prepared_statements where not from_sql and statement like '${like}'`, prepare: false,
      enterFirst: false,
    }, [])));
  for (let n = 1; n <= 3; n++) {
    t.match(await send('POST', 'plain', { name: `row ${n}`, size: n }),
      { status: 201, body: { id: n, name: `row ${n}`, size: n, tags: null } });
    t.match(await send('PATCH', `plain/${n}`, { name: `changed ${n}` }), { status: 200, body: { id: n, name: `changed ${n}`, size: n } });
  }
  t.equal(await prepared('with ctx %insert into public.plain%'), 1);
  t.equal(await prepared('with ctx %update public.plain%'), 1);
  t.equal(await prepared('select service_private.write(%'), 0, 'service_private.write had nothing to do');
  t.same(await refused('POST', 'plain', { name: 1.5, size: true }), [400, 'VALIDATION_INVALID_VALUE', 'size: type']);
  t.same(await refused('POST', 'plain', { name: 'x', size: 12345.5 }), [400, 'PG_22003', 'size: type']);
  t.same(await refused('PATCH', 'plain/1', { name: null }), [400, 'PG_23502', 'name: required']);
  t.same(await refused('PATCH', 'plain/99', { name: 'x' }), [404, 'NOT_FOUND']);
  t.same(await refused('PATCH', 'plain/x', { name: 'x' }), [404, 'NOT_FOUND']);
  for (let n = 1; n <= 3; n++) {
    t.match(await send('PATCH', 'plain/2', { size: { $inc: 1 }, tags: { $push: 'a' } }), { status: 200, body: { size: 2 + n } });
  }
  t.equal(await prepared('with ctx %service_private.sent_operand%'), 1);
  const keyed = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
    send(method, path, body, { headers: { 'idempotency-key': `${method} ${path} ${JSON.stringify(body)}` } });
  const called = await prepared('%service_private.write(%');
  for (let n = 1; n <= 3; n++) {
    const made = await keyed('POST', 'plain', { name: `keyed ${n}`, size: n });
    t.match(made, { status: 201, body: { name: `keyed ${n}`, size: n } });
    t.match(await keyed('PATCH', `plain/${made.body.id}`, { name: `changed ${n}` }),
      { status: 200, body: { id: made.body.id, name: `changed ${n}` } });
    t.match(await keyed('POST', 'drafts', `{"doc":{"b":${n},"a":1}}`),
      { status: 201, text: `{"id":${n},"doc":{"b":${n},"a":1},"plainId":null}` });
    t.match(await keyed('DELETE', `drafts/${n}`), { status: 204 });
  }
  for (const write of ['insert into public.plain', 'update public.plain', 'insert into public.drafts', 'delete from public.drafts']) {
    t.equal(await prepared(`with ctx %service_private.claim_key(%${write}%`), 1, write);
  }
  t.equal(await prepared('%service_private.write(%'), called, 'with a key too');
  t.match(await send('PATCH', 'pairs/1:::2', { name: 'x' }), { status: 404 });
  t.match(await send('POST', 'pairs', { a: 1, b: 2, name: 'x' }), { status: 201, body: { a: 1, b: 2 } });
  t.match(await send('PATCH', 'pairs/1:::2', { a: 1, b: 2, name: 'y' }), { status: 200, body: { a: 1, b: 2, name: 'y' } });
  t.same(await refused('PATCH', 'pairs/1:::2', { a: 2, name: 'y' }), [400, 'KEY_IMMUTABLE', 'a: key_immutable']);
  t.same((await send('POST', 'drafts', '{"doc":{"b":1,"a":1,"b":2},"plain":{"id":1},"plainId":1}')).text,
    '{"id":4,"doc":{"b":1,"a":1,"b":2},"plainId":1}');
  t.same(await refused('PATCH', 'drafts/4', { plain: 1, plainId: 2 }), [400, 'VALIDATION_INVALID_VALUE', 'plain, plainId: conflict']);
  t.same(await refused('DELETE', 'plain/1'), [400, 'PG_23503']);
  t.match(await send('DELETE', 'drafts/4'), { status: 204 });
  t.same(await refused('DELETE', 'drafts/4'), [404, 'NOT_FOUND']);
  t.same(await refused('DELETE', 'drafts/x'), [404, 'NOT_FOUND']);
  t.same(await refused('POST', 'pairs', { a: 1, b: 2, name: 'x' }), [409, 'PG_23505', 'a: unique', 'b: unique']);
});

test('stamps, rules and soft deletes of collection files stay one statement', async t => {
  const property = { type: 'string', validation: { min: 2, trim: true } };
  const notes = {
    slug: 'notes', softDelete: true, securityRules: [{ operation: 'all', access: 'public' }],
    properties: {
      id: { type: 'number', isId: 'increment' }, title: property, deletedAt: { type: 'date' },
      changedAt: { type: 'date', autoValue: 'on_update' },
      author: { type: 'string', autoValue: 'user_on_create', validation: { required: true } },
      parts: { type: 'map', properties: { title: property } },
    },
  };
  const writer = await createWriter(t,
    { template: 'served', env: { AUTH_REQUIRE: 'false', SERVICE_COLLECTIONS_DIR: collections(t, notes) } });
  const { send, refused } = writer;
  t.ok(await isFast(writer, 'create', 'notes', ['title', 'parts', 'changedAt']));
  t.ok(await isFast(writer, 'update', 'notes', ['deletedAt', 'id', 'title']));
  t.ok(await isFast(writer, 'delete', 'notes', []));
  t.ok(await isFast(writer, 'delete', 'notes', [], { hard: true }));
  t.match(await send('POST', 'notes', { title: ' ab ', parts: { title: 'cd' }, changedAt: '2020-01-01' }),
    { status: 201, body: { id: 1, title: 'ab', author: 'service' } });
  t.same(await refused('POST', 'notes', { title: 'a ', parts: { title: '' } }),
    [400, 'VALIDATION_CONSTRAINT', 'parts.title: min_length', 'title: min_length']);
  t.same(await refused('POST', 'notes', { title: 'ab', changedAt: { $inc: 1 } }), [400, 'INVALID_FIELD_OPERATION']);
  t.same(await refused('POST', 'notes', { title: 'ab' }, null), [400, 'VALIDATION_CONSTRAINT', 'author: required']);
  t.match(await send('DELETE', 'notes/1'), { status: 204 });
  t.same(await refused('PATCH', 'notes/1', { title: 'cd' }), [404, 'NOT_FOUND']);
  t.same(await refused('PATCH', 'notes/1', { deletedAt: '2020-01-01' }), [400, 'FIELD_NOT_WRITABLE', 'deletedAt: soft_delete']);
  t.match(await send('PATCH', 'notes/1', { id: 1, deletedAt: null, title: 'cd' }), { status: 200, body: { title: 'cd', deletedAt: null } });
  t.match(await send('DELETE', 'notes/1?hard=true'), { status: 204 });
  t.same(await refused('DELETE', 'notes/1?hard=true'), [404, 'NOT_FOUND']);
});

test('a trigger after the row that comes later is in the answer', async t => {
  const { send, sql } = await createWriter(t, { template: 'served', setup: TABLES });
  for (let n = 1; n <= 3; n++) t.match(await send('POST', 'plain', { name: 'as sent' }), { status: 201, body: { name: 'as sent' } });
  await sql.unsafe(`
    create function rename() returns trigger
    language plpgsql as 'begin update plain set name = ''renamed'' where id = new.id; return null; end';
    create trigger rename after insert on plain for each row execute function rename();`).simple();
  await until('the gateway has looked again', async () => (await send('POST', 'plain', { name: 'as sent' })).body.name === 'renamed');
});
