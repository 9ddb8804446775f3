import t, { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { client, open, query, reader as serve, user } from './client.ts';
import { library } from './library.ts';

const service = await lendService(t, { template: 'served', setup: library });
const reader = await user('reader');

type Case = [path: string, ids: number[]];

async function lists(t: Parameters<typeof client>[0], list: Case[], asking?: typeof reader): Promise<void> {
  const { get } = client(t, service, asking);
  for (const [path, ids] of list) {
    const { data, meta } = await get(path);
    t.same([data.map((row: any) => row.id), meta.total], [ids, ids.length], path);
    t.same(await get(`${path}/count`), { count: ids.length });
  }
}

test('the rows that a relation of one row leads to', t => lists(t, [
  ['authors/1/books', [3, 2, 1]], ['authors/3/books', []], ['books/1/reviews', [2, 1]], ['tags/2/books', [4, 3, 2]],
  ['books/2/tags', [2, 1]], ['authors/1/authors', [3, 2]], ['authors/1/letters_sender_id', [1]], ['authors/1/letters_receiver_id', [2]],
]));

test('a to-one relation lists its one row, or none', t => lists(t, [
  ['books/1/author', [1]], ['books/5/author', []], ['authors/1/profiles', [1]], ['authors/3/profiles', []], ['authors/2/mentor', [1]],
  ['authors/1/mentor', []],
]));

test('any depth, every link checked', t => lists(t, [
  ['authors/1/books/2/tags', [2, 1]], ['authors/1/books/2/tags/1/books', [2, 1]], ['authors/1/books/2/tags/1/books/1/reviews', [2, 1]],
  // Book 4 is Bob's, tag 1 is not on book 4, book 4 has no tag 1: what follows a link that is not there is empty.
  ['authors/1/books/4/tags', []], ['authors/2/books/4/tags/1/books', []], ['authors/1/books/2/tags/1/books/4/reviews', []],
  ['authors/9/books', []], ['authors/2/mentor/1/books', [3, 2, 1]], ['authors/2/mentor/3/books', []],
]));

test('a row through its parents', async t => {
  const { get, refuses } = client(t, service);
  t.equal((await get('authors/1/books/2')).title, 'Coffee');
  t.equal((await get('authors/1/books/2/tags/1')).name, 'hot');
  t.equal((await get('books/1/author/1')).name, 'Ann');
  t.same(await get('authors/1/books/2?fields=title&include=author'),
    { id: 2, title: 'Coffee', author: { id: 1, name: 'Ann', born: 1950, mentorId: null } });
  for (const path of [
    'authors/1/books/4', 'authors/2/books/2', 'authors/9/books/2', 'authors/1/books/99', 'authors/2/books/4/tags/1', 'books/1/author/2',
  ]) {
    const [relation = '', id] = path.split('/').slice(-2);
    t.same(await refuses(path, 404, 'NOT_FOUND'), {
      collection: { author: 'authors' }[relation] ?? relation, id, ...(id === '99' && { why: 'hidden: There is no such row.' }),
    });
  }
});

test('composite keys in a path', async t => {
  const { get, refuses } = client(t, service);
  await lists(t, [['shelves/A:::1/books', [3, 1]], ['shelves/A:::9/books', []]]);
  t.equal((await get('shelves/A%3A%3A%3A2')).label, 'A two');
  t.equal((await get('shelves/A:::2/books/2')).title, 'Coffee');
  t.same((await get('books/1/shelves')).data, [{ room: 'A', place: 1, label: 'A one' }]);
  for (const id of ['A', 'A:::', 'A:::x', 'A:::1:::2', ':::', 'A::1', '1:::A', 'A:::99999999999']) {
    await refuses(`shelves/${id}`, 404, 'NOT_FOUND');
  }
  await refuses('shelves/A:::x/books', 404, 'NOT_FOUND');
  await refuses('shelves/A:::x/books/1', 404, 'NOT_FOUND');
});

test('every composite key can be written', async t => {
  const keys: [code: string, place: string][] = [
    ['a:::b', 'c'], ['a', 'b:::c'], ['a:', ':b'], ['', ''], [':', ''], ['a%3A', '%25'], ['50%', 'x%y'], ['a/b?', 'é #&'],
  ];
  const { get, column, refuses, service } = await serve(t, {
    template: 'served',
    setup: `create table stocks (code text, place text, n integer, primary key (code, place));
      create table moves (id integer primary key, code text, place text, foreign key (code, place) references stocks);
      create table whole (id text primary key); insert into whole values ('a:::b'), ('a%3Ab'); ${open('stocks', 'moves', 'whole')}`,
  });
  const idOf = (parts: string[]) => parts.map(part => part.replaceAll(/[%:]/g, encodeURIComponent)).join(':::');
  for (const [n, [code, place]] of keys.entries()) {
    await service.sql`insert into stocks values (${code}, ${place}, ${n})`;
    await service.sql`insert into moves values (${n}, ${code}, ${place})`;
  }
  for (const [n, [code, place]] of keys.entries()) {
    const id = idOf([code, place]);
    t.same(await get(`stocks/${encodeURIComponent(id)}`), { code, place, n }, id);
    t.same(await column(`stocks/${encodeURIComponent(id)}/moves`), [n], `${id} above a relation`);
    t.same(await get(`moves/${n}/stocks/${encodeURIComponent(id)}`), { code, place, n }, `${id} below one`);
    t.same(await column(`moves?${query({ where: { stocks: ['==', id] } })}`), [n], `${id} in a filter`);
    t.same((await service.sql`select service.get('stocks', ${id}) ->> 'n' as n`)[0]?.['n'], String(n), `${id} in psql`);
  }
  t.same(await column(`moves?${query({ where: { stocks: ['in', keys.map(idOf)] } })}&orderBy=id`), keys.map((_, n) => n));
  t.equal((await get('stocks/50%25:::x%25y')).n, 6, 'a percent sign that is no escape stands for itself');
  await refuses('stocks/a:::b:::c', 404, 'NOT_FOUND');
  t.same([await get('whole/a:::b'), await get('whole/a%253Ab')], [{ id: 'a:::b' }, { id: 'a%3Ab' }], 'a key of one column is what it is');
});

test('everything of a root list works below a parent', async t => {
  const { get, column } = client(t, service);
  t.same(await column('authors/1/books?pages=gt.100&orderBy=pages'), [2, 3]);
  t.same(await column(`authors/1/books?${query({ where: { 'tags.name': 'hot' }, or: '(title.eq.Tea,title.eq.Hidden)' })}`), [1]);
  const first = await get('authors/1/books?limit=2&orderBy=title');
  t.match(first, { data: [{ id: 2 }, { id: 3 }], meta: { total: 3, limit: 2, offset: 0, hasMore: true } });
  t.match(await get(`authors/1/books?limit=2&after=${first.meta.nextCursor}`), { data: [{ id: 1 }], meta: { total: 3, hasMore: false } });
  t.match(await get('authors/1/books?limit=1&page=3'), { data: [{ id: 1 }], meta: { offset: 2, total: 3 } });
  t.same((await get('authors/1/books?limit=1&fields=title&include=tags')).data,
    [{ id: 3, title: 'Hidden', tags: [{ id: 2, name: 'cold' }] }]);
  t.same(await get('authors/1/books/count?pages=gt.100'), { count: 2 });
});

test('row security holds for every parent', async t => {
  const { refuses } = client(t, service, reader);
  await lists(t, [
    ['authors/1/books', [2, 1]], ['tags/2/books', [4, 2]], ['books/3/reviews', []], ['authors/1/books/3/reviews', []],
    ['books/3/author', []], ['books/1/reviews', [1]],
  ], reader);
  await refuses('books/3', 404, 'NOT_FOUND');
  await refuses('books/3/reviews/4', 404, 'NOT_FOUND');
  await refuses('books/1/reviews/2', 404, 'NOT_FOUND');
});

test('paths that name nothing', async t => {
  const { refuses } = client(t, service);
  t.same(await refuses('authors/1/nothing', 404, 'UNKNOWN_RELATION'), {
    relation: 'nothing', collection: 'authors',
    validRelations: ['authors', 'books', 'letters_receiver_id', 'letters_sender_id', 'mentor', 'profiles'],
  });
  for (const path of [
    'authors/1/nothing/2', 'authors/1/books/2/nothing', 'authors/1/title', 'authors/1/nothing/count', 'books/1/authors',
  ]) {
    await refuses(path, 404, 'UNKNOWN_RELATION');
  }
  for (const path of [
    'nothing', 'nothing/1', 'nothing/count', 'book_tags', 'authors/undefined', 'authors/undefined/books', 'authors//books', 'authors/',
    'authors/1/books/',
  ]) await refuses(path, 404, 'NOT_FOUND');
});

test('an id that cannot be of the key\'s type is 404', async t => {
  const { refuses } = client(t, service);
  for (const id of ['x', '1.5', '', ' ', '99999999999', '1e1', 'count%20', "1'%20or%20'1'='1"]) {
    if (id !== '') t.equal((await refuses(`books/${id}`, 404, 'NOT_FOUND'))?.collection ?? 'books', 'books');
    await refuses(`authors/${id}/books`, 404, 'NOT_FOUND');
    await refuses(`authors/${id}/books/1`, 404, 'NOT_FOUND');
    await refuses(`authors/1/books/${id === '' ? 'x' : id}/tags`, 404, 'NOT_FOUND');
  }
});
