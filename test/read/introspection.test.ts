import t, { test } from 'tap';
import type { Collection } from '../../gateway/catalog/document.ts';
import { createService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { client, open, query, reader } from './client.ts';

const LONG = 'l'.repeat(63);
/** A name of two-byte letters, as long as a name can be. */
const WIDE = `${'ü'.repeat(31)}x`;
const HOSTILE = [
  'sp ace', 'quo"te', 'apo\'strophe', 'back\\slash', 'Üñï', 'UPPER', '__proto__', 'constructor', '~n', '~~n', '~json', '~source1', 'a->b',
  '->c', ':a->b::c', 'a.b', 'a,b', 'a:b', 'a/b', '%s', '%I', '$1', '{}', '*', 'limit', 'where', 'or', 'd', 'r', 't', 'ctx', 'ok', 'page',
  'body', 'cursor', LONG, WIDE,
];
const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

const service = await createService(t, {
  template: 'served',
  setup: `
    create table teams (id integer primary key, name text);
    create table people (
      id uuid primary key default gen_random_uuid(), user_id text, "photoURL" text, created_at timestamptz default now(),
      team_id integer references teams,
      boss uuid references people, nick varchar(20) not null, born date not null default now(),
      number integer generated always as identity, "userId" text);
    comment on table people is 'Who works here.';
    comment on column people.nick is 'What we call them.';
    create table passports (person_id uuid primary key references people, country text);
    create table desks (floor integer, spot integer, person_id uuid unique references people, primary key (floor, spot));
    create table lamps (id integer primary key, floor integer, spot integer, foreign key (floor, spot) references desks);
    create table matches (id integer primary key, home_id integer references teams, guest_id integer references teams);
    create table skills (id integer primary key, name text);
    create table people_skills (person_id uuid references people, skill_id integer references skills,
      added timestamptz not null default now(), primary key (person_id, skill_id));
    create table rated_skills (person_id uuid references people, skill_id integer references skills,
      stars integer, primary key (person_id, skill_id));
    create table friends (one_id uuid references people, other_id uuid references people, primary key (one_id, other_id));
    create table count (id integer primary key, team_id integer references teams);
    create table keyless (n integer);
    create domain document as tsvector;
    create table papers (id integer primary key, text text, words document);
    create table bare (id integer primary key);
    create table silent (id integer primary key); alter table silent enable row level security;
    create table collections (id integer primary key);
    create table drizzle_migrations (id integer primary key);
    create view team_names with (security_invoker = 'Y') as select id, name from teams;
    create view skill_names with (security_invoker = on) as select s.name, count(*) as people
    from skills s left join people_skills p on p.skill_id = s.id group by s.name;
    comment on view skill_names is E'How many can do it.\\n@key name';
    create view loose as select id from teams;
    create view nameless with (security_invoker = on) as select upper(name) as name from teams;
    create view misnamed with (security_invoker = on) as select upper(name) as name, count(*) as n from teams group by 1;
    comment on view misnamed is '@key name, region';
    create materialized view frozen as select 1 as id;
    create table parts (id integer, region text, primary key (id, region)) partition by list (region);
    create table parts_eu partition of parts for values in ('eu');
    create table parts_us partition of parts for values in ('us');
    insert into parts values (1, 'eu'), (2, 'us');
    insert into teams values (1, 'Red'), (2, 'Blue');
    insert into people (id, nick, team_id) values ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'ann', 1);
    insert into people (id, nick, boss) values ('b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'bob', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
    insert into friends values ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
    insert into skills values (1, 'sing'); insert into people_skills select id, 1 from people;
    insert into desks values (1, 1, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), (1, 2, null);
    insert into lamps values (1, 1, 1), (2, null, null);
    insert into matches values (1, 1, 2);
    insert into passports values ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'se');
    ${open('teams', 'people', 'passports', 'desks', 'lamps', 'matches', 'skills', 'people_skills', 'rated_skills', 'friends', '"count"',
      'keyless', 'papers', 'collections', 'drizzle_migrations', 'parts')}`,
});

const collection = (from: TestService, slug: string): Collection => {
  const found = from.database.catalog.current.document.collections.find(candidate => candidate.slug === slug);
  if (!found) throw new Error(`${slug} is not served`);
  return found;
};
const names = (of: { name: string }[]) => of.map(({ name }) => name);
const relations = (slug: string) =>
  Object.fromEntries(collection(service, slug).relations.map(({ name, kind, target }) => [name, `${kind} ${target}`]));

test('the tables with row security, a policy and a key are served; junctions and partitions are not collections', t => {
  t.same([...service.database.catalog.current.slugs].sort(), [
    'count', 'desks', 'lamps', 'matches', 'papers', 'parts', 'passports', 'people', 'rated_skills', 'skill_names', 'skills', 'team_names',
    'teams',
  ]);
  t.end();
});

test('skipped tables are named, with the SQL that would serve them', async t => {
  const { skipped } = await service.database.report();
  const of = (slug: string) => skipped.find(entry => entry.slug === slug);
  t.match(of('bare'), { reason: /row security is off/, remedy: /alter table public\.bare enable row level security; create policy/ });
  t.match(of('silent'), { reason: /no policy/, remedy: /create policy .* on public\.silent/ });
  t.match(of('keyless'), { reason: /no primary key/, remedy: /alter table public\.keyless add primary key/ });
  t.match(of('loose'), { reason: /owner/, remedy: /alter view public\.loose set \(security_invoker = on\)/ });
  t.match(of('nameless'), { reason: /key/, remedy: /comment on view public\.nameless is '@key/ });
  t.match(of('misnamed'), { reason: /key/, remedy: /comment on view public\.misnamed is '@key/ });
  t.match(of('collections'), { reason: /route/ });
  t.match(of('frozen'), {
    reason: 'a materialized view, which row security cannot protect',
    remedy: /create view public\.frozen_served with \(security_invoker = on\)/,
  });
  for (const slug of ['people', 'people_skills', 'friends', 'drizzle_migrations', 'parts_eu']) t.equal(of(slug), undefined, slug);
});

test('wire names are camelCase; two columns with one go by the raw name of the later', async t => {
  t.same(names(collection(service, 'people').properties),
    ['id', 'user_id', 'photoURL', 'createdAt', 'teamId', 'boss', 'nick', 'born', 'number', 'userId']);
  const { get, column } = client(t, service);
  await service.sql`update people set user_id = 'raw', "userId" = 'camel' where nick = 'ann'`;
  t.same(await column('people?user_id=raw', 'userId'), ['camel']);
  t.same(await column('people?userId=camel', 'user_id'), ['raw']);
  t.same(await column('people?user_id=camel'), []);
  t.match(await get('people/A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11?fields=created_at'), { createdAt: String });
});

test('the description of a column', t => {
  const property = (name: string) => collection(service, 'people').properties.find(candidate => candidate.name === name);
  t.match(property('id'), { type: 'string', required: false, attributes: { isId: 'uuid' } });
  t.match(property('nick'),
    { type: 'string', required: true, nullable: false, attributes: { maxLength: 20, description: 'What we call them.' } });
  t.match(property('born'), { type: 'date', required: false });
  t.match(property('number'), { type: 'number', generated: true, required: false });
  t.match(collection(service, 'people'),
    { name: 'People', singularName: 'Person', description: 'Who works here.', key: ['id'], readOnly: false });
  t.end();
});

test('search columns are no fields, nor are domains over their type', t => {
  t.same(names(collection(service, 'papers').properties), ['id', 'text']);
  t.end();
});

test('foreign keys from both sides, several to one table, to the table itself', t => {
  t.same(relations('people'), {
    boss: 'belongsTo people', desks: 'hasOne desks', passports: 'hasOne passports', people: 'hasMany people',
    people_one_id: 'manyToMany people', people_other_id: 'manyToMany people', rated_skills: 'hasMany rated_skills',
    skills: 'manyToMany skills', team: 'belongsTo teams',
  });
  t.same(relations('matches'), { home: 'belongsTo teams', guest: 'belongsTo teams' });
  t.same(relations('teams'),
    { people: 'hasMany people', matches_home_id: 'hasMany matches', matches_guest_id: 'hasMany matches', count_2: 'hasMany count' },
    'count is a route: a relation of that name gets a number');
  t.same(relations('passports'), { person: 'belongsTo people' });
  t.same(relations('skills'), { people: 'manyToMany people', rated_skills: 'hasMany rated_skills' });
  t.same(relations('rated_skills'), { person: 'belongsTo people', skill: 'belongsTo skills' });
  t.same(relations('lamps'), { desks: 'belongsTo desks' });
  t.same(relations('desks'), { lamps: 'hasMany lamps', person: 'belongsTo people' });
  t.end();
});

test('every relation is read', async t => {
  const { get } = client(t, service);
  const [ann, bob] = (await get('people?include=*&orderBy=nick')).data;
  t.match(ann, {
    team: { name: 'Red' }, desks: { floor: 1, spot: 1 }, passports: { country: 'se' }, boss: null, skills: [{ name: 'sing' }],
    people: [{ nick: 'bob' }], rated_skills: [],
  });
  t.match(bob, { boss: { nick: 'ann' }, team: null, desks: null });
  t.equal(typeof (await get('people?nick=bob')).data[0].boss, 'string', 'without include the foreign key stands under the same name');
  t.same([...ann.people_one_id, ...ann.people_other_id].map((person: any) => person.nick), ['bob']);
  t.same([...bob.people_one_id, ...bob.people_other_id].map((person: any) => person.nick), ['ann']);
  t.match(await get('lamps/1?include=desks.person'), { desks: { floor: 1, spot: 1, person: { nick: 'ann' } } });
  t.match(await get('lamps/2?include=desks'), { desks: null });
  t.match(await get('desks/1:::1?include=lamps'), { lamps: [{ id: 1 }] });
  t.match(await get('matches/1?include=home,guest'), { home: { name: 'Red' }, guest: { name: 'Blue' } });
  t.match(await get('passports?include=person'), { data: [{ person: { nick: 'ann' } }] });
});

test('views with a known key are read-only collections', async t => {
  const { get } = client(t, service);
  t.match(collection(service, 'team_names'), { key: ['id'], readOnly: true });
  t.match(collection(service, 'skill_names'), { key: ['name'], readOnly: true, description: 'How many can do it.' });
  t.same(await get('team_names/1'), { id: 1, name: 'Red' });
  t.same(await get('skill_names/sing'), { name: 'sing', people: 2 });
  t.match(await get('skill_names?people=gt.1&orderBy=people:desc'), { data: [{ name: 'sing' }], meta: { total: 1 } });
});

test('a partitioned table is one collection', async t => {
  const { get, column } = client(t, service);
  t.same(await column('parts?orderBy=id'), [1, 2]);
  t.same(await get('parts/2:::us'), { id: 2, region: 'us' });
});

test('materialized views and foreign tables, which have no row security, are served where that is asked for', async t => {
  const setup = `
    create extension file_fdw; create server files foreign data wrapper file_fdw;
    create foreign table cities (id integer not null, name text) server files options (program 'echo 1,Tartu; echo 2,Turku', format 'csv');
    comment on foreign table cities is '@key id';
    create table towns (id integer primary key, name text); insert into towns values (1, 'Oulu'); ${open('towns')}
    create materialized view frozen as select * from towns;
    comment on materialized view frozen is '@key id';
    create materialized view keyless as select name from towns`;
  const { get, refuses, service } = await reader(t, { template: 'served', setup, env: { SERVICE_UNPROTECTED_TABLES: 'serve' } });
  t.same((await get('cities?orderBy=name:desc')).data, [{ id: 2, name: 'Turku' }, { id: 1, name: 'Tartu' }]);
  t.same(await get('cities/1'), { id: 1, name: 'Tartu' });
  t.same(await get('frozen/1'), { id: 1, name: 'Oulu' });
  t.match(collection(service, 'cities'), { readOnly: true });
  t.match(collection(service, 'frozen'), { readOnly: true });
  await refuses('keyless', 404, 'NOT_FOUND');
  t.match((await service.database.report()).skipped, [{ slug: 'keyless', reason: 'a materialized view whose key is not known' }]);
});

test('tables read by a view or a policy must be granted', async t => {
  const setup = `
    create schema private;
    create table private.films (id integer primary key, title text); insert into private.films values (1, 'Solaris');
    create table private.members (uid text); insert into private.members values ('service');
    ${open('private.films', 'private.members')}
    create view films with (security_invoker = on) as select * from private.films;
    create view titles with (security_invoker = on) as select id, title from films;
    create table notes (id integer primary key); insert into notes values (1); alter table notes enable row level security;
    create policy members on notes using (exists (select from private.members m where m.uid = (select service.uid())));
    create table writable (id integer primary key); ${open('writable')}
    create policy members on writable as restrictive for insert with check (exists (select from private.members));
    create view note_ids with (security_invoker = on) as select id from notes`;
  const { get, refuses, service } = await reader(t, { template: 'served', setup });
  const { skipped } = await service.database.report();
  t.same(skipped.map(({ slug, reason, remedy }) => [slug, reason, remedy]), [
    ['films', 'it reads private.films, which service_user may not', 'grant select on private.films to service_user;'],
    ['note_ids', 'it reads private.members, which service_user may not', 'grant select on private.members to service_user;'],
    ['notes', 'it reads private.members, which service_user may not', 'grant select on private.members to service_user;'],
    ['titles', 'it reads private.films, which service_user may not', 'grant select on private.films to service_user;'],
  ]);
  t.same((await get('writable')).data, []);
  await refuses('films', 404, 'NOT_FOUND');
  const { version } = service.database.catalog.current.document;
  await service.sql`grant select on private.films, private.members to service_user`;
  await moved(service, version);
  t.same((await get('films')).data, [{ id: 1, title: 'Solaris' }]);
  t.same(await get('titles/1'), { id: 1, title: 'Solaris' });
  t.same((await get('notes')).data, [{ id: 1 }]);
  t.same((await get('note_ids')).data, [{ id: 1 }]);
});

test('a junction of composite foreign keys, which may share a column, is a many-to-many relation', async t => {
  const { get, column, service } = await reader(t, {
    template: 'served',
    setup: `
      create table authors (tenant integer, id integer, name text, primary key (tenant, id));
      create table books (tenant integer, id integer, title text, primary key (tenant, id));
      create table authors_books (tenant integer, author_id integer, book_id integer, primary key (book_id, tenant, author_id),
        foreign key (tenant, author_id) references authors, foreign key (tenant, book_id) references books);
      create table friends (one_tenant integer, one integer, other_tenant integer, other integer,
        primary key (one_tenant, one, other_tenant, other),
        foreign key (one_tenant, one) references authors, foreign key (other_tenant, other) references authors);
      create table editions (tenant integer, book_id integer primary key, author_id integer,
        foreign key (tenant, author_id) references authors, foreign key (tenant, book_id) references books);
      insert into authors values (1, 1, 'Ann'), (1, 2, 'Bo'), (2, 1, 'Cy'); insert into books values (1, 1, 'A'), (1, 2, 'B'), (2, 1, 'C');
      insert into authors_books values (1, 1, 1), (1, 1, 2), (1, 2, 2), (2, 1, 1); insert into friends values (1, 1, 2, 1);
      ${open('authors', 'books', 'authors_books', 'friends', 'editions')}`,
  });
  t.same([...service.database.catalog.current.slugs].sort(), ['authors', 'books', 'editions'], 'a key of one column is no link of two');
  const kinds = Object.fromEntries(collection(service, 'authors').relations.map(({ name, kind, target }) => [name, `${kind} ${target}`]));
  t.same(kinds, {
    books: 'manyToMany books', authors_one_tenant_one: 'manyToMany authors', authors_other_tenant_other: 'manyToMany authors',
    editions: 'hasMany editions',
  });
  const { data } = await get('authors?include=books,authors_other_tenant_other&orderBy=name');
  t.same(data.map((author: any) => [
    author.name, author.books.map((book: any) => book.title).sort(), author.authors_other_tenant_other.map((friend: any) => friend.name),
  ]), [
    ['Ann', ['A', 'B'], ['Cy']], ['Bo', ['B'], []], ['Cy', ['C'], []],
  ]);
  t.same(await column('authors?books.title=B&orderBy=name', 'name'), ['Ann', 'Bo']);
  t.same(await column('books?authors=1:::1&orderBy=title', 'title'), ['A', 'B']);
  t.same(await column('authors/1:::1/books?orderBy=title', 'title'), ['A', 'B']);
});

test('names that PostgreSQL allows and SQL, JSON or a URL could trip over', async t => {
  const columns = HOSTILE.map(name => `${identifier(name)} text`).join(', ');
  const tableOf = (name: string) => `${name === LONG || name === WIDE ? '' : 't '}${name}`.replace('l', 'm');
  const tables = HOSTILE.map(name => `create table ${identifier(tableOf(name))} (id integer primary key, ${identifier(name)} text);
    insert into ${identifier(tableOf(name))} values (1, 'here');`);
  const { get, column, service } = await reader(t, {
    template: 'served',
    env: { SERVICE_UNPROTECTED_TABLES: 'serve' },
    setup: `create table odd (id integer primary key, ${columns}); insert into odd (id) values (1), (2);
      create table ${identifier(LONG)} (${identifier(LONG)} integer primary key, parent integer references odd);
      create table "odd.linked" (${identifier('~n')} integer references odd, ${identifier('~json')} integer references ${identifier(LONG)},
        primary key (${identifier('~n')}, ${identifier('~json')}));
      insert into ${identifier(LONG)} values (1, 1), (2, 1); insert into "odd.linked" values (1, 1), (2, 2);
      ${tables.join('\n')}`,
  });
  const wire = (name: string) => collection(service, 'odd').properties[HOSTILE.indexOf(name) + 1]?.name ?? '';
  await service.sql.unsafe(`update odd set ${HOSTILE.map(name => `${identifier(name)} = 'value of ' || id`).join(', ')}`);
  const all = (names: string[], value: unknown) =>
    JSON.parse(`{${names.map(name => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`) as object;
  t.same(await column(`odd?${query({ where: all(HOSTILE.map(wire), 'value of 1') })}`), [1]);
  t.same(await column(`odd?${query({ where: all(HOSTILE, ['in', ['value of 2', 'x']]) })}`), [2], 'as the columns are named');
  t.same(await column(`odd?${HOSTILE.filter(name => !['limit', 'where', 'or', 'page'].includes(name)).map(name =>
    query({ [name]: 'eq.value of 2' })).join('&')}`), [2]);
  for (const names of [HOSTILE.slice(0, 20), HOSTILE.slice(20)]) {
    const orderBy = names.map(name => ({ field: wire(name), direction: 'desc' }));
    const first = await get(`odd?${query({ orderBy, limit: 1 })}`);
    t.same([first.data[0].id, await column(`odd?limit=1&after=${first.meta.nextCursor}`)], [2, [1]]);
  }
  for (const name of HOSTILE) {
    const slug = encodeURIComponent(tableOf(name));
    t.same(Object.values((await get(`${slug}?include=*`)).data[0]), [1, 'here'], slug);
  }
  const row = await get('odd/1');
  t.same(Object.keys(row), ['id', ...HOSTILE.map(wire)]);
  t.same(Object.values(row), [1, ...HOSTILE.map(() => 'value of 1')]);
  const [many = '', linked = ''] = ['hasMany', 'manyToMany'].map(kind =>
    collection(service, 'odd').relations.find(relation => relation.kind === kind)?.name);
  t.same((await get('odd/1?include=*'))[many].map((row: any) => row[LONG]), [2, 1]);
  t.same((await get(`odd/1?${query({ include: { [linked]: { limit: 5, orderBy: [[LONG, 'asc']], include: { parent: true } } } })}`))[linked]
    .map((row: any) => [row[LONG], row.parent.id]), [[1, 1]]);
});

test('an arrow leads into JSON, unless a column is named with it', async t => {
  const { column, refuses } = await reader(t, {
    template: 'served',
    setup: `create table arrows (id integer primary key, a jsonb, "a->b" jsonb, "x->y" text);
      create table bows (id integer primary key, arrow_id integer references arrows, a jsonb);
      insert into arrows values (1, '{"b": {"c": "of a"}, "d": "e"}', '{"c": "own"}', 'z'); insert into bows values (2, 1, '{"b": "json"}');
      ${open('arrows', 'bows')}`,
  });
  t.same(await column('arrows?a->d=e'), [1]);
  t.same(await column('arrows?a->b->c=own'), [1]);
  t.same(await column('arrows?a->b->>c=of a'), []);
  t.same(await column('arrows?or=(x->y.eq.z,id.eq.9)'), [1]);
  t.same(await column(`bows?${query({ where: { 'arrow.x->y': 'z', 'arrow.a->b->c': 'own', 'arrow.a->d': 'e' } })}`), [2]);
  t.match(await refuses('bows?b->x=1', 400, 'UNKNOWN_FILTER_FIELD'), { field: 'b' });
});

test('names longer than PostgreSQL\'s, made of several', async t => {
  const { get, service } = await reader(t, {
    template: 'served',
    setup: `create table ${LONG} (id integer primary key, ${'a'.repeat(59)}_id integer references ${LONG},
      ${'a'.repeat(58)}b_id integer references ${LONG});
      insert into ${LONG} values (1, null, null), (2, 1, null); ${open(LONG)}`,
  });
  const many = names(collection(service, LONG).relations);
  t.equal(new Set(many).size, 4);
  for (const relation of many) t.ok(Buffer.byteLength(relation) <= 63, relation);
  t.same(Object.keys(await get(`${LONG}/1?include=*`)).slice(3).sort(), many.toSorted());
  for (const relation of many) t.ok(relation in await get(`${LONG}/1?include=${relation}`));
});

test('DDL is seen without a restart', async t => {
  const { get, refuses, service } = await reader(t,
    { template: 'served', setup: `create table one (id integer primary key); ${open('one')}` });
  const after = async (ddl: string) => {
    const { version } = service.database.catalog.current.document;
    await service.sql.unsafe(ddl).simple();
    await moved(service, version);
  };
  await after('alter table one add column more text');
  t.same((await get('one')).data, []);
  await service.sql`insert into one values (1, 'x')`;
  t.same(await get('one/1'), { id: 1, more: 'x' });
  await after(`create table two (id integer primary key, one_id integer references one); ${open('two')} insert into two values (5, 1)`);
  t.match(await get('one/1?include=two'), { two: [{ id: 5 }] });
  await after('alter table one rename column more to less');
  await refuses('one?more=x', 400, 'UNKNOWN_FILTER_FIELD');
  t.same((await get('one?less=x')).data, [{ id: 1, less: 'x' }]);
  await after('drop table two');
  await refuses('two', 404, 'NOT_FOUND');
  await refuses('one/1?include=two', 400, 'UNKNOWN_RELATION');
  await after('alter table one disable row level security');
  await refuses('one', 404, 'NO_COLLECTIONS');
});

async function moved({ database: { catalog } }: TestService, version: number): Promise<void> {
  await until('the catalog moves', () => catalog.current.document.version !== version);
}
