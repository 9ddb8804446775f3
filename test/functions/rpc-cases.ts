/** Kinds of functions and calls that a project has under /rpc when it comes from PostgREST, with the answers of this service. */
export const FUNCTIONS = `
  create table public.labels (book_id integer references books, word text, primary key (book_id, word));
  alter table labels enable row level security;
  create policy everybodys on labels using (true);
  grant select on labels to service_user;
  insert into labels values (1, 'old'), (1, 'red'), (2, 'red');
  create sequence app.calls;
  grant usage on sequence app.calls to service_user;
  create domain app.one_book as books;
  create domain app.a_pair as app.pair;

  create function app.books_between(low integer, up integer) returns setof books language sql stable
    as 'select * from public.books where pages > low and pages <= up order by id';
  create function app.every_book() returns setof books language sql stable as 'select * from public.books';
  create function app.no_books() returns setof books language sql stable as 'select * from public.books where false';
  create function app.one_book_of(id integer) returns books language sql stable
    as 'select * from public.books b where b.id = one_book_of.id';
  create function app.domain_book(id integer) returns app.one_book language sql stable
    as 'select b::public.books from public.books b where b.id = domain_book.id';
  create function app.greet(name text) returns text language sql immutable as $$ select 'Good day, ' || name $$;
  create function app.sum_of(a integer, b integer) returns integer language sql immutable as 'select a + b';
  create function app.three(a integer default 1, b integer default 2, c integer default 3) returns integer language sql immutable
    as 'select a + b + c';
  create function app.list_of() returns integer[] language sql immutable as 'select array[1, 2, 3]';
  create function app.integers() returns setof integer language sql immutable as 'values (1), (2), (3)';
  create function app.same_mood(val app.mood) returns app.mood language sql immutable as 'select val';
  create function app.same_positive(val app.positive) returns app.positive language sql immutable as 'select val';
  create function app.range_of(low integer, up integer) returns int4range language sql immutable as 'select int4range(low, up)';
  create function app.scalars(out a text, out b app.mood, out c bigint, out d int4range) returns setof record language sql stable
    as $$ select 'scalars', 'good'::app.mood, 1::bigint, int4range(10, 20) $$;
  create function app.a_pair_of() returns app.pair language sql immutable as $$ select 10, 'five' $$;
  create function app.domain_pair() returns app.a_pair language sql immutable as $$ select row(10, 'five')::app.pair::app.a_pair $$;
  create function app.nothing() returns void language sql volatile as '';
  create function app.null_integer() returns integer language sql stable as 'select null::integer';
  create function app.a_record() returns record language sql stable as 'select 1, 2';
  create function app.varied(dbl double precision, chars varchar, yes boolean, day date, amount money, mood app.mood, arr text[],
    whole integer, js json default '{}', jb jsonb default '{}') returns json language sql immutable
    as $$ select json_build_object('dbl', dbl, 'chars', chars, 'yes', yes, 'day', day, 'amount', amount, 'mood', mood, 'arr', arr,
      'whole', whole, 'js', js, 'jb', jb) $$;
  create function app.type_of(arg json) returns text language sql immutable as 'select json_typeof(arg)';
  create function app.problem() returns void language plpgsql as $$ begin raise 'bad thing'; end $$;
  create function app.asserting() returns void language plpgsql as $$ begin assert false, 'bad thing'; end $$;
  create function app.next_call() returns bigint language sql volatile as $$ select nextval('app.calls') $$;
  create function app.no_arguments() returns text language sql stable as $$ select 'nothing was asked' $$;
  create function app.test() returns table (test text, value integer) language sql stable as $$ values ('hello', 1) $$;
  create function app.one_out(num integer, out num_plus_one integer) language sql immutable as 'select num + 1';
  create function app.one_json_out(a integer, b text, out my_json json) language sql immutable
    as $$ select json_build_object('a', a, 'b', b) $$;
  create function app.one_inout(inout num integer) language sql immutable as 'select num + 1';
  create function app.many_out(out my_json json, out num integer, out str text) language sql immutable
    as $$ select '{"a": 1}'::json, 3, 'four' $$;
  create function app.many_inout(inout num integer, inout str text, inout b boolean default true) language sql immutable
    as 'select num, str, b';
  create function app.one_column() returns table (a text) language sql stable as $$ values ('A') $$;
  create function app.two_columns() returns table (a text, b text) language sql stable as $$ values ('A', 'B') $$;
  create function app.words(variadic v text[] default '{}') returns text[] language sql immutable as 'select v';
  create function app.whole(json) returns json language sql immutable as 'select $1';
  create function app.payment() returns void language plpgsql as $$
    begin perform service.fail(402, 'PAYMENT_REQUIRED', 'The quota is exceeded.', '{"plan": "small"}'); end $$;
  create function app.setting(name text) returns text language sql stable as 'select current_setting(name, true)';
  create function app."quotedFunction"("user" text, "fullName" text, "SSN" text) returns json language sql immutable
    as $$ select json_build_object('user', "user", 'fullName', "fullName", 'SSN', "SSN") $$;
  create function app.overloaded() returns integer language sql immutable as 'select 0';
  create function app.overloaded(a integer) returns integer language sql immutable as 'select a';
  create function app.hidden() returns integer language sql immutable as 'select 1';
  do $$
  declare one regprocedure;
  begin
    for one in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'app'::regnamespace and p.proname <> 'hidden' loop
      execute format('comment on function %s is %L', one, '@endpoint');
    end loop;
  end $$`;

/** `body`: sent by POST as JSON. The answer: its text, or what it says as JSON, the data of a list, the code of an error. */
export type RpcCase = {
  name: string; path: string; method?: 'DELETE' | 'HEAD' | 'PATCH' | 'PUT'; body?: unknown; prefer?: string;
  status?: number; text?: string; json?: object; data?: unknown[]; meta?: object; code?: string; type?: string;
};

const VARIED = { dbl: 3.1, chars: 'hello', yes: true, day: '2019-01-01', mood: 'good', arr: ['a', 'b', 'c'], whole: 43 };
const told = (more: object) => ({ ...VARIED, amount: '$0.00', ...more });

export const CASES: RpcCase[] = [
  { name: 'a set by POST', path: 'books_between?fields=id&orderBy=id:asc', body: { low: 20, up: 40 }, data: [{ id: 3 }, { id: 4 }] },
  { name: 'a set by GET', path: 'books_between?low=20&up=40&fields=id&orderBy=id:asc', data: [{ id: 3 }, { id: 4 }] },
  { name: 'its second page by POST', path: 'books_between?fields=id&orderBy=id:asc&limit=1&offset=1', body: { low: 20, up: 40 },
    data: [{ id: 4 }], meta: { total: 2, limit: 1, offset: 1, hasMore: false } },
  { name: 'its second page by GET', path: 'books_between?low=20&up=40&fields=id&orderBy=id:asc&limit=1&page=2', data: [{ id: 4 }] },
  { name: 'a set by HEAD', path: 'books_between?low=20&up=40', method: 'HEAD', text: '' },
  { name: 'no count', path: 'books_between?low=20&up=40&fields=id&limit=1&orderBy=id:asc', prefer: 'count=none', data: [{ id: 3 }],
    meta: { limit: 1, offset: 0, hasMore: true } },
  { name: 'filters of rows', path: 'every_book?id=gt.1&id=lt.5&fields=id&orderBy=id:asc', data: [{ id: 2 }, { id: 3 }, { id: 4 }] },
  { name: 'filters of rows by POST', path: 'every_book?id=gt.1&id=lt.5&fields=id&orderBy=id:asc&limit=2&offset=1', body: {},
    data: [{ id: 3 }, { id: 4 }] },
  { name: 'some fields of a row', path: 'one_book_of?id=1&fields=id,title', text: '{"id":1,"title":"book 1"}' },
  { name: 'a row with a related one', path: 'one_book_of?id=1&fields=id&include=author', text: '{"id":1,"author":{"id":2,"name":"Bo"}}' },
  { name: 'a row with related ones', path: 'one_book_of?id=1&fields=id&include=labels',
    json: { id: 1, labels: [{ bookId: 1, word: 'red' }, { bookId: 1, word: 'old' }] } },
  { name: 'a domain over the type of a table', path: 'domain_book?id=2&fields=id&include=author',
    text: '{"id":2,"author":{"id":1,"name":"Ada"}}' },
  { name: 'a filter by a related row', path: 'every_book?author.name=eq.Ada&fields=id&orderBy=id:asc&limit=2',
    data: [{ id: 2 }, { id: 4 }] },
  { name: 'rows with a label', path: 'every_book?labels.word=eq.red&fields=id&orderBy=id:asc', data: [{ id: 1 }, { id: 2 }] },
  { name: 'an empty set', path: 'no_books', data: [], meta: { total: 0 } },
  { name: 'text', path: 'greet', body: { name: 'world' }, text: '"Good day, world"', type: 'application/json' },
  { name: 'text beyond ASCII', path: 'greet', body: { name: '￥' }, text: '"Good day, ￥"' },
  { name: 'an array', path: 'list_of', body: {}, text: '[1,2,3]' },
  { name: 'a set of integers', path: 'integers', body: {}, data: [{ integers: 1 }, { integers: 2 }, { integers: 3 }] },
  { name: 'an enum', path: 'same_mood', body: { val: 'bad' }, text: '"bad"' },
  { name: 'no value of an enum', path: 'same_mood', body: { val: 'ugly' }, status: 400, code: 'VALIDATION_INVALID_VALUE' },
  { name: 'a domain', path: 'same_positive', body: { val: '8' }, text: '8' },
  { name: 'a value that its domain refuses', path: 'same_positive', body: { val: 0 }, status: 400, code: 'VALIDATION_INVALID_VALUE' },
  { name: 'a range', path: 'range_of', body: { low: 10, up: 20 }, text: '"[10,20)"' },
  { name: 'rows of several types', path: 'scalars', data: [{ a: 'scalars', b: 'good', c: 1, d: '[10,20)' }] },
  { name: 'a composite type', path: 'a_pair_of', text: '{"a":10,"b":"five"}' },
  { name: 'a domain over a composite type', path: 'domain_pair', text: '{"a":10,"b":"five"}' },
  { name: 'nothing', path: 'nothing', body: {}, status: 204, text: '' },
  { name: 'null', path: 'null_integer', body: {}, text: 'null' },
  { name: 'a record without columns is not served', path: 'a_record', body: {}, status: 404, code: 'FUNCTION_NOT_FOUND' },
  { name: 'arguments of many types', path: 'varied', body: { ...VARIED, amount: 0, js: { 'some key': 'value' }, jb: { a: [1, 2, '3'] } },
    json: told({ js: { 'some key': 'value' }, jb: { a: [1, 2, '3'] } }) },
  { name: 'the same in a query', path: 'varied?dbl=3.1&chars=hello&yes=true&day=20190101&amount=0&mood=good&arr=["a","b","c"]&whole=43',
    json: told({ js: {}, jb: {} }) },
  { name: 'a JSON argument', path: 'type_of', body: { arg: { key: 3 } }, text: '"object"' },
  { name: 'a JSON argument that is text', path: 'type_of', body: { arg: '{ "key": 3 }' }, text: '"string"' },
  { name: 'no argument', path: 'greet', status: 400, code: 'VALIDATION_CONSTRAINT' },
  { name: 'an error without a code of its own', path: 'problem', body: {}, status: 400 },
  { name: 'an assertion', path: 'asserting', body: {}, status: 500 },
  { name: 'DELETE', path: 'greet', method: 'DELETE', status: 404, code: 'FUNCTION_NOT_FOUND' },
  { name: 'PATCH', path: 'greet', method: 'PATCH', status: 404, code: 'FUNCTION_NOT_FOUND' },
  { name: 'PUT', path: 'greet', method: 'PUT', status: 404, code: 'FUNCTION_NOT_FOUND' },
  { name: 'a volatile function by GET', path: 'next_call', status: 404, code: 'FUNCTION_NOT_FOUND' },
  { name: 'a call', path: 'next_call', body: {}, text: '1' },
  { name: 'the next call: each was made once', path: 'next_call', body: {}, text: '2' },
  { name: 'no arguments by POST', path: 'no_arguments', body: {}, text: '"nothing was asked"' },
  { name: 'no arguments by GET', path: 'no_arguments', text: '"nothing was asked"' },
  { name: 'a column of the name of its function', path: 'test', body: {}, data: [{ test: 'hello', value: 1 }] },
  { name: 'one OUT argument', path: 'one_out?num=5', text: '6' },
  { name: 'one OUT argument of JSON', path: 'one_json_out?a=1&b=two', text: '{"a" : 1, "b" : "two"}' },
  { name: 'one INOUT argument', path: 'one_inout?num=2', text: '3' },
  { name: 'OUT arguments', path: 'many_out', text: '{"myJson":{"a": 1},"num":3,"str":"four"}' },
  { name: 'INOUT arguments', path: 'many_inout?num=1&str=two&b=false', text: '{"num":1,"str":"two","b":false}' },
  { name: 'an INOUT argument with a default', path: 'many_inout?num=1&str=two', text: '{"num":1,"str":"two","b":true}' },
  { name: 'a table of one column', path: 'one_column', data: [{ a: 'A' }] },
  { name: 'a table of two columns', path: 'two_columns', data: [{ a: 'A', b: 'B' }] },
  { name: 'variadic by POST', path: 'words', body: { v: ['hi', 'hello', 'there'] }, text: '["hi","hello","there"]' },
  { name: 'variadic without any', path: 'words', text: '[]' },
  { name: 'variadic with one', path: 'words?v=hi', text: '["hi"]' },
  { name: 'variadic with two', path: 'words?v=hi&v=there', text: '["hi","there"]' },
  { name: 'defaults', path: 'three?b=4', text: '8' },
  { name: 'the whole body', path: 'whole', body: { p1: 1, p3: { obj: 'text' } }, text: '{"p1":1,"p3":{"obj":"text"}}' },
  { name: 'an unknown argument', path: 'sum_of?a=1&b=2&other=3', status: 400, code: 'VALIDATION_UNKNOWN_FIELDS' },
  { name: 'a missing argument', path: 'sum_of?a=1', status: 400, code: 'VALIDATION_CONSTRAINT' },
  { name: 'several objects', path: 'sum_of', body: [{ a: 1, b: 2 }, { a: 4, b: 6 }], status: 400, code: 'BAD_REQUEST' },
  { name: 'an argument in body and query', path: 'greet?name=John', body: { name: 'John' }, status: 400, code: 'VALIDATION_INVALID_VALUE' },
  { name: 'a status of its own', path: 'payment', body: {}, status: 402, code: 'PAYMENT_REQUIRED' },
  { name: 'the caller in a setting', path: 'setting', body: { name: 'app.uid' }, text: '"service"' },
  { name: 'names that want quotes', path: 'quotedFunction?user=m&fullName=Michael Scott&SSN=401',
    text: '{"user" : "m", "fullName" : "Michael Scott", "SSN" : "401"}' },
  { name: 'one name for two functions', path: 'overloaded', status: 404, code: 'FUNCTION_NOT_FOUND' },
  { name: 'a function that nothing opens', path: 'hidden', status: 404, code: 'FUNCTION_NOT_FOUND' },
  { name: 'an unknown function', path: 'fake', body: {}, status: 404, code: 'FUNCTION_NOT_FOUND' },
];
