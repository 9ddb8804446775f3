import t, { test } from 'tap';
import { createService } from '../harness/service.ts';
import { collections } from '../write/client.ts';
import { client, nobody, open, query, reader, user } from './client.ts';
import { library } from './library.ts';

const service = await createService(t, {
  template: 'served',
  env: { AUTH_REQUIRE: 'false' },
  setup: `${library}
    create type vector as enum ('[1,2]');
    create table places (id integer primary key, embedding vector, spot point, author_id integer references authors);
    ${open('places')}
    create schema hidden;
    create table hidden.vault (id integer primary key);
    grant usage on schema hidden to service_user; grant select on hidden.vault to service_user;
    create view vault with (security_invoker = on) as select id from hidden.vault;
    create table visits (n integer);
    create function count_visit() returns boolean language plpgsql security definer as $$ begin insert into public.visits values (1);
    return true; end $$;
    create table counted (id integer primary key);
    alter table counted enable row level security;
    create policy writes on counted using (count_visit());
    insert into counted values (1);
    create table divided (id integer primary key, n integer);
    alter table divided enable row level security;
    create policy divides on divided using (1 / n > 0);
    insert into divided values (1, 0);`,
});
// Facts that only collection files can state are written into the catalog by hand.
await service.sql`update service.properties set type = 'geopoint' where collection = 'places' and name = 'spot'`;
await service.sql`update service.properties set read_roles = '{keeper}' where collection = 'places' and name = 'id'`;
await service.sql`insert into service.relations (collection, name, kind, target, local_columns, target_columns)
  values ('places', 'remote', 'via', 'authors', '{author_id}', '{id}')`;
await service.sql`update service.catalog set version = version + 1`;
await service.database.catalog.refresh();

test('parameters of PostgREST are refused with what stands for them', async t => {
  const { refused } = client(t, service);
  t.match(await refused('books?order=title.desc'), { code: 'UNKNOWN_FILTER_FIELD', message: /orderBy=/ });
  t.match(await refused('books?or=(title.not.eq.x,id.eq.1)'), { code: 'UNKNOWN_FILTER_FIELD', message: /not=\(/ });
  t.match(await refused('books?not.or=(id.eq.1,id.eq.2)'), { code: 'UNKNOWN_FILTER_FIELD', message: /not=\(/ });
  t.match(await refused('books?select=*,authors(*)'), { code: 'INVALID_AGGREGATE_SELECT', message: /"fields".*"include"/ });
  t.match(await refused('books?title=not.eq.x'), { code: 'UNKNOWN_FILTER_OPERATOR', message: /neq\.x/ });
});

test('a failure is the envelope, with the id of its request', async t => {
  const { status, headers, body } = await client(t, service).read('books?nothing=1');
  t.equal(status, 400);
  t.match(headers.get('content-type'), /^application\/json/);
  t.same(Object.keys(body), ['error']);
  t.same(Object.keys(body.error).sort(), ['code', 'details', 'message', 'requestId']);
  t.equal(body.error.requestId, headers.get('x-request-id'));
  t.match(body.error.message, /nothing/);
});

/** Code, and the requests that are answered 400 with it; the details are of the first. */
const malformed: [code: string, details: object | undefined, requests: string[]][] = [
  ['INVALID_WHERE', undefined, [
    'where=x', 'where=5', 'where=[]', 'where=null', 'where={', query({ where: { pages: [] } }), query({ where: { pages: {} } }),
    query({ where: { pages: [[]] } }), query({ where: { pages: ['>', null] } }),
  ]],
  ['UNKNOWN_FILTER_OPERATOR', { field: 'pages', operator: '=', validOperators: Array }, [
    query({ where: { pages: ['=', 1] } }), query({ where: { pages: ['===', 1] } }), query({ where: { pages: ['<>', 1] } }),
    query({ where: { title: ['contains', 'x'] } }), query({ where: { title: ['NOT_IN', 'x'] } }),
    query({ where: { pages: [['between', 1]] } }),
  ]],
  [
    'INVALID_FILTER_OPERATOR', { collection: 'books', field: 'pages', type: 'number', operator: 'like' },
    ['pages=like.1', 'secret=ilike.t', 'title=cs.x', 'attributes=eq.x', 'attributes->a=cs.x', 'author=like.x'],
  ],
  ['INVALID_FILTER_VALUE', { field: 'pages', dbCode: '22P02', dbMessage: /integer/ }, [
    'pages=x', 'pages=in.(1,x)', 'title=a%00b', query({ where: { pages: ['in', [1, null]] } }),
    query({ where: { title: ['==', '\ud800'] } }),
  ]],
  ['UNKNOWN_FILTER_FIELD', { field: 'nothing', collection: 'books', validFields: Array }, [
    'nothing=1', 'search=x', '=1', 'author.nothing=1', 'author.mentor.name=x', query({ where: { nothing: 1 } }), 'or=(nothing.eq.1)',
    'constructor=1', '__proto__=1', 'toString=1',
  ]],
  [
    'UNSUPPORTED_RELATION_FILTER_OPERATOR', { field: 'tags', operator: '>', collection: 'books' },
    ['tags=gt.1', 'reviews=like.x', 'shelves=gt.A'],
  ],
  [
    'INVALID_LOGICAL_GROUP', undefined,
    ['or=(', 'or=)', 'or=(a.eq.1', 'or=(,)', 'or=(and())', 'or=(and(id.eq.1)x)', `or=${'and('.repeat(33)}id.eq.1${')'.repeat(33)}`],
  ],
  ['INVALID_ORDER_BY', undefined, [
    'orderBy=title:up', 'orderBy=title:asc:middle', 'orderBy=title:asc:first:x', 'orderBy={"field":"title"}', 'orderBy=5', 'orderBy=true',
    'orderBy=null', 'orderBy=title:asc,id:desc', 'orderBy=[5]', 'orderBy=[',
  ]],
  [
    'UNKNOWN_ORDER_BY_FIELD', { field: 'nothing', collection: 'books', validFields: Array },
    ['orderBy=nothing', 'orderBy=_score', 'orderBy=author.name', 'orderBy=__proto__'],
  ],
  ['ORDER_BY_FIELD_NOT_SORTABLE', { field: 'attributes', collection: 'books' }, ['orderBy=attributes', 'orderBy=tags', 'orderBy=shelves']],
  ['INVALID_LIMIT', { parameter: 'limit', value: '0', maximum: 1000 }, ['limit=0', 'limit=-1', 'limit=1.5', 'limit=1001', 'limit=x']],
  ['INVALID_OFFSET', { parameter: 'offset', value: '-1' }, ['offset=-1', 'offset=1.5', 'offset=x']],
  ['INVALID_PAGE', { parameter: 'page', value: '0' }, ['page=0', 'page=-1', 'page=x']],
  ['INVALID_CURSOR', undefined, ['after=x', 'after=x.y', 'after=e30.x']],
  ['CURSOR_WITH_OFFSET', undefined, ['after=x&offset=0', 'after=x&page=1']],
  ['UNKNOWN_FIELD', { field: 'nothing', collection: 'books' }, ['fields=nothing', 'fields=author', 'fields=__proto__']],
  [
    'UNKNOWN_RELATION', { relation: 'nothing', collection: 'books', validRelations: ['author', 'reviews', 'shelves', 'tags'] },
    ['include=nothing', 'include=title', 'include=author.nothing', 'include=__proto__', 'include=constructor'],
  ],
  ['INVALID_INCLUDE', undefined, ['include={', 'include={"author":5}', 'include=author..books', 'include=author.*']],
  ['INCLUDE_TOO_DEEP', { maximum: 3 }, ['include=author.books.author.books']],
  ['INVALID_DISTINCT', { distinct: 'yes' }, ['distinct=yes']],
  ['DISTINCT_ORDER_BY_NOT_SELECTED', { fields: ['pages'] }, ['distinct=true&fields=title&orderBy=pages']],
  ['DISTINCT_NOT_APPLICABLE', { parameter: 'vector_search' }, ['distinct=true&vector_search=e&vector=[1]']],
  ['INVALID_DELETED_PARAM', { deleted: 'yes' }, ['deleted=yes']],
  ['INVALID_HARD_PARAM', { hard: 'yes' }, ['hard=yes']],
  [
    'INVALID_VECTOR', undefined,
    ['vector_search=e', 'vector_search=e&vector=x', 'vector_search=e&vector=[]', 'vector_search=e&vector=["a"]'],
  ],
  ['INVALID_VECTOR_DISTANCE', { distance: 'far' }, ['vector_search=e&vector=[1]&vector_distance=far']],
  ['INVALID_VECTOR_THRESHOLD', { threshold: 'far' }, ['vector_search=e&vector=[1]&vector_threshold=far']],
  ['VECTOR_CURSOR_UNSUPPORTED', undefined, ['vector_search=e&vector=[1]&after=x']],
  ['INVALID_PARAM', { text: '%zz' }, ['title=%zz', '%ff=1', 'fields=a%00b']],
];

test('malformed requests, and those for missing names, are 400 with their own code', async t => {
  const { refuses } = client(t, service);
  for (const [code, , requests] of malformed) {
    for (const request of requests) await refuses(`books?${request}`, 400, code);
  }
});

test('the same on a row, a count and a nested list, with the same details', async t => {
  const { refuses } = client(t, service);
  for (const [code, details, requests] of malformed) {
    for (const path of ['books', 'books/1', 'books/count', 'authors/1/books', 'authors/1/books/count']) {
      const found = await refuses(`${path}?${requests[0] ?? ''}`, 400, code);
      if (details === undefined) t.equal(found, undefined, 'the message says it all');
      else t.match(found, details, `${path} ${code}`);
    }
  }
});

test('the details say where', async t => {
  const { refuses } = client(t, service);
  const operators = await refuses(`books?${query({ where: { pages: ['===', 1] } })}`, 400, 'UNKNOWN_FILTER_OPERATOR');
  t.match(operators, { field: 'pages', operator: '===' });
  t.equal(operators.validOperators.length, 16);
  t.match(await refuses('books?pages=x', 400, 'INVALID_FILTER_VALUE'), { field: 'pages', dbCode: '22P02', dbMessage: /integer/ });
  t.match(await refuses('books?or=(id.eq.1,not(pages.eq.x))', 400, 'INVALID_FILTER_VALUE'), { field: 'pages', dbCode: '22P02' });
  t.match(await refuses('books?pages=99999999999', 400, 'INVALID_FILTER_VALUE'), { field: 'pages', dbCode: '22003' });
  t.match(await refuses('books?limit=1001', 400, 'INVALID_LIMIT'), { parameter: 'limit', value: '1001', maximum: 1000 });
});

test('fields that exist and cannot be filtered or sorted by', async t => {
  const { refuses } = client(t, service);
  for (const field of ['embedding', 'spot']) {
    t.match(await refuses(`places?${field}=x`, 400, 'INVALID_FILTER_FIELD'), { field, collection: 'places' });
    t.match(await refuses(`places?orderBy=${field}`, 400, 'ORDER_BY_FIELD_NOT_SORTABLE'), { field, collection: 'places' });
  }
  for (const field of ['remote', 'remote.name']) {
    t.match(await refuses(`places?${field}=1`, 400, 'UNSUPPORTED_RELATION_FILTER'),
      { field, collection: 'places', relation: 'remote', kind: 'via' });
  }
  t.match(await client(t, service, await user('u')).refuses('places?id=1', 400, 'FIELD_NOT_READABLE'),
    { collection: 'places', fields: ['id'], violations: [{ field: 'id', code: 'access' }] });
});

test('aggregates say what is wrong with them', async t => {
  const { refuses } = client(t, service);
  await refuses('books/aggregate', 400, 'MISSING_AGGREGATE_SELECT');
  t.same(await refuses('books/aggregate?select=count', 400, 'INVALID_AGGREGATE_SELECT'), { entry: 'count' });
  t.same(await refuses('books/aggregate?select=sum()', 400, 'INVALID_AGGREGATE_SELECT'), { entry: 'sum()' });
  t.same(await refuses('books/aggregate?select=median(pages)', 400, 'INVALID_AGGREGATE_FUNCTION'), { function: 'median' });
  t.match(await refuses('books/aggregate?select=count()&limit=5', 400, 'INVALID_AGGREGATE_WINDOW'), { parameter: 'limit' });
  for (const request of ['select=sum(nothing)', 'select=count()&groupBy=nothing']) {
    t.match(await refuses(`books/aggregate?${request}`, 400, 'UNKNOWN_AGGREGATE_FIELD'),
      { field: 'nothing', collection: 'books', validFields: Array }, request);
  }
});

test('404: no such collection, relation or row', async t => {
  const { refuses } = client(t, service);
  for (const path of ['nothing', 'nothing/1', 'nothing/count', 'NOTHING', 'book_tags', 'pg_class', '__proto__', 'service.catalog']) {
    const { status, code, message } = await client(t, service).refused(path);
    t.same([status, code], [404, 'NOT_FOUND'], path);
    t.notMatch(message, /books/, 'the message lists no collection');
  }
  t.same(await refuses('books/99', 404, 'NOT_FOUND'), { collection: 'books', id: '99', why: 'hidden: There is no such row.' });
  t.same(await refuses('books/x', 404, 'NOT_FOUND'), { collection: 'books', id: 'x', why: 'hidden: There is no such row.' });
  t.match((await client(t, service).refused('books/99')).message, /row security/);
  await client(t, service, nobody).refuses('books/3', 404, 'NOT_FOUND');
  t.match(await refuses('books/1/nothing', 404, 'UNKNOWN_RELATION'), { relation: 'nothing', collection: 'books', validRelations: Array });
});

test('the database refuses: a missing grant, a policy that writes, a policy that fails', async t => {
  const { refuses } = client(t, service);
  await service.sql`revoke select on hidden.vault from service_user`;
  t.match(await refuses('vault', 500, 'DB_PERMISSION_DENIED'), { dbCode: '42501' });
  t.match(await refuses('counted', 409, 'READ_ONLY_TRANSACTION'), { dbCode: '25006' });
  t.match(await refuses('divided', 500, 'INTERNAL_ERROR'), { dbCode: '22012' });
  t.same(await service.sql`select * from visits`, []);
  t.equal((await client(t, service).get('books')).meta.total, 5, 'the connections are as good as before');
});

test('collection files that the tables no longer fit are SCHEMA_DRIFT, until they do', async t => {
  const notes = {
    slug: 'notes', properties: { id: { type: 'number', isId: 'increment' }, body: { type: 'string' } },
    securityRules: [{ access: 'public' }],
  };
  const drifting = await reader(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, notes) } });
  await drifting.service.sql`insert into notes (body) values ('x')`;
  t.same((await drifting.get('notes')).data, [{ id: 1, body: 'x' }]);
  await drifting.service.sql`alter table notes rename body to content`;
  const { status, code, details, message } = await drifting.refused('notes');
  t.same([status, code, details.dbCode], [500, 'SCHEMA_DRIFT', '42703']);
  t.notMatch(message, /body/);
  await drifting.service.sql`alter table notes rename content to body`;
  t.same((await drifting.get('notes')).data, [{ id: 1, body: 'x' }]);
});

test('without a collection the whole prefix is NO_COLLECTIONS', async t => {
  const { refuses } = await reader(t, { template: 'served', setup: 'create table unprotected (id integer primary key)' });
  for (const path of ['unprotected', 'unprotected/1', 'unprotected/count', 'nothing', 'a/1/b?limit=x']) {
    await refuses(path, 404, 'NO_COLLECTIONS');
  }
});
