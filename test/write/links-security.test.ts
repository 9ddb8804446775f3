import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { collections, createWriter } from './client.ts';

const SETUP = `
  create table band (id integer primary key, owner text not null, name text);
  create table song (id integer primary key, band_id integer references band, owner text, locked boolean not null default false);
  create table fan (id integer primary key, hidden boolean not null default false);
  create table band_fan (band_id integer references band on delete cascade, fan_id integer references fan, primary key (band_id, fan_id));
  alter table band enable row level security;
  create policy seen on band for select using (true);
  create policy own on band for all using (owner = (select service.uid())) with check (owner = (select service.uid()));
  alter table song enable row level security;
  create policy seen on song for select using (owner is distinct from 'ghost');
  create policy changed on song for update using (not locked) with check (true);
  create policy made on song for insert with check (true);
  create policy gone on song for delete using (not locked);
  alter table fan enable row level security;
  create policy seen on fan for select using (not hidden);
  create policy made on fan for insert with check (true);
  alter table band_fan enable row level security;
  create policy seen on band_fan for select using (true);
  create policy linked on band_fan for insert with check (band_id in (select id from band where owner = (select service.uid())));
  create policy unlinked on band_fan for delete using (band_id in (select id from band where owner = (select service.uid())));
  insert into band values (1, 'ann', 'one'), (2, 'bob', 'two');
  insert into song values (1, 1, null, false), (2, 1, null, true), (3, 2, null, false), (4, 1, 'ghost', false), (5, null, null, false);
  insert into fan values (1, false), (2, false), (3, true), (4, false);
  insert into band_fan values (1, 1), (1, 3), (2, 1);`;

test('links are written under the row security of the rows and of the junction', async t => {
  const { send, refused, sql } = await createWriter(t, { template: 'served', setup: SETUP });
  const ann = await tokenFor('ann');
  const fans = async () =>
    (await sql`select band_id, fan_id from band_fan order by 1, 2`).map(row => `${row['band_id']}-${row['fan_id']}`).join(' ');
  t.equal((await send('PATCH', 'band/1', { fan: [2, 4] }, { as: ann })).status, 200);
  t.equal(await fans(), '1-2 1-3 1-4 2-1', 'a link to a row that is hidden is neither seen nor taken away');
  t.strictSame(await refused('PATCH', 'band/1', { fan: [3] }, ann), [400, 'PG_23503', 'fan[0]: foreign_key'], 'a hidden row is not there');
  t.strictSame(await refused('PATCH', 'band/2', { fan: [] }, ann), [403, 'WRITE_DENIED'], 'the row itself must be writable');
  t.strictSame(await refused('PATCH', 'band/2/fan/2', {}, ann), [403, 'WRITE_DENIED'], 'and its junction rows');
  t.strictSame(await refused('DELETE', 'band/2/fan/1', undefined, ann), [403, 'WRITE_DENIED']);
  t.strictSame(await refused('DELETE', 'band/1/fan/3', undefined, ann), [404, 'NOT_FOUND'], 'what is hidden is not unlinked');
  t.strictSame(await refused('PATCH', 'band/1/fan/3', {}, ann), [404, 'NOT_FOUND']);
  t.equal((await send('PATCH', 'band/1/fan/1', {}, { as: ann })).status, 200, 'attaching needs no right to change the row');
  t.equal(await fans(), '1-1 1-2 1-3 1-4 2-1');
  t.equal((await send('DELETE', 'band/1/fan/1', undefined, { as: ann })).status, 204);
  t.strictSame(await refused('POST', 'band/2/fan', { id: 9 }, ann), [403, 'WRITE_DENIED']);
  t.equal((await sql`select count(*)::int as n from fan where id = 9`)[0]?.['n'], 0, 'nor is the row left behind');
  t.equal(await fans(), '1-2 1-3 1-4 2-1');
});

test('rows are taken and let go under their own row security', async t => {
  const { send, refused, sql } = await createWriter(t, { template: 'served', setup: SETUP });
  const ann = await tokenFor('ann');
  const songs = async () => (await sql`select id, band_id from song order by id`).map(row => `${row['id']}-${row['band_id']}`).join(' ');
  t.strictSame(await refused('PATCH', 'band/1', { song: [1] }, ann), [403, 'WRITE_DENIED'],
    'a row that is seen and may not be changed stays linked');
  t.strictSame(await refused('PATCH', 'band/1', { song: [1, 2, 4] }, ann), [400, 'PG_23503', 'song[2]: foreign_key']);
  t.equal(await songs(), '1-1 2-1 3-2 4-1 5-null');
  t.equal((await send('PATCH', 'band/1', { song: [2, 3, 5] }, { as: ann })).status, 200);
  t.equal(await songs(), '1-null 2-1 3-1 4-1 5-1', 'the locked one is as it was, the hidden one is not seen');
  t.strictSame(await refused('DELETE', 'band/1/song/2', undefined, ann), [403, 'WRITE_DENIED']);
  t.strictSame(await refused('PATCH', 'band/1/song/2', { owner: 'x' }, ann), [403, 'WRITE_DENIED']);
  t.strictSame(await refused('PATCH', 'band/1/song/4', { owner: 'x' }, ann), [404, 'NOT_FOUND']);
  t.strictSame(await refused('PATCH', 'band/1/song/5', { id: 6 }, ann), [400, 'KEY_IMMUTABLE', 'id: key_immutable'],
    'what holds for a row holds through a path');
  t.equal((await send('POST', 'band/2/song', { id: 7 }, { as: ann })).status, 201, 'a parent only has to be seen');
});

test('file collections: links follow the rights to the side that declares them', async t => {
  const own = [{ operation: 'select', access: 'public' }, { operations: ['insert', 'update', 'delete'], ownerField: 'owner' }];
  const id = { type: 'number', isId: 'increment' };
  const lists = {
    slug: 'lists',
    properties: { id, owner: { type: 'string' }, items: { type: 'relation', relation: { kind: 'manyToMany', target: 'items' } } },
    securityRules: own,
  };
  const items = { slug: 'items', properties: { id, name: { type: 'string' } }, securityRules: [{ operation: 'select', access: 'public' }] };
  const { send, refused, sql } = await createWriter(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, lists, items) } });
  await sql`insert into lists (owner) values ('ann'), ('bob')`;
  await sql`insert into items (name) values ('a'), ('b')`;
  const [ann, bob] = [await tokenFor('ann'), await tokenFor('bob')];
  t.equal((await send('PATCH', 'lists/1', { items: [1, 2] }, { as: ann })).status, 200);
  t.equal((await send('PATCH', 'lists/2/items/1', {}, { as: bob })).status, 200);
  t.strictSame(await refused('PATCH', 'lists/1/items/1', {}, bob), [200, undefined], 'what is linked already is left as it is');
  t.strictSame(await refused('DELETE', 'lists/1/items/1', undefined, bob), [403, 'WRITE_DENIED']);
  t.strictSame(await refused('PATCH', 'lists/2/items/2', {}, ann), [403, 'WRITE_DENIED']);
  t.strictSame(await refused('PATCH', 'lists/2', { items: [] }, ann), [403, 'WRITE_DENIED']);
  t.strictSame((await sql`select list_id, item_id from items_lists order by 1, 2`).map(row => Object.values(row)),
    [[1, 1], [1, 2], [2, 1]]);
});

test('a row that is read-only is linked all the same, and not changed', async t => {
  const [id, open] = [{ type: 'number', isId: 'manual' }, [{ operation: 'all', access: 'public' }]];
  const lists = {
    slug: 'lists',
    properties: { id, items: { type: 'relation', relation: { kind: 'manyToMany', target: 'items', through: { table: 'list_items' } } } },
    securityRules: open,
  };
  const items = { slug: 'items', readOnly: true, properties: { id, name: { type: 'string' } }, securityRules: open };
  const setup = 'create table items (id integer primary key, name text); alter table items enable row level security; create policy seen '
    + 'on items using (true); insert into items values (1, \'a\'), (2, \'b\');';
  const { send, refused } = await createWriter(t,
    { template: 'served', setup, env: { SERVICE_COLLECTIONS_DIR: collections(t, lists, items) } });
  t.equal((await send('POST', 'lists', { id: 1, items: [1] })).status, 201);
  t.strictSame((await send('PATCH', 'lists/1/items/2', {})).body, { id: 2, name: 'b' });
  t.strictSame((await send('GET', 'lists/1/items?fields=id&orderBy=id')).body.data, [{ id: 1 }, { id: 2 }]);
  t.strictSame(await refused('PATCH', 'lists/1/items/2', { name: 'x' }), [403, 'WRITE_DENIED']);
  t.strictSame(await refused('POST', 'lists/1/items', { id: 3 }), [403, 'WRITE_DENIED']);
  t.equal((await send('DELETE', 'lists/1/items/1')).status, 204);
});

test('psql writes through relations as HTTP does', async t => {
  const { sql } = await createWriter(t, { template: 'served', setup: SETUP });
  const claims = sql.json({ uid: 'ann', roles: 'user', isAnonymous: false, jwt: {} });
  const [made] = await sql`select service.create_related('band', '1', 'song', '{"id": 9}', ${claims}) as row`;
  t.strictSame(made?.['row'], { id: 9, bandId: 1, owner: null, locked: false });
  const [attached] = await sql`select service.update_related('band', '1', 'fan', '4', '{}', ${claims}) as row`;
  t.strictSame(attached?.['row'], { id: 4, hidden: false });
  await sql`select service.remove_related('band', '1', 'fan', '4', ${claims})`;
  await sql`select service.remove_related('band', '1', 'song', '9', ${claims})`;
  t.strictSame((await sql`select count(*)::int as n from band_fan where fan_id = 4 union all select count(*)::int from song where id = 9`)
    .map(row => row['n']), [0, 0]);
  await t.rejects(sql`select service.remove_related('band', '2', 'fan', '1', ${claims})`, { code: 'GW403' });
  await t.rejects(sql`select service.create_related('band', '9', 'song', '{"id": 10}', ${claims})`, { code: 'GW404' });
  await t.rejects(sql`select service.create_related('band', 'x', 'song', '{"id": 10}', ${claims})`, { code: 'GW404' });
  await t.rejects(sql`select service.create_related('band', '1', 'songs', '{"id": 10}', ${claims})`,
    { code: 'GW404', hint: 'UNKNOWN_RELATION' });
  t.strictSame((await sql`select current_user as who`)[0]?.['who'], (await sql`select session_user as who`)[0]?.['who'],
    'the session is as it was');
});
