import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { createWriter } from './client.ts';

const TABLES = `
  create table notes (id integer generated always as identity primary key, owner text not null,
    team text, text text, public boolean not null default false);
  alter table notes enable row level security;
  create policy mine on notes using (owner = (select service.uid())) with check (owner = (select service.uid()));
  create policy shown on notes for select using (public);
  create policy team on notes for update using (team = any (string_to_array((select service.roles()), ','))) with check (true);
  create policy team_sees on notes for select using (team = any (string_to_array((select service.roles()), ',')));
  create policy admin on notes using ('admin' = any (string_to_array((select service.roles()), ',')));
  create table letters (id integer generated always as identity primary key, text text);
  alter table letters enable row level security;
  create policy box on letters for insert with check (true);
  insert into notes (owner, team, text, public) values ('ann', null, 'a', false), ('ann', 'red', 'b', false),
  ('bob', null, 'c', true), ('bob', null, 'd', false);`;

test('each caller writes what the policies give them', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', setup: TABLES });
  const [ann, red] = [await tokenFor('ann'), await tokenFor('carl', ['red'])];
  t.equal((await send('POST', 'notes', { owner: 'ann', text: 'x' }, { as: ann })).status, 201);
  t.same(await refused('POST', 'notes', { owner: 'bob', text: 'x' }, ann), [403, 'WRITE_DENIED'], 'for somebody else');
  t.equal((await send('PATCH', 'notes/1', { text: 'x' }, { as: ann })).status, 200);
  t.same(await refused('PATCH', 'notes/1', { owner: 'bob' }, ann), [403, 'WRITE_DENIED'], 'out of their own hands');
  t.same(await refused('PATCH', 'notes/3', { text: 'x' }, ann), [403, 'WRITE_DENIED'], 'seen, not theirs');
  t.same(await refused('DELETE', 'notes/3', undefined, ann), [403, 'WRITE_DENIED']);
  t.same(await refused('PATCH', 'notes/4', { text: 'x' }, ann), [404, 'NOT_FOUND'], 'not seen');
  t.same(await refused('DELETE', 'notes/4', undefined, ann), [404, 'NOT_FOUND']);
  t.same(await refused('PATCH', 'notes/4', { id: 5 }, ann), [404, 'NOT_FOUND'], 'nor told that there is one');
  t.equal((await send('PATCH', 'notes/2', { text: 'y' }, { as: red })).status, 200, 'by role');
  t.same(await refused('PATCH', 'notes/1', { text: 'y' }, red), [404, 'NOT_FOUND']);
  t.same(await refused('PATCH', 'notes/2', { team: 'blue' }, red), [403, 'WRITE_DENIED'], 'out of their own sight');
  t.same(await refused('DELETE', 'notes/2', undefined, red), [403, 'WRITE_DENIED']);
  t.equal((await send('PATCH', 'notes/4', { owner: 'ann' })).status, 200, 'the service key, by the policy for admins');
  t.equal((await send('DELETE', 'notes/4', undefined, { as: ann })).status, 204);
});

test('a caller without a sign-in writes as anonymous', async t => {
  const { refused, send } = await createWriter(t, { template: 'served', setup: TABLES, env: { AUTH_REQUIRE: 'false' } });
  t.same(await refused('POST', 'notes', { owner: 'ann' }, null), [403, 'WRITE_DENIED']);
  t.same(await refused('PATCH', 'notes/3', {}, null), [403, 'WRITE_DENIED']);
  t.same(await refused('PATCH', 'notes/1', {}, null), [404, 'NOT_FOUND']);
  t.equal((await send('POST', 'notes', { owner: 'anonymous' }, { as: null })).status, 201, 'under the uid that all visitors share');
});

test('a caller that may write and not read writes without an answer', async t => {
  const { send, refused, sql } = await createWriter(t, { template: 'served', setup: TABLES });
  const ann = await tokenFor('ann');
  t.same(await refused('POST', 'letters', { text: 'x' }, ann), [403, 'WRITE_DENIED'], 'the answer would be the row');
  t.equal((await send('POST', 'letters', { text: 'x' }, { as: ann, headers: { prefer: 'return=minimal' } })).status, 204);
  t.equal((await sql`select count(*)::int as n from letters`)[0]?.['n'], 1);
});

test('a grant that is missing is a fault of the server, not of the caller', async t => {
  const { refused, sql } = await createWriter(t, { template: 'served', setup: TABLES });
  await sql`revoke update on notes from service_user`;
  t.same(await refused('PATCH', 'notes/1', { text: 'x' }), [500, 'DB_PERMISSION_DENIED']);
  await sql`create table hidden (id integer)`;
  await sql`create function peek() returns trigger language plpgsql as $$ begin perform from hidden; return new; end $$`;
  await sql`create trigger peek before insert on notes for each row execute function peek()`;
  t.same(await refused('POST', 'notes', { owner: 'ann' }), [500, 'DB_PERMISSION_DENIED'], 'of a trigger as well');
});

test('the example\'s customers write their own rows', async t => {
  const { send, refused, request } = await createWriter(t);
  const aiko = await tokenFor('aiko.tanaka');
  const { data: [self] } = (await request('/data/customers', { as: aiko })).body;
  t.equal((await send('PATCH', `customers/${self.id as string}`, { city: 'Kyoto' }, { as: aiko })).body.city, 'Kyoto');
  t.same(await refused('PATCH', `customers/${self.id as string}`, { uid: 'someone.else' }, aiko), [403, 'WRITE_DENIED']);
  t.same(await refused('DELETE', `customers/${self.id as string}`, undefined, aiko), [403, 'WRITE_DENIED']);
  const { data: [stranger] } = (await request('/data/customers?uid=neq.aiko.tanaka&limit=1')).body;
  t.same(await refused('PATCH', `customers/${stranger.id as string}`, { city: 'x' }, aiko), [404, 'NOT_FOUND']);
  t.same(await refused('POST', 'products', { name: 'x' }, aiko),
    [400, 'VALIDATION_CONSTRAINT', 'category: required', 'description: required', 'origin: required', 'price: required', 'sku: required']);
  const row = { uid: 'new.comer', name: 'New', email: 'new@example.com', city: 'Oslo', country: 'NO' };
  t.same(await refused('POST', 'customers', row, aiko), [403, 'WRITE_DENIED'], 'as somebody else');
  t.equal((await send('POST', 'customers', row, { as: await tokenFor('new.comer') })).status, 201);
  t.same(await refused('POST', 'customers', { ...row, uid: 'guest', email: 'g@example.com' },
    await tokenFor('guest', [], { isAnonymous: true, is_anonymous: true })), [403, 'WRITE_DENIED']);
});

test('a policy calls what a new caller is, not what the last one on the connection was', async t => {
  const { send } = await createWriter(t, { template: 'served', setup: TABLES, env: { DB_POOL_MAX: '6' } });
  const callers = await Promise.all(['ann', 'bob', 'carl', 'dora'].map(async uid => ({ uid, as: await tokenFor(uid) })));
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => {
    const [caller, other] = [callers[i % 4], callers[(i + (i % 8 < 4 ? 0 : 1)) % 4]];
    return send('POST', 'notes', { owner: other?.uid, text: String(i) }, { as: caller?.as ?? null }).then(({ status, body }) =>
      status === (caller === other ? 201 : 403) && (status === 403 || body.owner === caller?.uid));
  }));
  t.same(answers.filter(right => !right), []);
});
