import { test } from 'tap';
import { createWriter, open } from './client.ts';

const TABLES = `
  create function fill() returns trigger language plpgsql as $$ begin
    new.slug := coalesce(new.slug, lower(new.name)); return new; end $$;
  create function nothing() returns trigger language plpgsql as $$ begin return null; end $$;
  create domain score as integer default 5;
  create table posts (id integer primary key, name text not null, slug text not null, score score not null);
  create trigger fill before insert on posts for each row execute function fill();
  create table plain (id integer primary key, name text not null, score score not null);
  create trigger after_row after insert on plain for each row execute function nothing();
  create trigger once before insert on plain for each statement execute function nothing();
  create table kept (id integer primary key, name text); insert into kept values (1, 'a');
  create table guarded (id integer primary key, name text); insert into guarded values (1, 'a');
  ${['kept', 'guarded'].map(table =>
    `create trigger b_keep before insert or update or delete on ${table} for each row execute function nothing();
    create trigger a_keep before update on ${table} for each row execute function nothing();`).join('\n')}
  create table parted (id integer primary key) partition by range (id);
  create table parted_one partition of parted for values from (0) to (9);
  create trigger keep before insert on parted_one for each row execute function nothing();
  ${open('posts', 'plain', 'guarded')}`;

test('fields that a trigger may fill need not be sent; NOT NULL decides', async t => {
  const { send, refused, sql, database } = await createWriter(t, { template: 'served', setup: TABLES });
  t.match((await send('POST', 'posts', { id: 1, name: 'Hello' })).body, { slug: 'hello', score: 5 });
  t.match((await send('POST', 'posts', { id: 2, name: 'Bye', slug: null })).body, { slug: 'bye' });
  t.same(await refused('POST', 'posts', { id: 3 }), [400, 'PG_23502', 'name: required']);
  t.same(await refused('POST', 'plain', { id: 1 }), [400, 'VALIDATION_CONSTRAINT', 'name: required'],
    'a trigger after the row, or once a statement, fills nothing');
  await sql`alter table posts disable trigger fill`;
  await database.catalog.refresh();
  t.same(await refused('POST', 'posts', { id: 3, name: 'Hello' }), [400, 'VALIDATION_CONSTRAINT', 'slug: required']);
});

test('a row that a trigger keeps is not row security\'s doing', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', setup: TABLES, env: { SERVICE_UNPROTECTED_TABLES: 'serve' } });
  const error = async (...write: Parameters<typeof send>) => {
    const { status, body } = await send(...write);
    return [status, body.error.code, body.error.message, body.error.details];
  };
  t.same(await error('POST', 'kept', { id: 2 }),
    [403, 'CALLBACK_REJECTED', 'A trigger kept the row from being written: b_keep.', { path: 'kept', triggers: ['b_keep'] }]);
  t.same(await error('PATCH', 'kept/1', { name: 'b' }), [
    403, 'CALLBACK_REJECTED', 'A trigger kept the row from being written: a_keep, b_keep.',
    { path: 'kept', triggers: ['a_keep', 'b_keep'] },
  ]);
  t.same((await error('DELETE', 'kept/1')).slice(0, 2), [403, 'CALLBACK_REJECTED']);
  t.same(await error('POST', 'parted', { id: 1 }),
    [403, 'CALLBACK_REJECTED', 'A trigger kept the row from being written.', { path: 'parted' }], 'that of a partition');
  t.same((await error('POST', 'guarded', { id: 2 })).slice(0, 2), [403, 'CALLBACK_REJECTED'], 'row security would have said no in words');
  t.same(await error('DELETE', 'guarded/1'), [
    403, 'WRITE_DENIED', 'Row security does not let this caller write this row, or a trigger kept it: b_keep.',
    { collection: 'guarded', triggers: ['b_keep'] },
  ]);
  t.same(await refused('PATCH', 'kept/9', { name: 'b' }), [404, 'NOT_FOUND']);
});

test('a trigger before the statement knows who writes', async t => {
  const { send } = await createWriter(t, { template: 'served', setup: `
    create table letters (id integer primary key, name text);
    create function signed() returns trigger language plpgsql as $$ begin
      if service.uid() is distinct from 'service' then raise 'nobody writes'; end if; return null; end $$;
    create trigger signed before insert or update or delete on letters for each statement execute function signed();
    ${open('letters')}` });
  for (const headers of [{}, { 'idempotency-key': 'k' }]) {
    t.equal((await send('POST', 'letters', { id: 1, name: 'a' }, { headers: { ...headers, prefer: 'return=minimal' } })).status, 204);
    t.equal((await send('PATCH', 'letters/1', { name: 'b' })).status, 200);
    t.equal((await send('DELETE', 'letters/1')).status, 204);
    t.equal((await send('POST', 'letters/bulk', { rows: [{ id: 1 }, { id: 2 }] })).status, 200);
    t.equal((await send('POST', 'letters/bulk/delete', { ids: [1, 2] })).status, 200);
  }
});
