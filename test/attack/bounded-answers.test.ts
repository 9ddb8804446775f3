// The shared memory that one request may take: rows of one parent, bytes of an answer.
import t, { test } from 'tap';
import { openService, tokenFor, type Answer } from '../harness/service.ts';
import { createWriter, open } from '../write/client.ts';

const service = await createWriter(t, {
  template: 'served',
  env: { SERVICE_DEFAULT_INCLUDE_LIMIT: '5', SERVICE_MAX_INCLUDE_LIMIT: '8', SERVICE_MAX_ANSWER_SIZE: '100000' },
  setup: `
    create table parents (id int primary key, name text, note text check (note <> ''));
    create table children (id int primary key, parent_id int references parents, secret boolean default false, text text);
    create table marks (id int primary key, child_id int references children);
    create table tags (id int primary key);
    create table parents_tags (parent_id int references parents, tag_id int references tags, primary key (parent_id, tag_id));
    insert into parents select n, 'p' || n from generate_series(1, 4) n;
    insert into children select n, 1 + n / 6, false, 'c' from generate_series(1, 11) n;
    insert into children select 100 + n, 3, n > 5, 'c' from generate_series(1, 6) n;
    insert into marks select n, 1 from generate_series(1, 6) n;
    insert into tags select n from generate_series(1, 6) n;
    insert into parents_tags select 4, n from generate_series(1, 6) n;
    alter table children enable row level security;
    create policy everyone on children using (not secret or (select service.uid()) = 'service') with check (true);
    ${open('parents', 'marks', 'tags', 'parents_tags')}`,
});
const read = (path: string, as?: string | null) => service.request(`/data/${path}`, as === undefined ? {} : { as });
const including = (path: string, include: object) => read(`${path}?include=${encodeURIComponent(JSON.stringify(include))}`);
const told = ({ status, body }: Answer): unknown[] => [status, body?.error?.code, body?.error?.details];

test('an include without a limit is whole or refused, at every hop and by every kind of relation', async t => {
  t.equal((await read('parents/1?include=children')).body.children.length, 5);
  const refused = [400, 'INVALID_INCLUDE', { relation: 'children', collection: 'parents', maximum: 5 }];
  for (const path of [
    'parents/2?include=children', 'parents?include=children', 'parents/2?include=*', 'parents?include=children.marks',
    'children/6/parent?include=children',
  ]) t.same(told(await read(path)), refused, path);
  t.match((await read('parents/2?include=children')).body.error.message,
    /^A row of parents leads to more than 5 rows by children: say how many with limit\.$/);
  t.same(told(await read('parents/4?include=tags')), [400, 'INVALID_INCLUDE', { relation: 'tags', collection: 'parents', maximum: 5 }]);
  t.same(told(await read('parents/1?include=children.marks')),
    [400, 'INVALID_INCLUDE', { relation: 'marks', collection: 'children', maximum: 5 }]);
  t.equal((await read('children?limit=20&include=parent')).body.data.length, 17, 'to one row nothing is too many');
  t.equal((await including('parents/2', { children: { where: { id: ['<', 11] } } })).body.children.length, 5,
    'what its where leaves out does not count');
});

test('a limit says how many, up to the largest', async t => {
  t.equal((await including('parents/2', { children: { limit: 8 } })).body.children.length, 6);
  t.equal((await including('parents/2', { children: { limit: 2 } })).body.children.length, 2);
  for (const path of ['parents', 'parents/2', 'parents/count', 'children/6/parent']) {
    for (const include of [{ children: { limit: 9 } }, { children: { limit: 1, include: { marks: { limit: 1e9 } } } }]) {
      t.same(told(await including(path, include)), [400, 'INVALID_INCLUDE', { parameter: 'limit', maximum: 8 }], path);
    }
  }
});

test('rows hidden by row security are not counted, so a refusal does not reveal them', async t => {
  t.equal((await read('parents/3?include=children', await tokenFor('u1'))).body.children.length, 5);
  t.equal((await read('parents/3?include=children')).status, 400);
});

test('an answer above the limit is refused, on every route', async t => {
  const { sql } = service;
  await sql`update children set text = repeat('é', 9000) where id = 1`;
  await sql`update children set text = repeat('x', 9000) where id between 2 and 11`;
  const refused = [413, 'PAYLOAD_TOO_LARGE', { limit: 100_000 }];
  t.equal((await read('children?limit=9')).status, 200);
  for (const path of [
    'children?limit=11&orderBy=id', 'parents?include=children&id=1&limit=1&or=(id.eq.1)',
    'children/aggregate?select=count()&groupBy=text,id',
  ]) {
    const answer = await read(path);
    if (path.startsWith('parents')) t.equal(answer.status, 200, 'five of them are not too many');
    else t.same(told(answer), refused, path);
  }
  t.same(told(await including('parents', { children: { limit: 8 } })), refused);
  await sql`update children set text = repeat('x', 100000) where id = 1`;
  for (const path of ['children/1', 'children?id=1', 'parents/1/children/1', 'children/1?include=parent']) {
    t.same(told(await read(path)), refused, path);
  }
  t.equal((await read('children/1?fields=id')).status, 200);
  t.match((await read('children/1')).body.error.message, /^The answer would be larger than 100000 bytes/);
});

test('an answer of just so many bytes is given', async t => {
  const path = '/data/children?id=2';
  const bytes = Buffer.byteLength((await service.request(path)).text);
  for (const [most, status] of [[bytes, 200], [bytes - 1, 413]] as const) {
    const other = await openService(service.url, { SERVICE_MAX_ANSWER_SIZE: String(most) });
    t.equal((await other.request(path)).status, status);
    await other.close();
  }
});

test('a write whose answer would be too large is not done; without an answer it is', async t => {
  const { send, sql } = service;
  const stored = async () => (await sql`select id, name from parents where id in (1, 9) order by id`).map(({ name }) => name as string);
  const refused = [413, 'PAYLOAD_TOO_LARGE', { limit: 100_000 }];
  const [before, long] = [await stored(), 'n'.repeat(100_000)];
  for (const note of [null, 'judged']) {
    t.same(told(await send('POST', 'parents', { id: 9, name: long, note })), refused);
    t.same(told(await send('PATCH', 'parents/1', { name: long, note })), refused);
    t.same(await stored(), before);
  }
  t.equal((await send('PATCH', 'parents/1?fields=id', { name: long })).status, 200);
  t.equal((await send('POST', 'parents', { id: 9, name: long }, { headers: { prefer: 'return=minimal' } })).status, 204);
  t.same((await stored()).map(name => name.length), [100_000, 100_000]);
});

test('psql has the bounds of the default settings', async t => {
  const { sql } = service;
  t.equal((await sql`select json_array_length(service.get('parents', '2', '{"include": {"children": {}}}') -> 'children') as n`)[0]?.['n'],
    6);
  await sql`insert into children select n, 4 from generate_series(1001, 11001) n`;
  await t.rejects(sql`select service.get('parents', '4', '{"include": {"children": {}}}')`, { code: 'GW400', hint: 'INVALID_INCLUDE' });
  await sql`update children set text = repeat('x', 1000000) where id between 1001 and 1068`;
  await t.rejects(sql`select service.list('children', '{"limit": 68, "where": {"id": [">", 1000]}, "orderBy": [{"field": "id"}]}')`,
    { code: 'GW413', hint: 'PAYLOAD_TOO_LARGE' });
});
