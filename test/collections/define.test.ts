// Collections that a DBA defines in psql.
import t, { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { openService } from '../harness/service.ts';
import { collections } from '../write/client.ts';
import { provision } from './declared.ts';
import { projectOf, rowsOf, users } from './loaded.ts';

const posts = {
  slug: 'posts',
  properties: {
    id: { type: 'number', isId: 'increment' }, title: { type: 'string', validation: { required: true, max: 20 } },
    status: { type: 'enum', enum: ['live', 'draft'] },
    author: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } },
  },
  securityRules: [{ operation: 'select', access: 'public' }],
};

/** jsonb keeps no order, so who defines in psql says it. */
const inOrder = { ...posts, propertiesOrder: ['id', 'title', 'status', 'author'] };

test('a collection is defined beside those that there are, with the rows that a file would give', async t => {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  const files = { users: { ...users, securityRules: [{ ownerField: 'id' }] } };
  await sql`select service_private.define_collections(${projectOf(t, files)}::text::jsonb)`;
  t.same(await sql`select service.define_collection(${sql.json(inOrder)}) as changed`, [{ changed: true }]);
  const expected = await rowsOf(sql, projectOf(t, { ...files, posts }));
  const actual = await sql`select json_build_object('collections', (select json_agg(c order by c.slug) from service.collections c),
    'properties', (select json_agg(p order by p.collection, p.position) from service.properties p),
    'relations', (select json_agg(r order by r.collection, r.name) from service.relations r)) as rows`;
  t.same(actual[0]?.['rows'], expected);
  t.same(await sql`select service.define_collection(${sql.json(inOrder)}) as changed`, [{ changed: false }],
    'a second time nothing changes');
  await provision(sql);
  await sql`insert into posts (title, status) values ('One', 'draft')`;
  const service = await openService(url, { SERVICE_COLLECTIONS_DIR: collections(t, { slug: 'users', ...files.users }, posts) });
  t.match((await service.request('/data/posts')).body.data, [{ id: 1, title: 'One', status: 'draft', authorId: null }],
    'the same files serve it');
  await service.close();
});

test('a redefinition keeps its place and its order', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql`select service_private.define_collections(${projectOf(t, { users, posts })}::text::jsonb)`;
  await sql`select service.define_collection(${sql.json({
    ...inOrder, properties: { ...posts.properties, note: { type: 'string' } }, propertiesOrder: ['id', 'note', 'title', 'status', 'author'],
  })})`;
  t.same((await sql`select name from service.properties where collection = 'posts' order by position`).map(row => row['name'] as string),
    ['id', 'note', 'title', 'status', 'authorId']);
  t.same((await sql`select slug from service.collections order by slug`).map(row => row['slug'] as string), ['posts', 'users']);
});

test('a definition that is wrong is refused in the words of a start, and leaves nothing', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const wrong = {
    slug: 'posts',
    properties: { author: { type: 'relation', relation: { kind: 'belongsTo', target: 'nobody' } }, size: { type: 'number', scale: 2 } },
  };
  const problems = [
    { path: 'posts.properties.author.relation', problem: 'there is no collection "nobody"' },
    { path: 'posts.properties.size.scale', problem: 'needs precision' },
  ];
  const refused = await sql`select service.define_collection(${sql.json(wrong)})`.then(() => undefined,
    (error: unknown) => error as { code: string; hint: string; detail: string; message: string });
  t.match(refused,
    { code: 'GW400', hint: 'SCHEMA_CHANGE_FAILED', message: problems.map(({ path, problem }) => `${path}: ${problem}`).join('\n') });
  t.match(JSON.parse(refused?.detail ?? '{}'), { problems });
  const project = { collections: [{ file: 'posts.json', definition: wrong, broken: [] }] };
  t.same((await sql`select * from service.collection_problems(${sql.json(project)})`).map(row => ({ ...row })),
    problems.map(problem => ({ ...problem, warning: false })));
  t.same(await sql`select slug from service.collections`, []);
  t.same((await sql`select version from service.catalog`)[0]?.['version'], '1');
});

test('a start with files that did not change writes nothing', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const project = projectOf(t, { users, posts });
  const define = async () =>
    (await sql`select service_private.define_collections(${project}::text::jsonb) as changed`)[0]?.['changed'] as boolean;
  const written = async () => (await sql`select xmin::text, slug as name from service.collections
    union all select xmin::text, defined_from from service.catalog order by 2`).map(row => ({ ...row }));
  t.equal(await define(), true);
  const before = await written();
  t.equal(await define(), false);
  t.same(await written(), before);
  await sql`update service.properties set sql_type = 'integer' where name = 'title'`;
  t.equal(await define(), true, 'a catalog that somebody changed by hand is what the files say again');
});

t.end();
