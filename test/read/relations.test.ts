import t, { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { client, query, user } from './client.ts';
import { library } from './library.ts';

const service = await lendService(t, { template: 'served', setup: library });
const reader = await user('reader');

type Case = [path: string, ids: number[]];

async function finds(t: Parameters<typeof client>[0], list: Case[], asking?: typeof reader): Promise<void> {
  const { column, get } = client(t, service, asking);
  for (const [path, ids] of list) {
    t.same(await column(`${path}&orderBy=id`), ids, path);
    t.same(await get(path.replace('?', '/count?')), { count: ids.length }, `${path} counts the same`);
  }
}

test('a belongsTo by its name is its foreign key', t => finds(t, [
  ['books?author=1', [1, 2, 3]], ['books?authorId=1', [1, 2, 3]], ['books?author_id=1', [1, 2, 3]], ['books?author=gt.1', [4]],
  ['books?author=isnull.', [5]], ['books?author=notnull.', [1, 2, 3, 4]], ['books?author=neq.1', [4]], ['books?author=in.(2,3)', [4]],
  ['books?author=nin.(2,3)', [1, 2, 3]],
  [`books?${query({ where: { author: { __type: 'relation', id: 2, path: 'authors' } } })}`, [4]],
  ['letters?sender=1', [1]], ['letters?receiver=1', [2]],
]));

test('a to-many relation by its name is membership', t => finds(t, [
  ['authors?books=4', [2]], ['authors?books=in.(1,4)', [1, 2]], ['authors?books=cs.1', [1]], ['authors?books=csa.(1,9)', [1]],
  ['authors?books=neq.1', [2, 3]], ['authors?books=nin.(1,4)', [3]], ['authors?books=in.(\\)', []], ['authors?books=nin.(\\)', [1, 2, 3]],
  ['authors?books=isnull.', [3]], ['authors?books=notnull.', [1, 2]], [`authors?${query({ where: { books: null } })}`, [3]],
  ['authors?profiles=1', [1]], ['authors?profiles=isnull.', [3]], ['authors?authors=2', [1]], ['authors?authors=isnull.', [2, 3]],
  ['books?tags=2', [2, 3, 4]], ['books?tags=neq.2', [1, 5]], ['books?tags=in.(1,3)', [1, 2]], ['books?tags=isnull.', [5]],
  ['tags?books=notnull.', [1, 2]],
]));

test('several memberships must each hold', t => finds(t, [
  ['books?tags=cs.1&tags=cs.2', [2]], ['books?tags=1&tags=2', [1, 2, 3, 4]], ['books?tags=1&author=1&reviews=notnull.', [1, 2]],
  [`books?${query({ or: '(tags.eq.1,not(author.notnull.))' })}`, [1, 2, 5]],
]));

test('a relation\'s column: some related row matches', t => finds(t, [
  ['books?author.name=Ann', [1, 2, 3]], ['books?author.name=like.B%25', [4]], ['books?author.born=lt.1960', [1, 2, 3]],
  ['books?author.born=isnull.', [4]], ['authors?books.title=Tea', [1]], ['authors?books.pages=gte.200', [1]],
  ['authors?books.price=in.(10,20)', [1]], ['authors?profiles.bio=writes', [1]], ['authors?profiles.bio=isnull.', [2]],
  ['books?tags.name=cold', [2, 3, 4]], ['tags?books.title=Coffee', [1, 2]], ['authors?mentor.name=Ann', [2, 3]],
  ['authors?authors.name=Cy', [1]], ['authors?books.attributes->>lang=de', [1]], ['authors?books.attributes->lang=neq.de', [2, 3]],
  ['authors?books.author_id=1', [1]], ['letters?sender.name=Ann', [1]], ['letters?receiver.name=Ann', [2]],
  ['authors?letters_sender_id.text=hi', [1]], ['authors?letters_receiver_id.text=hi', [2]],
  [`authors?${query({ and: '(books.title.eq.Tea,books.title.eq.Coffee)' })}`, [1]],
]));

test('a negative operator means that no related row matches, so it is the complement of the positive', async t => {
  await finds(t, [
    ['books?author.name=neq.Ann', [4, 5]], ['books?author.name=nin.(Ann,Bob)', [5]], ['books?author.name=nlike.A%25', [4, 5]],
    ['books?author.name=nilike.a%25', [4, 5]], ['authors?books.title=neq.Tea', [2, 3]], ['books?tags.name=neq.hot', [3, 4, 5]],
    ['authors?profiles.bio=neq.writes', [2, 3]],
  ]);
  const { column } = client(t, service);
  for (const [collection, field, value] of [
    ['books', 'tags.name', 'hot'], ['authors', 'books.price', '20'], ['books', 'author.born', '1950'], ['authors', 'books', '1'],
  ] as const) {
    const [all, some, none] = [
      await column(`${collection}?orderBy=id`), await column(`${collection}?${field}=${value}`),
      await column(`${collection}?${field}=neq.${value}`),
    ];
    t.same([...some, ...none].sort(), all, `${collection}: ${field}`);
  }
});

test('null tests on a relation\'s column may both hold', t => finds(t, [
  ['authors?books.pages=isnull.', [2]], ['authors?books.pages=notnull.', [1]], ['books?reviews.body=isnull.', [2]],
  ['books?reviews.stars=notnull.', [1, 2, 3]], ['tags?books.pages=isnull.', [2]], ['tags?books.pages=notnull.', [1, 2]],
]));

test('rows that row security hides neither match nor count', t => finds(t, [
  ['authors?books=3', []], ['authors?books=neq.3', [1, 2, 3]], ['authors?books.title=Hidden', []],
  ['authors?books.title=neq.Hidden', [1, 2, 3]], ['authors?books.pages=gt.200', []], ['tags?books=3', []], ['books?tags=2', [2, 4]],
  ['tags?books.title=Hidden', []], ['books?reviews=2', []], ['books?reviews.stars=1', []], ['books?reviews=isnull.', [4, 5]],
  ['books?reviews.body=bad', []], ['reviews?book.title=Hidden', []], ['reviews?book.title=neq.Hidden', [1, 3, 4]],
  // The foreign key itself is the reader's to see.
  ['reviews?book=3', [4]],
], reader));

test('a filter over a relation never multiplies rows', async t => {
  const { get } = client(t, service);
  const page = await get('authors?books.pages=gt.0&limit=1');
  t.same([page.data.length, page.meta.total, page.meta.hasMore], [1, 1, false]);
  t.equal((await get('books?tags=in.(1,2)&limit=2')).meta.total, 4);
});

test('relations with unsupported requests', async t => {
  const { refuses } = client(t, service);
  for (const filter of ['gt.1', 'lte.1', 'like.1', 'nilike.1']) {
    t.match(await refuses(`authors?books=${filter}`, 400, 'UNSUPPORTED_RELATION_FILTER_OPERATOR'),
      { field: 'books', collection: 'authors' });
  }
  await refuses('books?tags=gte.1', 400, 'UNSUPPORTED_RELATION_FILTER_OPERATOR');
  await refuses('books?author=like.1', 400, 'INVALID_FILTER_OPERATOR');
  t.match(await refuses('books?author.nothing=1', 400, 'UNKNOWN_FILTER_FIELD'), {
    field: 'author.nothing', collection: 'books', relation: 'author', targetCollection: 'authors',
    validFields: ['id', 'name', 'born', 'mentorId'],
  });
  for (const field of ['author.mentor.name', 'author.mentor', 'author.', 'nothing.name', 'author.attributes->a', '.name', 'id.name']) {
    await refuses(`books?${field}=1`, 400, 'UNKNOWN_FILTER_FIELD');
  }
  t.match(await refuses('authors?books.pages=like.1', 400, 'INVALID_FILTER_OPERATOR'), { field: 'pages', collection: 'books' });
  t.match(await refuses('authors?books.pages=many', 400, 'INVALID_FILTER_VALUE'), { field: 'books.pages', dbCode: '22P02' });
  t.match(await refuses('authors?books=many', 400, 'INVALID_FILTER_VALUE'), { field: 'books' });
});

test('a composite key is followed whole, and named by its parts', async t => {
  const { column, refuses } = client(t, service);
  t.same(await column('books?shelves.label=A%20one&orderBy=id'), [1, 3]);
  t.same(await column('books?shelves=isnull.&orderBy=id'), [4, 5]);
  t.same(await column('shelves?books.title=Tea', 'label'), ['A one']);
  t.same(await column('books?shelves=A:::1&orderBy=id'), [1, 3]);
  t.same(await column('books?shelves=A'), []);
  await refuses('books?shelves=gt.A:::1', 400, 'UNSUPPORTED_RELATION_FILTER_OPERATOR');
});
