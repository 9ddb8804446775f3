import { test } from 'tap';
import { textOf, until } from '../database/lanes.ts';
import { createWriter, open, type Writer } from './client.ts';

const TABLES = `
  create table plain (id integer generated always as identity primary key, name text not null, size numeric(6, 2), tags text[], data jsonb, seen timestamptz(3));
  create table audited (id integer generated always as identity primary key, name text not null);
  create function nothing() returns trigger language plpgsql as 'begin return null; end';
  create trigger after_row after insert or update on audited for each row execute function nothing();
  create table ruled (id integer generated always as identity primary key, name text not null);
  create rule nothing as on delete to ruled do also nothing;
  create table parted (id integer primary key, name text not null) partition by range (id);
  create table parted_one partition of parted for values from (0) to (1000);
  create table pairs (a integer, b integer, name text not null, primary key (a, b));
  create view seen_plain with (security_invoker) as select id, name from plain;
  comment on view seen_plain is '@key id';
  ${open('plain', 'audited', 'ruled', 'parted', 'pairs')}`;

async function isFast({ sql }: Writer, op: 'create' | 'update', collection: string, body: string[], more: Record<string, unknown> = {}): Promise<boolean> {
  const shape = JSON.stringify({ op, collection, body, ...more });
  const [row] = await sql<{ fast: boolean }[]>`select service.write_plan(${shape}::text::jsonb, '{}') ? 'fastPath' as fast`;
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
  t.notOk(await isFast(writer, 'update', 'pairs', ['a', 'name']), 'an update that sends the key');
  t.notOk(await isFast(writer, 'create', 'plain', ['size']), 'something required is missing');
  t.notOk(await isFast(writer, 'update', 'plain', []), 'nothing to set');
  t.notOk(await isFast(writer, 'create', 'audited', ['name']), 'a trigger after the row');
  t.notOk(await isFast(writer, 'update', 'audited', ['name']));
  t.notOk(await isFast(writer, 'create', 'ruled', ['name']), 'a rule');
  t.notOk(await isFast(writer, 'create', 'parted', ['id', 'name']), 'partitions');
});

test('the gateway sends them, and asks service.write about what they refuse', async t => {
  const { send, refused, database } = await createWriter(t, { template: 'served', setup: TABLES, env: { DB_POOL_MAX: '5' } });
  const prepared = async (like: string): Promise<number> =>
    Number(textOf(await database.lanes.write.run({ text: `select count(*)::text from pg_prepared_statements where not from_sql and statement like '${like}'`, prepare: false, enterFirst: false }, [])));
  for (let n = 1; n <= 3; n++) {
    t.match(await send('POST', 'plain', { name: `row ${n}`, size: n }), { status: 201, body: { id: n, name: `row ${n}`, size: n, tags: null } });
    t.match(await send('PATCH', `plain/${n}`, { name: `changed ${n}` }), { status: 200, body: { id: n, name: `changed ${n}`, size: n } });
  }
  t.equal(await prepared('with ctx %insert into public.plain%'), 1);
  t.equal(await prepared('with ctx %update public.plain%'), 1);
  t.equal(await prepared('select service.write(%'), 0, 'service.write had nothing to do');
  t.same(await refused('POST', 'plain', { name: 1.5, size: true }), [400, 'VALIDATION_INVALID_VALUE', 'size: type']);
  t.same(await refused('POST', 'plain', { name: 'x', size: 12345.5 }), [400, 'PG_22003', 'size: type']);
  t.same(await refused('PATCH', 'plain/1', { name: null }), [400, 'PG_23502', 'name: required']);
  t.same(await refused('PATCH', 'plain/99', { name: 'x' }), [404, 'NOT_FOUND']);
  t.same(await refused('PATCH', 'plain/x', { name: 'x' }), [404, 'NOT_FOUND']);
  t.same(await refused('PATCH', 'plain/1', { data: { $merge: {} } }), [501, 'NOT_IMPLEMENTED']);
  t.match(await send('PATCH', 'pairs/1:::2', { name: 'x' }), { status: 404 });
  t.match(await send('POST', 'pairs', { a: 1, b: 2, name: 'x' }), { status: 201, body: { a: 1, b: 2 } });
  t.match(await send('PATCH', 'pairs/1:::2', { name: 'y' }), { status: 200, body: { a: 1, b: 2, name: 'y' } });
  t.same(await refused('POST', 'pairs', { a: 1, b: 2, name: 'x' }), [409, 'PG_23505', 'a: unique', 'b: unique']);
});

test('a trigger after the row that comes later is in the answer', async t => {
  const { send, sql } = await createWriter(t, { template: 'served', setup: TABLES });
  for (let n = 1; n <= 3; n++) t.match(await send('POST', 'plain', { name: 'as sent' }), { status: 201, body: { name: 'as sent' } });
  await sql.unsafe(`
    create function rename() returns trigger language plpgsql as 'begin update plain set name = ''renamed'' where id = new.id; return null; end';
    create trigger rename after insert on plain for each row execute function rename();`).simple();
  await until('the gateway has looked again', async () => (await send('POST', 'plain', { name: 'as sent' })).body.name === 'renamed');
});
