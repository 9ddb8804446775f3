import t, { test } from 'tap';
import { createService } from '../harness/service.ts';
import { client, open, query } from './client.ts';

// Where the extensions live in a schema that is on no search path, as many hosts have it, their operators must be qualified.
const service = await createService(t, {
  template: 'served',
  setup: `
    create schema "my %s ext"; create extension hstore schema "my %s ext"; create extension ltree schema "my %s ext";
    create extension citext schema "my %s ext";
    create domain nick as varchar(20); create domain address as "my %s ext".citext;
    create table kinds (id integer primary key, h "my %s ext".hstore, l "my %s ext".ltree,
      c "my %s ext".citext, n nick, a address, ls "my %s ext".ltree[], cs "my %s ext".citext[]);
    insert into kinds values (1, 'a=>1', 'a.b', 'Citext One', 'Nick One', 'One@x', '{a,b}', '{One}'),
    (2, 'b=>2', 'a.c', 'Two', 'two', 'TWO@x', null, null), (3, null, null, null, null, null, null, null);
    create table trees (path "my %s ext".ltree primary key, parent "my %s ext".ltree references trees, mail "my %s ext".citext unique);
    create table leaves (path "my %s ext".ltree references trees, n integer, owner "my %s ext".citext references trees (mail),
      primary key (path, n));
    create table twigs (id integer primary key, path "my %s ext".ltree, n integer, foreign key (path, n) references leaves);
    create table grafts (a "my %s ext".ltree references trees, b "my %s ext".ltree references trees, primary key (a, b));
    create table words (word text primary key);
    create table uses (id integer primary key, word "my %s ext".citext references words);
    insert into trees values ('a', null, 'A@x'), ('a.b', 'a', 'b@x'); insert into leaves values ('a.b', 1, 'a@X'), ('a', 2, 'B@x');
    insert into twigs values (1, 'a.b', 1), (2, 'a', 2);
    insert into grafts values ('a', 'a.b'); insert into words values ('x'), ('y'); insert into uses values (1, 'x');
    create view paths with (security_invoker = on) as select l as path, c as name from kinds; comment on view paths is '@key path, name';
    ${open('kinds', 'trees', 'leaves', 'twigs', 'grafts', 'words', 'uses')}`,
});

test('they are filtered by their own operators', async t => {
  const { column } = client(t, service);
  const cases: [filter: Record<string, string>, ids: number[]][] = [
    [{ h: 'a=>1' }, [1]], [{ h: 'neq.a=>1' }, [2]], [{ h: 'in.(a=>1,b=>2)' }, [1, 2]], [{ l: 'a.b' }, [1]], [{ l: 'gt.a.b' }, [2]],
    [{ l: 'lte.a.b' }, [1]], [{ l: 'nin.(a.b)' }, [2]], [{ c: 'CITEXT one' }, [1]], [{ c: 'in.(two,x)' }, [2]], [{ c: 'neq.TWO' }, [1]],
    [{ c: 'gt.D' }, [2]], [{ a: 'two@X' }, [2]], [{ n: 'two' }, [2]], [{ ls: 'cs.a' }, [1]], [{ cs: 'cs.one' }, [1]],
    [{ or: '(l.eq.a.c,c.eq.citext one)' }, [1, 2]], [{ not: '(l.eq.a.c)' }, [1, 3]],
  ];
  for (const [filter, ids] of cases) t.same(await column(`kinds?orderBy=id&${query(filter)}`), ids, JSON.stringify(filter));
});

test('they are followed by cursors, keys and relations', async t => {
  const { get, column, refuses } = client(t, service);
  for (const [slug, key, order] of [
    ['kinds', 'id', 'l:asc'], ['kinds', 'id', 'l:desc'], ['kinds', 'id', 'c:asc'], ['kinds', 'id', 'c:desc'], ['paths', 'path', 'name'],
    ['paths', 'path', 'path:desc'], ['paths', 'path', ''],
  ] as const) {
    const all = await column(`${slug}?orderBy=${order}`, key);
    const walked: unknown[] = [];
    for (let path = `${slug}?orderBy=${order}&limit=1`; ;) {
      const page = await get(path);
      walked.push(...page.data.map((row: Record<string, unknown>) => row[key]));
      if (!page.meta.hasMore) break;
      path = `${slug}?limit=1&after=${page.meta.nextCursor}`;
    }
    t.same([walked.length, walked], [3, all], `${slug} ${order}`);
  }
  t.equal((await get('trees/a.b')).mail, 'b@x');
  await refuses('trees/a.x', 404, 'NOT_FOUND');
  t.same(await column('trees/a/trees', 'path'), ['a.b']);
  t.match(await get('leaves/a.b:::1?include=owner,twigs'), { owner: { path: 'a' }, twigs: [{ id: 1 }] });
  t.match((await get('twigs?include=leaves&orderBy=id')).data, [{ leaves: { owner: 'a@X' } }, { leaves: { owner: 'B@x' } }]);
  t.match((await get('trees?include=*&orderBy=path')).data,
    [{ trees: [{ path: 'a.b' }], leaves_owner: [{ n: 1 }] }, { trees: [], parent: { path: 'a' }, leaves_owner: [{ n: 2 }] }]);
  t.same(await column('trees?parent.mail=a@X', 'path'), ['a.b']);
  t.same(await column('trees?orderBy=count(trees):desc', 'path'), ['a', 'a.b']);
  t.match((await get('words?include=uses&orderBy=word')).data, [{ uses: [{ id: 1 }] }, { uses: [] }],
    'a foreign key that is of another type than its key');
});

test('citext and domains of text are searched', async t => {
  const { column } = client(t, service);
  for (const [text, ids] of [['citext', [1]], ['nick', [1]], ['two@', [2]], ['one two', []]] as const) {
    t.same(await column(`kinds?${query({ searchString: text })}`), ids, text);
  }
});
