import t, { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { client, nobody, query, user } from './client.ts';
import { library } from './library.ts';

const service = await lendService(t, { template: 'served', setup: library, env: { AUTH_REQUIRE: 'false' } });
const reader = await user('reader');

const including = (collection: string, include: unknown, rest: Record<string, unknown> = {}) =>
  `${collection}?${query({ include, ...rest })}`;
const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);

test('every kind of relation', async t => {
  const { get } = client(t, service);
  const book = await get('books/1?include=author,shelves,tags,reviews');
  t.same(book, {
    id: 1, authorId: 1, title: 'Tea', pages: 100, price: 10, secret: false, room: 'A', place: 1, attributes: { lang: 'en' },
    author: { id: 1, name: 'Ann', born: 1950, mentorId: null },
    shelves: { room: 'A', place: 1, label: 'A one' },
    tags: [{ id: 1, name: 'hot' }],
    reviews: [{ id: 2, bookId: 1, stars: 1, body: 'bad', visible: false }, { id: 1, bookId: 1, stars: 5, body: 'good', visible: true }],
  });
  const author = await get('authors/1?include=profiles,books,authors,mentor,letters_sender_id,letters_receiver_id');
  t.match(author, { profiles: { id: 1, bio: 'writes' }, mentor: null });
  t.same([ids(author.books), ids(author.authors), ids(author.letters_sender_id), ids(author.letters_receiver_id)],
    [[3, 2, 1], [3, 2], [1], [2]], 'newest first');
});

test('null and [] where nothing is reached, never absent', async t => {
  const { get } = client(t, service);
  t.match(await get('books/5?include=*'), { author: null, shelves: null, tags: [], reviews: [] });
  t.match(await get('authors/3?include=profiles,books'), { profiles: null, books: [] });
});

test('a list includes for every row, in one statement', async t => {
  const { get } = client(t, service);
  const { data, meta } = await get('books?include=author,tags&orderBy=id');
  t.same(data.map((book: any) => [book.id, book.author?.name, ids(book.tags)]),
    [[1, 'Ann', [1]], [2, 'Ann', [2, 1]], [3, 'Ann', [2]], [4, 'Bob', [2]], [5, undefined, []]]);
  t.equal(meta.total, 5);
  const page = await get('books?include=author&orderBy=id&limit=2');
  t.same([ids(page.data), page.meta.hasMore], [[1, 2], true]);
  const next = await get(`books?include=author&limit=2&after=${page.meta.nextCursor}`);
  t.same(next.data.map((book: any) => book.author?.id), [1, 2]);
  t.same((await get('books?include=author&author=99')).data, []);
  t.same(ids((await get('books?include=tags&orderBy=title:desc')).data), [1, 5, 4, 3, 2], 'the order of the page stays');
});

test('three hops, along paths that share their beginning', async t => {
  const { get } = client(t, service);
  const author = await get('authors/1?include=books.tags.books,books.reviews,mentor.mentor.mentor');
  const coffee = author.books.find((book: any) => book.id === 2);
  t.same(coffee.tags.map((tag: any) => [tag.id, ids(tag.books)]), [[2, [4, 3, 2]], [1, [2, 1]]]);
  t.same(ids(coffee.reviews), [3]);
  t.equal(author.mentor, null);
  t.match(await get('authors/2?include=mentor.authors.mentor'),
    { mentor: { id: 1, authors: [{ id: 3, mentor: { id: 1 } }, { id: 2, mentor: { id: 1 } }] } });
  t.match(await get('letters/1?include=sender.profiles,receiver.books.shelves'),
    { sender: { profiles: { id: 1 } }, receiver: { books: [{ id: 4, shelves: null }] } });
});

test('* is every relation, one hop; options beside it stay', async t => {
  const { get } = client(t, service);
  t.same(Object.keys(await get('authors/1?include=*')).slice(4),
    ['authors', 'books', 'letters_receiver_id', 'letters_sender_id', 'mentor', 'profiles']);
  t.same(Object.keys((await get('books/1?include=*,author.profiles')).author), ['id', 'name', 'born', 'mentorId', 'profiles']);
  const book = await get(including('books/2', { '*': true, tags: { limit: 1 }, reviews: false }));
  t.same([book.tags.length, ids(book.reviews)], [1, [3]]);
});

test('a node\'s limit is per parent, after its where and its order', async t => {
  const { get } = client(t, service);
  const books = async (node: object) =>
    (await get(including('authors', { books: node }, { orderBy: 'id' }))).data.map((author: any) => ids(author.books));
  t.same(await books({ limit: 1 }), [[3], [4], []]);
  t.same(await books({ limit: 2, orderBy: 'pages' }), [[1, 2], [4], []]);
  t.same(await books({ limit: 1, orderBy: 'pages:desc:last' }), [[3], [4], []]);
  t.same(await books({ limit: 1, orderBy: [['secret', 'asc'], ['pages', 'desc']] }), [[2], [4], []]);
  t.same(await books({ limit: 1, orderBy: 'pages', where: { pages: ['>', 100] } }), [[2], [], []]);
  t.same(await books({ limit: 1000 }), [[3, 2, 1], [4], []]);
  const tags = await get(including('books', { tags: { limit: 1, orderBy: 'name' } }, { orderBy: 'id' }));
  t.same(tags.data.map((book: any) => ids(book.tags)), [[1], [2], [2], [2], []]);
});

test('a limit on a to-one relation changes nothing', async t => {
  const { get } = client(t, service);
  t.equal((await get(including('books/1', { author: { limit: 1 } }))).author.id, 1);
  t.equal((await get(including('authors/1', { profiles: { limit: 5 } }))).profiles.id, 1);
  t.equal(
    (await get(including('books/1', { author: { limit: 2, include: { books: { limit: 1, where: { pages: 200 } } } } }))).author.books[0].id,
    2,
  );
});

test('where, logical and fields narrow a node', async t => {
  const { get } = client(t, service);
  const node = async (options: object) => (await get(including('authors/1', { books: options }))).books;
  t.same(ids(await node({ where: { title: 'like.%e%', pages: ['<', 300] } })), [2, 1]);
  t.same(ids(await node({ where: { 'tags.name': 'cold' } })), [3, 2]);
  t.same(ids(await node({ where: { tags: ['array-contains', 1] } })), [2, 1]);
  t.same(ids(await node({ where: { 'attributes->>lang': 'en' } })), [1]);
  t.same(ids(await node({ logical: { type: 'or', conditions: [
    { column: 'pages', operator: '==', value: 100 }, { type: 'not', conditions: [{ column: 'pages', operator: '<', value: 300 }] },
  ] } })), [3, 1]);
  t.same(ids(await node({ logical: 'or(pages.eq.100,title.eq.Hidden)' })), [3, 1]);
  t.same(await node({ fields: ['title'], limit: 1 }), [{ id: 3, title: 'Hidden' }]);
  t.same(await node({ fields: 'title', limit: 1, include: { tags: { fields: [ 'name' ] } } }),
    [{ id: 3, title: 'Hidden', tags: [{ id: 2, name: 'cold' }] }]);
  t.equal((await get(including('books/1', { author: { where: { name: 'Bob' } } }))).author, null,
    'a to-one that its where excludes is null');
  t.equal((await get(including('authors/1', { profiles: { where: { bio: ['is-null', null] } } }))).profiles, null);
});

test('values of nested nodes keep to their nodes', async t => {
  const { get } = client(t, service);
  const author = await get(including('authors', {
    books: {
      where: { pages: ['>=', 100] }, logical: 'and(price.lt.25)', orderBy: 'id', limit: 2,
      include: { reviews: { where: { stars: ['>', 2] }, limit: 1 }, tags: { limit: 1, orderBy: 'id', where: { name: ['!=', 'unused'] } } },
    },
    profiles: { where: { bio: 'writes' } },
  }, { where: { name: 'Ann' }, limit: 1 }));
  t.same(author.data[0].books.map((book: any) => [book.id, ids(book.reviews), ids(book.tags)]), [[1, [1], [1]], [2, [3], [1]]]);
  t.equal(author.data[0].profiles.id, 1);
});

test('row security holds at every hop', async t => {
  for (const asking of [reader, nobody]) {
    const { get } = client(t, service, asking);
    t.same(ids((await get('authors/1?include=books')).books), [2, 1]);
    t.match(await get('reviews/4?include=book'), { bookId: 3, book: null });
    const tag = await get('tags/2?include=books.reviews');
    t.same(tag.books.map((book: any) => [book.id, ids(book.reviews)]), [[4, []], [2, [3]]]);
    t.same(ids((await get('shelves/A:::1?include=books')).books), [1]);
    t.same((await get(including('authors/1', { books: { limit: 1 } }))).books[0].id, 2, 'a hidden row takes no place of the limit');
  }
  t.same(ids((await client(t, service).get('authors/1?include=books')).books), [3, 2, 1]);
});

test('unknown, too deep, and malformed includes', async t => {
  const { refuses } = client(t, service);
  for (const path of ['books', 'books/1', 'authors/1/books']) {
    t.same(await refuses(`${path}?include=nothing`, 400, 'UNKNOWN_RELATION'),
      { relation: 'nothing', collection: 'books', validRelations: ['author', 'reviews', 'shelves', 'tags'] });
  }
  for (const include of [
    'title', 'author.nothing', 'author.books.nothing', '{"author.books":true}', '{"author":{"include":{"nothing":true}}}', '*,nothing',
    'author_id',
  ]) {
    await refuses(`books?include=${include}`, 400, 'UNKNOWN_RELATION');
  }
  t.match(await refuses('authors?id=99&include=nothing', 400, 'UNKNOWN_RELATION'), { relation: 'nothing' }, 'refused without a row too');
  for (const include of [
    'author.books.author.books', '{"author":{"include":{"books":{"include":{"author":{"include":{"books":true}}}}}}}',
  ]) {
    await refuses(`books?include=${include}`, 400, 'INCLUDE_TOO_DEEP');
  }
  for (const include of [
    '{"author":5}', '{"author":{"limit":0}}', '{"author":{"limit":1.5}}', '{"author":{"nothing":1}}', '{', 'author..books', 'author.*',
    '{"author":{"include":{"*":true}}}', '{"author":{"orderBy":5}}',
  ]) {
    await refuses(`books?include=${include}`, 400, 'INVALID_INCLUDE');
  }
  t.match(await refuses(including('books', { author: { fields: ['nothing'] } }), 400, 'UNKNOWN_FIELD'),
    { field: 'nothing', collection: 'authors' });
  t.match(await refuses(including('books', { author: { where: { nothing: 1 } } }), 400, 'UNKNOWN_FILTER_FIELD'),
    { field: 'nothing', collection: 'authors' });
  t.match(await refuses(including('books', { author: { orderBy: 'nothing' } }), 400, 'UNKNOWN_ORDER_BY_FIELD'), { field: 'nothing' });
  t.match(await refuses(including('authors', { books: { where: { pages: 'many' } } }), 400, 'INVALID_FILTER_VALUE'),
    { field: 'pages', dbCode: '22P02' });
  await refuses(including('authors', { books: { where: { pages: [] } } }), 400, 'INVALID_WHERE');
  await refuses(including('authors', { books: { where: { pages: ['equals', 1] } } }), 400, 'UNKNOWN_FILTER_OPERATOR');
  await refuses(including('authors', { books: { logical: 'or(' } }), 400, 'INVALID_LOGICAL_GROUP');
});
