import t, { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { client, nobody, query } from './client.ts';
import { library } from './library.ts';

const service = await lendService(t, { template: 'served', setup: library, env: { AUTH_REQUIRE: 'false' } });

test('a count is of what the list would hold', async t => {
  const { get } = client(t, service);
  const requests = [
    '', 'pages=gt.100', 'author.name=Ann', 'tags=isnull.', query({ or: '(pages.eq.100,not(author.notnull.))' }),
    query({ where: { 'attributes->>lang': ['in', ['en', 'de']] } }), 'id=99',
  ];
  for (const request of requests) {
    t.same(await get(`books/count?${request}`), { count: (await get(`books?${request}`)).meta.total }, request);
  }
  t.same(await get('books/count'), { count: 5 });
});

test('a count is of what the caller may see', async t => {
  const { get } = client(t, service, nobody);
  t.same(await get('books/count'), { count: 4 });
  t.same(await get('reviews/count'), { count: 3 });
  t.same((await get('books?limit=2')).meta, { ...(await get('books?limit=2')).meta, total: 4, hasMore: true });
  t.equal((await get('books?limit=1&offset=3')).meta.total, 4);
  t.equal((await get('books?limit=1&offset=30')).meta.total, 4);
});

test('parameters of a page change no count, and are checked all the same', async t => {
  const { get, refuses } = client(t, service);
  t.same(await get('books/count?limit=1&offset=3&orderBy=title&fields=title&include=author'), { count: 5 });
  await refuses('books/count?limit=0', 400, 'INVALID_LIMIT');
  await refuses('books/count?offset=x', 400, 'INVALID_OFFSET');
  await refuses('books/count?after=x', 400, 'INVALID_CURSOR');
  await refuses('books/count?orderBy=title:up', 400, 'INVALID_ORDER_BY');
  await refuses('books/count?nothing=1', 400, 'UNKNOWN_FILTER_FIELD');
  await refuses('books/count?pages=many', 400, 'INVALID_FILTER_VALUE');
});

test('a row may be asked for under conditions', async t => {
  const { get, refuses } = client(t, service);
  t.equal((await get('books/1?title=Tea')).id, 1);
  await refuses('books/1?title=Coffee', 404, 'NOT_FOUND');
  await refuses('books/1?pages=many', 400, 'INVALID_FILTER_VALUE');
  await refuses('books/1?title=like.T\\', 400, 'INVALID_FILTER_VALUE');
});
