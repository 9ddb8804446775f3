import t, { test } from 'tap';
import { createService } from '../harness/service.ts';
import { client, open, query, reader, user } from './client.ts';

const service = await createService(t, {
  template: 'served',
  setup: `
    create extension hstore;
    create extension ltree;
    create collation any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    create table kinds (
      id integer primary key, i2 smallint, i4 integer, i8 bigint, many integer[], t text, d double precision,
      hs hstore, lt ltree, rc regclass,
      ci text collate any_case, bytes bytea, all_bytes bytea[], doc json);
    insert into kinds values
      (1, 1, 1, 1, '{1,2}', '2.0', 1e308, 'a=>1', 'a.b', 'pg_class', 'Straße', '\\xdead', '{"\\\\xde","\\\\xfbff"}', '{"a": "x"}'),
      (2, 2, 2, 2, '{3}', '2', 1e308, null, null, null, 'STREET', null, null, '{"a": "\\u0000"}'),
      (3, null, null, null, null, 'hello.x', 0.1, null, null, null, '50%', null, '{}', null);
    create table ltree_keys (id ltree primary key);
    create table class_keys (id regclass primary key);
    create table divided (id integer primary key, n integer);
    alter table divided enable row level security;
    create policy divides on divided using (1 / n > 0);
    insert into divided values (1, 0);
    create table cast_keys (id integer primary key);
    alter table cast_keys enable row level security;
    create policy casts on cast_keys using ((select service.uid())::integer = id);
    insert into cast_keys values (1);
    create table owners (id integer primary key, name text, pay integer, boss_id integer references owners);
    create table groups (id integer primary key, name text);
    create table memberships (owner_id integer references owners, group_id integer references groups,
      since date, primary key (owner_id, group_id));
    create table member_of (owner_id integer references owners, group_id integer references groups, primary key (owner_id, group_id));
    create table stocks (shop text, country varchar(2), n integer, primary key (shop, country));
    create table moves (id integer primary key, shop text, country varchar(2), foreign key (shop, country) references stocks);
    insert into owners values (1, 'Ann', 5, null), (2, 'Bob', 6, 1), (3, 'Cy', 7, null);
    insert into groups values (1, 'one'), (2, 'two');
    insert into memberships values (1, 1, '2020-01-01'), (1, 2, null), (2, 2, null);
    insert into member_of select owner_id, group_id from memberships;
    insert into stocks values ('a', 'DE', 1), ('b', 'SE', 2);
    insert into moves values (1, 'a', 'DE'), (2, 'b', 'SE'), (3, null, null);
    ${open('kinds', 'ltree_keys', 'class_keys', 'owners', 'groups', 'memberships', 'member_of', 'stocks', 'moves')}`,
});
await service.sql`update service.properties set read_roles = '{keeper}' where collection = 'owners' and name = 'pay'`;
await service.sql`update service.catalog set version = version + 1`;
await service.database.catalog.refresh();

test('a data exception that no value of the request caused is not the caller\'s fault', async t => {
  const { refuses } = client(t, service);
  t.match(await refuses('divided', 500, 'INTERNAL_ERROR'), { dbCode: '22012' });
  t.match(await refuses('divided?n=0', 500, 'INTERNAL_ERROR'), { dbCode: '22012' });
  t.match(await refuses('divided/1', 500, 'INTERNAL_ERROR'), { dbCode: '22012' });
  t.match(await refuses('kinds/aggregate?select=sum(d)', 500, 'INTERNAL_ERROR'), { dbCode: '22003' });
  t.match(await refuses('kinds?doc->a=x', 500, 'INTERNAL_ERROR'), { dbCode: '22P05' });
  t.match(await client(t, service, await user('u')).refuses('cast_keys', 500, 'INTERNAL_ERROR'), { dbCode: '22P02' });
  t.same(await client(t, service, await user('1')).column('cast_keys'), [1]);
});

test('a value that its column\'s type cannot read is refused by its field, for any error of the type', async t => {
  const { refuses } = client(t, service);
  // hstore and ltree report what they cannot read in other ways from version to version.
  const unreadable: [filter: string, field: string, dbCode: string | RegExp][] =
    [
      ['hs=eq.x', 'hs', /^(42601|22P02|XX000)$/], ['lt=eq.a b', 'lt', /^(42601|22P02)$/], ['rc=eq.nope', 'rc', '42P01'],
      ['i4=eq.x', 'i4', '22P02'], ['t=eq.%00', 't', '22021'],
    ];
  for (const [filter, field, dbCode] of unreadable) {
    t.match(await refuses(`kinds?${filter}`, 400, 'INVALID_FILTER_VALUE'), { field, dbCode }, filter);
  }
  t.match(await refuses(`kinds?${query({ where: { i4: ['in', [2, null]] } })}`, 400, 'INVALID_FILTER_VALUE'),
    { field: 'i4', dbCode: '22004' });
  t.same(await refuses('kinds?or=(t.eq.%00)', 400, 'INVALID_FILTER_VALUE'), { parameter: 'or', dbCode: '22021' });
  t.same(await refuses('kinds?searchString=%00', 400, 'INVALID_FILTER_VALUE'), { parameter: 'searchString', dbCode: '22021' });
  t.same(await refuses('ltree_keys/a%20b', 404, 'NOT_FOUND'), { collection: 'ltree_keys', id: 'a b' });
  t.same(await refuses('class_keys/nope', 404, 'NOT_FOUND'), { collection: 'class_keys', id: 'nope' });
});

const GONE = 'hidden: There is no such row.';

test('a 404 names the collection of the id that it is about', async t => {
  const { refuses } = client(t, service);
  t.same(await refuses('owners/2/boss/2', 404, 'NOT_FOUND'), { collection: 'owners', id: '2' });
  t.same(await refuses('owners/2/groups/9', 404, 'NOT_FOUND'), { collection: 'groups', id: '9', why: GONE });
  t.same(await refuses('owners/abc/groups', 404, 'NOT_FOUND'), { collection: 'owners', id: 'abc' });
  t.same(await refuses('owners/abc/groups/1', 404, 'NOT_FOUND'), { collection: 'owners', id: 'abc' });
  t.same(await refuses('owners/1/groups/abc', 404, 'NOT_FOUND'), { collection: 'groups', id: 'abc', why: GONE });
});

test('every read checks the names that it has no use for', async t => {
  const { get, refuses } = client(t, service);
  for (const path of ['owners/count', 'owners/1/groups/count', 'owners/1', 'owners/1/groups/1', 'owners/aggregate?select=count()']) {
    const asked = (parameters: string) => `${path}${path.includes('?') ? '&' : '?'}${parameters}`;
    await refuses(asked('orderBy=nope'), 400, 'UNKNOWN_ORDER_BY_FIELD');
    await refuses(asked('fields=nope'), 400, 'UNKNOWN_FIELD');
    await refuses(asked('include=nope'), 400, 'UNKNOWN_RELATION');
    await refuses(asked(query({ include: { nope: { limit: 1, where: { id: 1 } } } })), 400, 'UNKNOWN_RELATION');
    await refuses(asked(path.includes('aggregate') ? 'orderBy=name' : 'groupBy=nope'), 400,
      path.includes('aggregate') ? 'UNKNOWN_ORDER_BY_FIELD' : 'UNKNOWN_AGGREGATE_FIELD');
    await refuses(asked('vector_search=nope&vector=[1]'), 400, 'UNKNOWN_VECTOR_PROPERTY');
  }
  await refuses('owners?groupBy=nope', 400, 'UNKNOWN_AGGREGATE_FIELD');
  await refuses('owners?select=sum(nope)', 400, 'UNKNOWN_AGGREGATE_FIELD');
  for (const parameters of [
    'fields=pay', 'orderBy=pay', 'groupBy=pay', 'select=sum(pay)', query({ include: { boss: { fields: ['pay'] } } }),
  ]) {
    t.match(await client(t, service, await user('u')).refuses(`owners/count?${parameters}`, 400, 'FIELD_NOT_READABLE'),
      { collection: 'owners', fields: ['pay'] });
  }
  t.same(await get(`owners/count?${query({
    orderBy: 'name', fields: 'id,groups', include: { groups: { limit: 1, where: { id: 1 } } }, groupBy: 'name', select: 'sum(pay)',
  })}`), { count: 3 });
  t.same(await get('owners/aggregate?select=count()&orderBy=count&fields=name&include=boss'), { data: [{ count: 3 }] });
  t.equal((await get('owners/1?orderBy=name&groupBy=pay')).name, 'Ann');
});

test('a single row is held to a search as it is to filters', async t => {
  const { get, refuses } = client(t, service);
  t.equal((await get('owners/1?searchString=ann')).name, 'Ann');
  await refuses('owners/1?searchString=zzz', 404, 'NOT_FOUND');
});

test('JSON numbers compare as numbers', async t => {
  const { column } = client(t, service);
  const found = (where: object) => column(`kinds?${query({ where, orderBy: 'id' })}`);
  for (const field of ['i2', 'i4', 'i8']) {
    t.same(await column(`kinds?where={"${field}":2.0}`), [2], field);
    t.same(await column(`kinds?where={"${field}":[">",1e0]}`), [2], field);
    t.same(await found({ [field]: ['>', 1.5] }), [2], field);
    t.same(await found({ [field]: ['<', 1.5] }), [1], field);
    t.same(await found({ [field]: ['==', 1.5] }), [], field);
    t.same(await found({ [field]: ['!=', 1.5] }), [1, 2], field);
    t.same(await column(`kinds?where={"${field}":["in",[2.0,7,1e-1]]}`), [2], field);
    t.same(await found({ [field]: ['not-in', [1.5, 2]] }), [1], field);
    t.same(await column(`kinds?where={"${field}":["in",2.0]}`), [2], field);
  }
  t.same(await column('kinds?where={"many":["array-contains",2.0]}'), [1]);
  t.same(await column('kinds?where={"many":["array-contains-any",[3.0,1.5]]}'), [2]);
  t.same(await column('kinds?where={"t":2.0}'), [1], 'text is compared as it was sent');
  t.same(await column('owners?where={"boss":1.0}'), [2]);
  await client(t, service).refuses('kinds?i4=2.0', 400, 'INVALID_FILTER_VALUE');
  const [row] = await service.sql<{ statement: string }[]>`
    select (service.compile((service_private.hoist('{"op":"list","path":["kinds"],"where":{"i4":["==",2]}}')).shape, '{}')).statement`;
  t.match(row?.statement, /t\.i4 = \$6::integer/, 'a whole number is compared as the column\'s type, which its index serves');
});

test('bytes in an array are compared in base64, as they are shown', async t => {
  const { column, refuses } = client(t, service);
  t.same(await column('kinds?allBytes=cs.3g==', 'allBytes'), [['3g==', '+/8=']]);
  t.same(await column('kinds?allBytes=csa.(AAAA,%2B/8=)'), [1]);
  t.same(await column('kinds?allBytes=csa.(\\)'), []);
  t.same(await column('kinds?allBytes=cs.de'), []);
  t.match(await refuses('kinds?bytes=gt.3q0=', 400, 'INVALID_FILTER_OPERATOR'), { field: 'bytes' });
  t.match(await refuses('kinds?bytes=eq.3q0', 400, 'INVALID_FILTER_VALUE'), { field: 'bytes' });
});

test('where a collation knows no patterns, like is refused and a search still searches', async t => {
  const { column, refuses } = client(t, service);
  for (const code of ['like', 'ilike', 'nlike', 'nilike']) {
    t.match(await refuses(`kinds?ci=${code}.S%25`, 400, 'INVALID_FILTER_OPERATOR'), { field: 'ci' });
  }
  t.same(await column('kinds?ci=eq.street'), [2]);
  t.same(await column('kinds?searchString=TREE'), [2]);
});

test('relations to a composite key are filtered by their ids', async t => {
  const { column, refuses } = client(t, service);
  t.same(await column('owners?memberships=1:::2'), [1]);
  t.same(await column('owners?memberships=neq.1:::2'), [3, 2]);
  t.same(await column('owners?memberships=in.(1:::2,2:::2)'), [2, 1]);
  t.same(await column('owners?memberships=nin.(1:::2,2:::2)'), [3]);
  t.same(await column('owners?memberships=in.(\\)'), []);
  t.same(await column('owners?memberships=cs.2:::2'), [2]);
  t.same(await column('moves?stocks=a:::DE'), [1]);
  t.same(await column('moves?stocks=neq.a:::DE'), [2], 'a foreign key that is null is unequal to nothing');
  t.same(await column('moves?stocks=in.(a:::DE,b:::SE)'), [2, 1]);
  t.same(await column('moves?stocks=nin.(a:::DE)'), [2]);
  for (const id of ['a', 'a:::', 'a:::DE:::x', ':::']) t.same(await column(`moves?stocks=${id}`), [], id);
  t.same(await column('moves?or=(stocks.eq.a:::DE,id.eq.3)'), [3, 1]);
  t.match(await refuses('moves?stocks=gt.a:::DE', 400, 'UNSUPPORTED_RELATION_FILTER_OPERATOR'), { field: 'stocks', operator: '>' });
});

test('the meaning of a list of strings in where', async t => {
  const { column } = client(t, service);
  t.same(await column(`kinds?${query({ where: { t: ['hello.x', '50%'] } })}`), [3],
    'values without an operator are a set, whatever dots they hold');
  t.same(await column(`kinds?${query({ where: { i4: ['gte.1', 'lt.2'] } })}`), [1]);
});

test('messages and details say what is wrong', async t => {
  const { refused, refuses } = client(t, service);
  t.match((await refused(`owners?${query({ orderBy: Array.from({ length: 33 }, () => 'name') })}`)).message, /more than 32 sort keys/);
  t.match((await refused('owners?offset=9223372036854775807')).message, /from 0 to 9007199254740991/);
  t.same(await client(t, service).get('owners/aggregate?select=count(),,sum(pay),'), { data: [{ count: 3, sum_pay: 18 }] });
  await refuses('owners/aggregate?select=,', 400, 'MISSING_AGGREGATE_SELECT');
  for (const node of [{ type: 'xor', conditions: [] }, { conditions: [] }]) {
    await refuses(`owners?${query({ include: { groups: { logical: node } } })}`, 400, 'INVALID_LOGICAL_GROUP');
  }
  t.same(await refuses('owners?orderBy=count(boss.nope)', 400, 'UNKNOWN_ORDER_BY_FIELD'), {
    field: 'count(boss.nope)', collection: 'owners', relation: 'boss', targetCollection: 'owners',
    validFields: ['id', 'name', 'pay', 'bossId'],
  });
  t.ok((await refuses('owners?orderBy=count(nope)', 400, 'UNKNOWN_ORDER_BY_FIELD')).validRelations.includes('boss'));
});

test('settings of the database change neither the answers nor the start', async t => {
  const set = await reader(t, {
    template: 'served',
    setup: `
      do $$ begin
        execute format('alter database %I set extra_float_digits = -5', current_database());
        execute format('alter database %I set standard_conforming_strings = off', current_database());
      end $$;
      create table sizes (id integer primary key, size double precision);
      insert into sizes select n, n + 1 / 3.0::double precision from generate_series(1, 5) n;
      ${open('sizes')}`,
  });
  t.equal(await set.text('sizes/1?fields=size'), '{"id":1,"size":1.3333333333333333}');
  const { meta } = await set.get('sizes?orderBy=size&limit=2');
  t.same(await set.column(`sizes?orderBy=size&after=${meta.nextCursor}`), [3, 4, 5]);
  t.same(await set.column(`sizes?or=(id.eq.1,id.eq.2)&size=gt.0`), [2, 1]);
});
