import { test, type Test } from 'tap';
import { runGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, storeTables } from '../harness/service.ts';

const posts = {
  slug: 'posts',
  properties: {
    id: { type: 'string', isId: 'uuid' },
    title: { type: 'string', validation: { required: true, matches: '^[A-Z]' } },
    author: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } },
    tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags' } },
  },
  securityRules: [{ operation: 'select', access: 'public' }],
};
const users = { slug: 'users', properties: {
  id: { type: 'string', isId: 'manual' },
  posts: { type: 'relation', relation: { kind: 'hasMany', target: 'posts', foreignKeyOnTarget: 'author_id' } },
} };
const tags = { slug: 'tags', properties: { id: { type: 'number', isId: 'increment' }, label: { type: 'string' } } };

function directory(t: Test, files: Record<string, object | string>): string {
  return t.testdir(Object.fromEntries(Object.entries(files).map(([name, content]) =>
    [name, typeof content === 'string' ? content : JSON.stringify(content)])));
}

test('collections from files are provisioned and served, with their relations', async t => {
  const { request, sql } = await createService(t, {
    template: 'served', env: { SERVICE_COLLECTIONS_DIR: directory(t, { 'posts.json': posts, 'users.json': users, 'tags.json': tags }) },
  });
  await sql`insert into users values ('ann')`;
  await sql`insert into posts (title, author_id) values ('Hello', 'ann')`;
  const answer = await request('/data/posts?include=author,tags');
  t.equal(answer.status, 200, answer.text);
  t.match(answer.body.data, [{ title: 'Hello', authorId: 'ann', author: { id: 'ann' }, tags: [] }]);
  t.match((await request('/data/users?include=posts')).body.data, [{ id: 'ann', posts: [{ title: 'Hello' }] }]);
});

test('a second boot writes nothing; a changed file moves the version; the schema version only with properties and relations', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const stamp = async (files: Record<string, object>) => {
    const service = await openService(url, { SERVICE_COLLECTIONS_DIR: directory(t, files) });
    const [row] = await sql`select c.version, c.schema_version,
      c.xmin::text, (select array_agg(distinct p.xmin::text) from service.properties p) as written from service.catalog c`;
    await service.close();
    return row;
  };
  const first = await stamp({ 'posts.json': posts, 'users.json': users, 'tags.json': tags });
  t.same(await stamp({ 'posts.json': posts, 'users.json': users, 'tags.json': tags }), first);
  const ruled = await stamp({ 'posts.json': { ...posts, securityRules: [] }, 'users.json': users, 'tags.json': tags });
  t.ok(Number(ruled?.['version']) > Number(first?.['version']));
  t.equal(ruled?.['schema_version'], first?.['schema_version']);
  const wider = await stamp({
    'posts.json': { ...posts, properties: { ...posts.properties, subtitle: { type: 'string' } } }, 'users.json': users, 'tags.json': tags,
  });
  t.not(wider?.['schema_version'], first?.['schema_version']);
});

test('bad files stop boot with all problems, and nothing is done', async t => {
  const { url, sql } = await createDatabase(t);
  const files = directory(t, {
    'posts.json': { ...posts, properties: {
      ...posts.properties, code: { type: 'string', validation: { matches: '([a-z' } },
      flags: { type: 'string', validation: { matches: '/a/gi' } },
    } },
    'broken.json': '{\n  "slug": "broken",\n}',
  });
  await t.rejects(openService(url, { SERVICE_COLLECTIONS_DIR: files }), {
    name: 'BootError',
    message: new RegExp([
      '^posts.properties.author.relation: there is no collection "users"',
      'posts.properties.code.validation.matches: invalid regular expression: .*',
      'posts.properties.flags.validation.matches: gi is not a flag; i is the only one',
      'posts.properties.tags.relation: there is no collection "tags"',
      '.*broken.json:3:1: property name expected$',
    ].join('\n')),
  });
  t.same(await sql`select slug as name from service.collections union all select relname from pg_class
    where relnamespace = 'public'::regnamespace`, []);
});

test('a rule with an unknown field is reported with the known ones', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const ruled = (using: string) => directory(t, { 'tags.json': { ...tags, securityRules: [{ operation: 'select', using }] } });
  const env = (using: string) => ({ SERVICE_COLLECTIONS_DIR: ruled(using) });
  await t.rejects(openService(url, env(`{state} = 'open' or { lable } = '{label}'`)), {
    name: 'BootError', message: 'tags.securityRules[0].using: {lable}, {state} is no field of tags; it has id, label',
  });
  t.same(await sql`select slug from service.collections`, []);
  await (await openService(url, env(`{label} = '{state}'`))).close();
});

test('SERVICE_MIGRATE_ON_BOOT=none makes no table', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const files = { SERVICE_COLLECTIONS_DIR: directory(t, { 'tags.json': tags }) };
  await (await openService(url)).close(); // makes the logins
  await (await openService(url, { ...files, SERVICE_MIGRATE_ON_BOOT: 'none' })).close();
  t.same(await sql`select relname from pg_class where relname = 'tags'`, []);
  await (await openService(url, files)).close();
  t.match(await sql`select relname from pg_class where relname = 'tags'`, [{ relname: 'tags' }]);
});

test('files take the place of tables, and tables of files', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served_store' });
  const slugs = async (env: Record<string, string>) => {
    const service = await openService(url, env);
    const found = [...service.database.catalog.current.slugs];
    await service.close();
    return found;
  };
  t.ok((await slugs(storeTables)).includes('products'));
  t.same(await slugs({ SERVICE_COLLECTIONS_DIR: directory(t, { 'labels.json': { slug: 'labels' } }) }), ['labels']);
  t.ok((await slugs(storeTables)).includes('products'));
  t.same(await sql`select slug from service.collections where source = 'file'`, []);
});

test('SERVICE_PROVISION_ONLY ends when the tables are there; the second run says and does nothing', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const wide = { slug: 'wide', properties: {
    id: { type: 'number', isId: 'increment', columnType: 'bigint' }, code: { type: 'string', validation: { unique: true } },
    kind: { type: 'enum', enum: ['b', 'a'], defaultValue: 'a' },
    price: { type: 'number', columnType: 'numeric', precision: 10, scale: 2, defaultValue: 0 },
    names: { type: 'array', of: { type: 'string' }, defaultValue: ['it\'s "quoted"\\'] }, place: { type: 'geopoint' },
    raw: { type: 'binary' }, at: { type: 'date', columnType: 'time' }, changed: { type: 'date', autoValue: 'on_update' },
    'we"ird': { type: 'string', columnName: 'we"i\'rd' }, parent: { type: 'relation', relation: { kind: 'belongsTo', target: 'wide' } },
    friends: { type: 'relation', relation: { kind: 'manyToMany', target: 'wide' } },
  }, indexes: [
    { on: ['kind', { prop: 'price', direction: 'desc' }], reason: 'the front page', where: { prop: 'code', op: 'is not null' } },
  ] };
  const env = {
    DATABASE_URL: url, SERVICE_PROVISION_ONLY: '1', LOG_LEVEL: 'debug', SERVICE_COLLECTIONS_DIR: directory(t, { 'wide.json': wide }),
  };
  const first = await runGateway(t, env);
  t.equal(first.code, 0, first.output);
  t.match(first.output, /create table public\.wide/i);
  const second = await runGateway(t, env);
  t.equal(second.code, 0, second.output);
  t.notMatch(second.output, /provisioned/);
  t.notMatch(second.output, /WARN/, 'what is there is what was asked for');
  await sql`insert into wide default values`;
  t.match(await sql`select id::text, kind::text, price::text, names from wide`,
    [{ id: '1', kind: 'a', price: '0.00', names: ['it\'s "quoted"\\'] }]);
});

test('bad files end the process with one line each', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const { code, stderr } = await runGateway(t,
    { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: directory(t, { 'a.json': { slug: 'a', path: 'b', rls: [] } }) });
  t.equal(code, 1);
  t.equal(stderr, 'a.path: of document databases; use table\na.rls: has another name: securityRules\n');
});
