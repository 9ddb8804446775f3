import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { call, serviceWith } from './library.ts';

test('each form of a result has its form of an answer', async t => {
  const service = await serviceWith(t, `
    create function app.nothing() returns void language sql volatile as '';
    comment on function app.nothing is '@endpoint';
    create function app.add(a integer, b integer default 2) returns integer language sql immutable as 'select a + b';
    comment on function app.add is 'Adds. @endpoint';
    create function app.doc() returns json language sql stable as $$ select '{"b": 1, "a" : [1.50]}'::json $$;
    comment on function app.doc is '@endpoint';
    create function app.pair_of(a integer) returns app.pair language sql stable as $$ select a, 'x' $$;
    comment on function app.pair_of is '@endpoint';
    create function app.outs(out first_name text, out age integer) language sql stable as $$ select 'Ada', 36 $$;
    comment on function app.outs is '@endpoint';
    create function app.numbers(most integer) returns setof integer language sql stable as 'select generate_series(1, most)';
    comment on function app.numbers is '@endpoint';
    create function app.titles(from_page integer default 0) returns table (title text, page_count integer) language sql stable
      as 'select b.title, b.pages from public.books b where b.pages >= from_page';
    comment on function app.titles is '@endpoint';
    create function app.all_books() returns setof public.books language sql stable as 'select * from public.books';
    comment on function app.all_books is '@endpoint';
    create function app.book(wanted integer) returns public.books language sql stable as 'select * from public.books where id = wanted';
    comment on function app.book is '@endpoint'`);
  const { request } = service;
  const nothing = await call(service, 'nothing');
  t.same([nothing.status, nothing.text], [204, '']);
  t.equal((await call(service, 'add', { a: 1 })).text, '3');
  t.equal((await request('/functions/add?a=1&b=5')).text, '6');
  const meaningless = [['limit', 'limit=5'], ['limit', '%6cimit=5'], ['fields', 'fields='], ['explain', 'a=1&explain=true']] as const;
  for (const [word, spelt] of meaningless) {
    const { status, body } = await request(`/functions/add?${spelt}`);
    t.match([status, body.error], [400, { code: 'INVALID_PARAM', details: { parameter: word } }], spelt);
  }
  t.equal((await call(service, 'doc')).text, '{"b": 1, "a" : [1.50]}');
  t.equal((await request('/functions/pair_of?a=7')).text, '{"a":7,"b":"x"}');
  t.equal((await request('/functions/outs')).text, '{"firstName":"Ada","age":36}');
  const numbers = await request('/functions/numbers?most=5&limit=2&orderBy=numbers:desc');
  t.equal(numbers.text, '{"data":[{"numbers":5},{"numbers":4}],"meta":{"total":5,"limit":2,"offset":0,"hasMore":true}}');
  const titles = await request('/functions/titles?fromPage=150&pageCount=lt.180&orderBy=pageCount:desc&fields=pageCount');
  t.equal(titles.text,
    '{"data":[{"pageCount":170},{"pageCount":160},{"pageCount":150}],"meta":{"total":3,"limit":50,"offset":0,"hasMore":false}}');
  const books = await request('/functions/all_books?limit=3&include=author&pages=gt.50');
  t.equal(books.text, (await request('/data/books?limit=3&include=author&pages=gt.50')).text);
  const next = `after=${books.body.meta.nextCursor}`;
  t.equal((await request(`/functions/all_books?limit=3&pages=gt.50&${next}`)).text, (await request(
    `/data/books?limit=3&pages=gt.50&${next}`)).text);
  t.equal((await request('/functions/book?wanted=3&include=author')).text, (await request('/data/books/3?include=author')).text);
  t.equal((await request('/functions/book?wanted=99')).text, 'null');
});

test('a function runs as its caller, under row security', async t => {
  const service = await serviceWith(t, `
    create function app.mine() returns bigint language plpgsql stable as 'begin return (select count(*) from public.books); end';
    comment on function app.mine is '@endpoint';
    create function app.whoami() returns text language sql stable as 'select service.uid()';
    comment on function app.whoami is '@endpoint'`, { AUTH_REQUIRE: 'false' });
  t.equal((await call(service, 'mine')).text, '20');
  t.equal((await call(service, 'mine', {}, await tokenFor('u1'))).text, '6');
  t.equal((await call(service, 'mine', {}, null)).text, '0');
  t.equal((await call(service, 'whoami', {}, await tokenFor('u2'))).text, '"u2"');
  t.equal((await call(service, 'whoami', {}, null)).text, '"anonymous"');
});

test('arguments are refused by name', async t => {
  const service = await serviceWith(t, `
    create function app.takes(some_number integer, list integer[] default '{}', word text default 'w', mood app.mood default 'good',
      pair app.pair default null, at timestamptz default null, count app.positive default 1, doc json default null)
      returns json language sql stable as
      'select json_build_array(some_number, list, word, mood, pair, at, count, doc)';
    comment on function app.takes is '@endpoint';
    create function app.rest(variadic words text[]) returns integer language sql stable as 'select cardinality(words)';
    comment on function app.rest is '@endpoint';
    create function app.greet(name text default 'you', variadic titles text[] default array['Dr.']) returns text language sql stable
      as $$ select array_to_string(titles, ' ') || name $$;
    comment on function app.greet is '@endpoint';
    create function app.whole(json) returns json language sql stable as 'select $1';
    comment on function app.whole is '@endpoint'`);
  const { request } = service;
  const codeOf = async (body: unknown) => {
    const { status, body: { error } } = await call(service, 'takes', body);
    return [status, error.code, error.details.violations?.map(({ field }: { field: string }) => field) ?? error.details.fields];
  };
  t.same(await codeOf({}), [400, 'VALIDATION_CONSTRAINT', ['someNumber']]);
  t.same(await codeOf({ someNumber: 1, nme: 2 }), [400, 'VALIDATION_UNKNOWN_FIELDS', ['nme']]);
  t.same(await codeOf({ someNumber: 'x' }), [400, 'VALIDATION_INVALID_VALUE', ['someNumber']]);
  t.same(await codeOf({ someNumber: 1.5 }), [400, 'VALIDATION_INVALID_VALUE', ['someNumber']]);
  t.same(await codeOf({ someNumber: 99999999999 }), [400, 'VALIDATION_INVALID_VALUE', ['someNumber']]);
  t.same(await codeOf({ someNumber: 1, word: { a: 1 } }), [400, 'VALIDATION_INVALID_VALUE', ['word']]);
  t.same(await codeOf({ someNumber: 1, mood: 'ugly' }), [400, 'VALIDATION_INVALID_VALUE', ['mood']]);
  t.same(await codeOf({ someNumber: 1, count: -1 }), [400, 'VALIDATION_INVALID_VALUE', ['count']]);
  t.same(await codeOf({ someNumber: 1, list: ['x'] }), [400, 'VALIDATION_INVALID_VALUE', ['list']]);
  t.same(await codeOf({ someNumber: 1, pair: { a: 'x' } }), [400, 'VALIDATION_INVALID_VALUE', ['pair']]);
  t.same(await codeOf({ someNumber: 1, some_number: 2 }), [400, 'VALIDATION_INVALID_VALUE', ['some_number']]);
  const all = { someNumber: 1, list: [1, null], word: 'ü', mood: 'bad', pair: { a: 1, b: null }, at: '2026-01-01T00:00:00Z', count: 3 };
  t.equal((await call(service, 'takes', all)).text, '[1, [1,null], "ü", "bad", {"a":1,"b":null}, "2026-01-01T00:00:00+00:00", 3, null]');
  t.equal((await call(service, 'takes', { some_number: null })).text, '[null, [], "w", "good", null, null, 1, null]');
  const sent = await request('/functions/takes', { method: 'POST', body: '{"some_number": 1.0, "doc": {"b" : 1, "a":1,"a":2}}' });
  t.equal(sent.text, '[1, [], "w", "good", null, null, 1, {"b" : 1, "a":1,"a":2}]');
  t.equal((await call(service, 'rest', { words: ['a', 'b'] })).text, '2');
  t.equal((await request('/functions/rest?words=a&words=b&words=c')).text, '3');
  t.equal((await request('/functions/rest?words=["a"]')).text, '1');
  t.equal((await call(service, 'greet', { name: 'Ada' })).text, '"Dr.Ada"', 'a variadic one has its default');
  t.equal((await call(service, 'greet', {})).text, '"Dr.you"');
  t.equal((await call(service, 'greet', { titles: [] })).text, '"you"');
  t.equal((await request('/functions/whole', { method: 'POST', body: ' [1, {"a" :2}]' })).text, ' [1, {"a" :2}]');
  t.equal((await request('/functions/whole', { method: 'POST', body: '{broken' })).body.error.code, 'BAD_REQUEST');
  t.equal((await request('/functions/whole', { method: 'POST' })).body.error.code, 'VALIDATION_CONSTRAINT');
  t.equal((await request('/functions/takes', { method: 'POST', body: '{"some_number": }' })).body.error.code, 'BAD_REQUEST');
});
