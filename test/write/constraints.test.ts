import { test } from 'tap';
import { openService } from '../harness/service.ts';
import { createWriter, open } from './client.ts';

const TABLES = `
  create extension if not exists btree_gist;
  create table rooms (id integer primary key, name text not null unique, floor integer check (floor > 0),
    wing text, door integer, unique (wing, door), constraint ordered check (door is null or door <> floor));
  create unique index on rooms (lower(wing)) where wing is not null;
  create table bookings (id integer generated always as identity primary key, room_id integer not null references rooms,
    during tstzrange, exclude using gist (room_id with =, during with &&));
  create table audit (id integer generated always as identity primary key, note text not null check (note <> 'no'));
  create function note() returns trigger language plpgsql as $$ begin if new.name like 'audit%' then insert into audit (note)
  values (nullif(substr(new.name, 7), '')); end if; return new; end $$;
  create trigger note after insert on rooms for each row execute function note();
  create table parts (id integer, region text, code text not null, primary key (id, region),
    unique (code, region)) partition by list (region);
  create table parts_eu partition of parts for values in ('eu');
  ${open('rooms', 'bookings', 'audit', 'parts')}`;

test('a constraint that refuses names its fields', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', setup: TABLES });
  await send('POST', 'rooms', { id: 1, name: 'a', floor: 1, wing: 'N', door: 2 });
  t.same(await refused('POST', 'rooms', { id: 2, name: 'a' }), [409, 'PG_23505', 'name: unique']);
  t.same(await refused('POST', 'rooms', { id: 2, name: 'b', wing: 'N', door: 2 }), [409, 'PG_23505', 'door: unique', 'wing: unique']);
  t.same(await refused('POST', 'rooms', { id: 2, name: 'b', floor: 0 }), [400, 'PG_23514', 'floor: check']);
  t.same(await refused('POST', 'rooms', { id: 2, name: 'b', floor: 3, door: 3 }), [400, 'PG_23514', 'door: check', 'floor: check']);
  t.same(await refused('PATCH', 'rooms/1', { name: null }), [400, 'PG_23502', 'name: required']);
  t.same(await refused('POST', 'bookings', { roomId: 9 }), [400, 'PG_23503', 'roomId: foreign_key']);
  t.same(await refused('POST', 'bookings', { room: { id: 9 } }), [400, 'PG_23503', 'room: foreign_key']);
  const booking = { room: 1, during: '[2024-01-01,2024-01-03)' };
  t.equal((await send('POST', 'bookings', booking)).status, 201);
  t.same(await refused('POST', 'bookings', booking), [409, 'PG_23P01', 'during: exclusion', 'room: exclusion']);
  t.same(await refused('DELETE', 'rooms/1'), [400, 'PG_23503'], 'a row that others point to; no field of it is to blame');
});

test('the message tells what is in the way, and never the rest of the row', async t => {
  const { send } = await createWriter(t, { template: 'served', setup: TABLES });
  await send('POST', 'rooms', { id: 1, name: 'a' });
  const taken = (await send('POST', 'rooms', { id: 2, name: 'a' })).body.error;
  t.match(taken.message, /rooms_name_key/, 'under row security PostgreSQL keeps the values to itself');
  t.match(taken.details, { collection: 'rooms', dbCode: '23505', violations: [{ field: 'name', code: 'unique', message: String }] });
  const empty = (await send('PATCH', 'rooms/1', { name: null, wing: 'private' })).body.error;
  t.match(empty.message, /null value in column "name" of relation "rooms"/);
  t.notMatch(empty.message, /private/);
  const broken = (await send('PATCH', 'rooms/1', { floor: -1, wing: 'private' })).body.error;
  t.match(broken.message, /rooms_floor_check/);
  t.notMatch(broken.message, /private/);
});

test('in production the database\'s own text stays out of the details', async t => {
  const { url, sql } = await createWriter(t, { template: 'served', setup: TABLES });
  const { request, close } = await openService(url, { NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://shop.example' });
  t.teardown(close);
  const { error } = (await request('/data/rooms', { method: 'POST', body: '{"id":1,"name":"a","floor":0}' })).body;
  t.same(error?.details, {
    collection: 'rooms', dbCode: '23514', violations: [{ field: 'floor', code: 'check', message: 'floor breaks a rule of the database.' }],
  });
  await sql`create table cabinet (id int primary key, room_id int references rooms)`; // not served
  await sql`insert into rooms (id, name) values (10, 'kept')`;
  await sql`insert into cabinet values (1, 10)`;
  const answers: [method: string, path: string, body: string | undefined, status: number, message: RegExp][] = [
    ['POST', 'rooms', '{"id":11,"name":"a","floor":0}', 400, /^floor breaks a rule of the database\.$/],
    ['POST', 'rooms', '{"id":10,"name":"again"}', 409, /^A row with this id exists already\.$/],
    ['PATCH', 'rooms/10', '{"name":null}', 400, /^name is required\.$/],
    ['PATCH', 'rooms/10', '{"floor":"x"}', 400, /^floor /],
    ['DELETE', 'rooms/10', undefined, 400, /^Other rows refer to this one\.$/],
  ];
  for (const [method, path, body, status, message] of answers) {
    const answer = await request(`/data/${path}`, { method, ...(body !== undefined && { body }) });
    t.equal(answer.status, status, `${method} ${path} ${answer.text}`);
    t.match(answer.body.error.message, message);
    t.notMatch(answer.text, /cabinet|relation|constraint|violates|duplicate|invalid input/);
  }
  t.notOk('details' in (await request('/data/rooms/9', { method: 'PATCH', body: '{}' })).body.error, 'not even which row is missing');
});

test('an error from another table blames no field', async t => {
  const { refused } = await createWriter(t, { template: 'served', setup: TABLES });
  t.same(await refused('POST', 'rooms', { id: 1, name: 'audit-no' }), [400, 'PG_23514']);
  t.same(await refused('POST', 'rooms', { id: 1, name: 'audit-' }), [400, 'PG_23502']);
});

test('a partition\'s constraint is its table\'s', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', setup: TABLES });
  t.equal((await send('POST', 'parts', { id: 1, region: 'eu', code: 'x' })).status, 201);
  t.same(await refused('POST', 'parts', { id: 2, region: 'eu', code: 'x' }), [409, 'PG_23505', 'code: unique', 'region: unique']);
  t.same(await refused('PATCH', 'parts/1:::eu', { code: null }), [400, 'PG_23502', 'code: required']);
  t.same(await refused('POST', 'parts', { id: 3, region: 'mars', code: 'x' }), [400, 'PG_23514'], 'no partition for it');
});
