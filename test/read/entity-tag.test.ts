import t, { test } from 'tap';
import { createService, tokenFor, type Answer } from '../harness/service.ts';
import { collections } from '../write/client.ts';
import { open } from './client.ts';
import { library } from './library.ts';

const service = await createService(t, {
  template: 'served',
  setup: `${library}
    create view titles with (security_invoker = on) as select id, title, pages, secret from books;
    create table parts (id integer, region text, "~xmin" text, t text, r text, primary key (id, region)) partition by list (region);
    create table parts_eu partition of parts for values in ('eu');
    insert into parts values (1, 'eu', 'a', 'b', 'c');
    create table pages (id integer primary key); create table special_pages (extra text) inherits (pages);
    insert into special_pages values (1, 'x');
    comment on table pages is '@key id';
    ${open('parts', 'pages', 'special_pages')}`,
});
const get = (path: string, headers: Record<string, string> = {}, as?: string) =>
  service.request(`/data/${path}`, { headers, ...(as && { as }) });
const tagOf = async (path: string, as?: string): Promise<string> => {
  const { status, headers } = await get(path, {}, as);
  if (status !== 200) throw new Error(`${path}: ${status}`);
  return headers.get('etag') ?? '';
};

test('a single row has a strong tag, which belongs to the row and not to how it is shown', async t => {
  const { headers } = await get('books/1');
  const tag = headers.get('etag');
  t.match(tag, /^"[0-9a-f]{8,}"$/);
  t.equal(headers.get('cache-control'), 'private, no-cache');
  for (const path of [
    'books/1?fields=title', 'books/1?include=author,tags', 'books/1?pages=100', 'authors/1/books/1', 'tags/1/books/1?fields=id',
  ]) t.equal(await tagOf(path), tag, path);
  t.not(await tagOf('books/2'), undefined);
  for (const path of ['books', 'books/count', 'books/aggregate?select=count()', 'authors/1/books', 'books/99']) {
    t.notOk((await get(path)).headers.has('etag'), path);
  }
});

test('a client that has the row gets 304', async t => {
  const tag = await tagOf('books/1');
  const asked = async (ifNoneMatch: string, path = 'books/1'): Promise<Answer> => get(path, { 'if-none-match': ifNoneMatch });
  for (const held of [tag, `W/${tag}`, `"other", ${tag}`, `"a,b" , W/"c",W/${tag} , "d"`, '*', ' * ']) {
    const { status, text, headers } = await asked(held);
    t.same([status, text], [304, ''], held);
    t.equal(headers.get('etag'), tag);
    t.equal(headers.get('cache-control'), 'private, no-cache');
    t.notOk(headers.has('content-type'));
  }
  for (const held of ['"other"', tag.slice(1, -1), `"x${tag.slice(1)}`, 'W/', 'nonsense', '"', `${tag.slice(0, -1)} "`]) {
    t.equal((await asked(held)).status, 200, held);
  }
  t.equal((await asked(tag, 'books/1?fields=title')).status, 304);
  t.equal((await asked(tag, 'authors/1/books/1')).status, 304);
  t.equal((await asked('*', 'books/99')).status, 404);
  t.equal((await asked('*', 'books')).status, 200);
  t.same(await service.request('/data/books/1', { method: 'HEAD' }).then(({ status, text, headers }) =>
    [status, text, headers.get('etag')]), [200, '', tag]);
  t.same(await service.request('/data/books/1', { method: 'HEAD', headers: { 'if-none-match': tag } }).then(({ status, headers }) =>
    [status, headers.get('etag')]), [304, tag]);
});

test('reads that depend on more than the row are always answered whole', async t => {
  const tag = await tagOf('books/1');
  t.equal((await get('books/1?include=reviews', { 'if-none-match': tag })).status, 200, 'a review may be new');
});

test('every write makes another tag, by any writer', async t => {
  const before = await tagOf('books/4');
  await service.sql`update books set secret = secret where id = 5`;
  t.equal(await tagOf('books/4'), before, 'another row');
  const tags = [before];
  for (const change of ['secret = true', 'attributes = \'{"a": 1}\'', 'secret = false', 'price = 4']) {
    await service.sql.unsafe(`update books set ${change} where id = 4`);
    tags.push(await tagOf('books/4'));
  }
  await service.request('/data/books/4', { method: 'PATCH', body: '{"title": "Milk!"}' });
  tags.push(await tagOf('books/4'));
  t.equal(new Set(tags).size, 6);
  t.equal((await get('books/4', { 'if-none-match': tags.slice(0, -1).join(', ') })).status, 200);
  t.equal(await tagOf('authors/2/books/4'), tags.at(-1));
});

test('views, partitions and inherited rows', async t => {
  for (const [path, change] of [
    ['titles/1', 'update books set pages = 101 where id = 1'], ['parts/1:::eu', 'update parts set r = null'],
    ['pages/1', 'update special_pages set extra = \'y\''],
  ] as const) {
    const before = await tagOf(path);
    t.equal(await tagOf(path), before);
    t.equal((await get(path, { 'if-none-match': before })).status, 304, path);
    await service.sql.unsafe(change);
    t.not(await tagOf(path), before, change);
  }
  t.same((await get('parts/1:::eu')).body, { id: 1, region: 'eu', '~xmin': 'a', t: 'b', r: null });
});

test('a column that is added with a default changes what every row shows', async t => {
  const before = await tagOf('tags/1');
  await service.sql`alter table tags add column color text not null default 'red'`;
  await service.database.catalog.refresh();
  t.equal((await get('tags/1')).body.color, 'red');
  t.equal((await get('tags/1', { 'if-none-match': before })).status, 200);
});

test('callers who read different columns hold different tags, and afterRead is asked every time', async t => {
  const notes = (callbacks: object) => ({
    slug: 'notes', callbacks, securityRules: [{ operation: 'all', access: 'public' }],
    properties: {
      id: { type: 'number', isId: 'increment' }, pin: { type: 'string', access: { read: ['editor'] } }, text: { type: 'string' },
    },
  });
  const { request, sql } = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, notes({})) } });
  await sql`insert into notes (pin, text) values ('1234', 'hello')`;
  const [ann, bob, editor] = await Promise.all([tokenFor('ann'), tokenFor('bob'), tokenFor('ann', ['editor'])]);
  const row = async (as: string, held = '') => request('/data/notes/1', { as, headers: { 'if-none-match': held } });
  const tag = (await row(ann)).headers.get('etag') ?? '';
  t.equal((await row(bob)).headers.get('etag'), tag);
  const { headers, body } = await row(editor, tag);
  t.same(body, { id: 1, pin: '1234', text: 'hello' }, 'a copy without the pin does not stand for the row with it');
  t.equal((await row(ann, headers.get('etag') ?? '')).status, 200, 'nor the other way round');

  const shaped = await createService(t, {
    template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, notes({ afterRead: 'app.shown' })) },
    setup: 'create schema app; grant usage on schema app to public; create function app.shown("row" json) returns json language sql as $$ '
      + 'select json_build_object(\'id\', 1, \'for\', service.uid()) $$',
  });
  await shaped.sql`insert into notes (text) values ('hello')`;
  const first = await shaped.request('/data/notes/1', { as: ann });
  t.same(first.body, { id: 1, for: 'ann' });
  const second = await shaped.request('/data/notes/1', { as: bob, headers: { 'if-none-match': first.headers.get('etag') ?? '*' } });
  t.same([second.status, second.body], [200, { id: 1, for: 'bob' }]);
});
