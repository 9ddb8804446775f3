import t, { test } from 'tap';
import { createService } from '../harness/service.ts';
import { client, open } from './client.ts';

const service = await createService(t, {
  template: 'served',
  setup: `
    create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    create table clients (id integer primary key, name text not null, code varchar(8) not null unique);
    create table projects (id integer primary key, client_id integer references clients, code text,
      a integer not null, b integer not null, unique (a, b));
    create table titles (project_id integer, lang text, title text, primary key (project_id, lang));
    create table numbers (u integer unique, x integer);
    create table texts (id text primary key);
    create table loose_texts (id text collate loose primary key);
    create table partial (id integer); create unique index on partial (id) where id > 0;
    create table folded (id text); create unique index on folded (lower(id));
    create table parts (id integer primary key, v integer) partition by range (id);
    create table parents (id integer primary key); create table children () inherits (parents);
    insert into parents values (1); insert into children values (1);
    insert into clients values (1, 'one', '1'), (2, 'two', '2');
    insert into projects select n, 1 + n % 2, '1', n, n from generate_series(1, 4) n;
    ${open('clients', 'projects', 'titles', 'numbers', 'texts', 'loose_texts', 'partial', 'folded', 'parts', 'parents')}`,
});
const { sql } = service;

/** The key that is inferred for a view of this query, as column names. */
async function keyOf(definition: string): Promise<string> {
  const rollback = new Error('the view is not kept');
  let key = '';
  await sql.begin(async transaction => {
    await transaction.unsafe(`create view tried as ${definition}`);
    const [row] = await transaction`select array_to_string(service_private.column_names(k.relation, k.key), ',') as key
      from service_private.row_keys(array['tried'::regclass]) k`;
    key = row?.['key'] ?? '';
    throw rollback;
  }).catch((error: unknown) => {
    if (error !== rollback) throw error;
  });
  return key;
}

const PROVED: Record<string, string[]> = {
  'id': [
    'select * from projects',
    'select id, a from projects where a > 1 order by b limit 5',
    'select distinct id, a from projects',
    'select id, row_number() over (order by a) from projects',
    'select p.id, (select c.name from clients c where c.id = p.client_id) from projects p where exists (select from clients c join '
      + 'projects o on o.id = c.id)',
    'select p.id, c.name from projects p join clients c on c.id = p.client_id',
    'select p.id, c.name from projects p join clients c on p.client_id = c.id',
    'select p.id, c.name from projects p, clients c where c.id = p.client_id and a > 1',
    'select p.id, c.name from projects p left join clients c on c.id = p.client_id',
    'select p.id, c.name from clients c right join projects p on c.id = p.client_id',
    'select p.id from projects p join clients c using (id)',
    'select p.id from projects p join clients c on c.code = p.code',
    'select p.id from projects p join numbers n on n.u = p.a',
    'select p.id from projects p left join titles t on t.project_id = p.id and t.lang = \'en\'',
    'select p.id from projects p join titles t on t.project_id = p.id where t.lang = \'en\'',
    'select p.id from projects p left join clients c on c.id = p.client_id left join numbers n on n.u = c.id',
    'select p.id from projects p cross join clients c left join numbers n on n.u = p.id where c.id = p.a',
    'select p.id from projects p left join (clients c join numbers n on n.u = c.id) on c.id = p.client_id',
    'select p.id, o.a from projects p join projects o on o.id = p.a',
    'select p.id from projects p join loose_texts t on t.id = p.code',
    'select parts.id, c.name from parts join clients c on c.id = parts.v',
    'select c.id, count(*) from clients c left join projects p on p.client_id = c.id group by c.id',
    'select c.id, c.name, count(p) from clients c left join projects p on p.client_id = c.id group by 1, 2 having count(*) > 1',
    'select p.id, c.name, count(*) from projects p join clients c on c.id = p.client_id left join titles t on t.project_id = p.id group by '
      + 'p.id, c.name',
  ],
  'other': ['select p.a as id, o.id as other from projects p join projects o on p.id = o.a'],
  'x': ['select id as x, id as y from projects'],
  'project_id,lang': ['select t.project_id, t.lang, p.a from titles t join projects p on p.id = t.project_id'],
};

const UNPROVED = [
  'select c.id, p.a from projects p join clients c on c.id = p.client_id',
  'select c.id, p.a from clients c left join projects p on p.client_id = c.id',
  'select p.id, c.name from clients c left join projects p on p.client_id = c.id',
  'select p.id, c.name from projects p right join clients c on c.id = p.client_id',
  'select p.id, c.name from projects p full join clients c on c.id = p.client_id',
  'select id/10 as id from projects', 'select id::bigint as id from projects', 'select a from projects',
  'select id from projects union all select id from clients', 'select id from projects union select id from clients',
  'select id, unnest(array[1, 2]) from projects', 'select id, generate_series(1, 2) + 1 from projects',
  'select id from projects, generate_series(1, 2)', 'select p.id from projects p, lateral (values (1), (2)) v',
  'select p.id from projects p join clients c on c.id = p.client_id or c.id = 1',
  'select p.id from projects p join clients c on c.id > p.client_id',
  'select p.id from projects p join clients c on c.id + 0 = p.client_id', 'select p.id from projects p join clients c on c.name = p.code',
  'select p.id from projects p join numbers n on n.x = p.a',
  'select p.id from projects p left join titles t on t.project_id = p.id',
  'select t.project_id, p.a from titles t join projects p on p.id = t.project_id',
  // The condition of a left join says nothing of the rows on its left.
  'select p.id from projects p left join projects o on p.id = 1',
  'select p.id from (projects p cross join clients c) left join numbers n on n.u = p.id and c.id = n.x',
  'select p.id from projects p left join (clients c left join numbers n on c.id = 1) on true',
  'select p.id from projects p left join titles t on p.a = 1 where t.lang is null',
  'select p.id from projects p join parents on parents.id = p.a', 'select id from parents',
  'select p.id from projects p join partial on partial.id = p.a', 'select p.id from projects p join folded on folded.id = p.code',
  // Equal in a sense that tells less apart than the index.
  'select p.id from projects p join texts t on t.id = p.code collate loose', 'select id collate loose as id from texts',
  'select c.id, p.a, count(*) from clients c left join projects p on p.client_id = c.id group by c.id, p.a',
  'select p.id, count(*) from clients c left join projects p on p.client_id = c.id group by p.id',
  'select c.id, count(*) from clients c group by rollup (c.id)',
  'select c.id, count(*) from clients c group by c.id, grouping sets ((c.name), ())', 'select name, count(*) from clients group by name',
  'select count(*) as id from clients', 'select s.id from (select id from projects union all select id from projects) s', 'values (1)',
];

test('a view has the key of the table of which each row stands in it at most once', async t => {
  for (const [key, definitions] of Object.entries(PROVED)) {
    for (const definition of definitions) t.equal(await keyOf(definition), key, definition);
  }
});

test('where that is not proved, a view has no key', async t => {
  for (const definition of UNPROVED) t.equal(await keyOf(definition), '', definition);
});

test('each stored query can be read, with any names in it', async t => {
  await sql.unsafe(`create table odd ("a :b (c) {d} [ 1 ] ""e"" \\ <>" integer primary key, "[" integer, "<>" integer, ":x" integer);
    create view "odd view" as select ":x".* from odd ":x" join clients "{" on "{".id = ":x".":x" and '{ :node 1' <> E'\\x01'`).simple();
  const [row] = await sql`select array_to_string(service_private.column_names(k.relation, k.key), ',') as key
    from service_private.row_keys(array['"odd view"'::regclass]) k`;
  t.equal(row?.['key'], 'a :b (c) {d} [ 1 ] "e" \\ <>');
  const trees = await sql`select ev_class::regclass::text as view, service_private.node_tree(ev_action::text) -> 0 ->> 'node' as root
    from pg_rewrite where ev_class < 16384`;
  t.ok(trees.length > 100);
  t.same(trees.filter(({ root }) => root !== 'QUERY'), []);
});

test('rows of a view are walked and found by the key that it has', async t => {
  await sql.unsafe(`
    create view project_clients with (security_invoker = on) as select p.id, c.name, c.id as client
    from projects p join clients c on c.id = p.client_id;
    create view client_projects with (security_invoker = on) as select c.id, p.a from projects p join clients c on c.id = p.client_id;
    create view said with (security_invoker = on) as select a / 1 as n from projects; comment on view said is 'Numbers. @key n';
    create view lacking with (security_invoker = on) as select id from projects; comment on view lacking is '@key id, region'`).simple();
  await service.database.catalog.refresh();
  const { get, refuses } = client(t, service);
  const walked = [];
  for (let page = await get('project_clients?limit=1'); ; page = await get(`project_clients?limit=1&after=${page.meta.nextCursor}`)) {
    walked.push(...page.data);
    if (!page.meta.hasMore) break;
  }
  t.same(walked.map(({ id, client }) => [id, client]), [[4, 1], [3, 2], [2, 1], [1, 2]]);
  t.match(await get('project_clients/2'), { id: 2, name: 'one' });
  t.same(await get('said/3'), { n: 3 });
  await refuses('client_projects', 404, 'NOT_FOUND');
  await refuses('lacking', 404, 'NOT_FOUND');
  const { skipped } = await service.database.report();
  t.match(skipped.find(({ slug }) => slug === 'client_projects'),
    { reason: 'a view whose key is not known', remedy: 'comment on view public.client_projects is \'@key …\';' });
  t.match(skipped.find(({ slug }) => slug === 'lacking'), { reason: 'its comment names a key with a column that it does not have' });
});

test('a table without a primary key has a unique index of columns that are not null', async t => {
  await sql.unsafe(`
    create table two (id integer not null, e integer not null, s text not null, n integer unique, unique (id, e), unique (s));
    create table chosen (a integer not null unique, b integer not null, unique (b));
    alter table chosen replica identity using index chosen_b_key;
    create table nullable (n integer unique);
    create table half (n integer not null); create unique index on half (n) where n > 0;
    insert into two values (1, 1, 'x y'); insert into chosen values (1, 2);
    ${open('two', 'chosen', 'nullable', 'half')}`).simple();
  await service.database.catalog.refresh();
  const { get, refuses } = client(t, service);
  t.same(await get('two/x%20y'), { id: 1, e: 1, s: 'x y', n: null });
  t.same(await get('chosen/2'), { a: 1, b: 2 });
  for (const slug of ['nullable', 'half', 'parents']) await refuses(slug, 404, 'NOT_FOUND');
  const { skipped } = await service.database.report();
  t.match(skipped.find(({ slug }) => slug === 'parents'), { reason: /inherit/, remedy: 'comment on table public.parents is \'@key …\';' });
  await sql`comment on table parents is '@key id'`;
  await service.database.catalog.refresh();
  t.match(await get('parents'), { meta: { total: 2 } });
});
