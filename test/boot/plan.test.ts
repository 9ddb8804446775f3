// rowgate plan: the DBA's front door.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { provision } from '../collections/declared.ts';
import { projectOf } from '../collections/loaded.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the templates
import { emptyFolder, runCommand } from './gateway.ts';

const id = { type: 'number', isId: 'increment' };
const everyone = [{ access: 'public' }];
const posts = { properties: { id, title: { type: 'string' } }, securityRules: everyone };
/** Later wishes of the same project: for a table with rows, and for one that does not exist. */
const later = {
  posts: {
    properties: {
      id, title: { type: 'string', validation: { required: true } }, token: { type: 'string', columnType: 'uuid' },
      made: { type: 'date', autoValue: 'on_create' },
      author: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } },
    },
    search: { fields: ['title'] }, indexes: [{ on: ['title'], reason: 'Lists by title.' }],
    securityRules: [...everyone, { operation: 'delete', roles: ['staff'], name: 'mine' }],
  },
  users: { properties: { id }, securityRules: everyone },
};

function write(folder: string, files: Record<string, object>): void {
  mkdirSync(join(folder, 'collections'), { recursive: true });
  for (const [slug, definition] of Object.entries(files)) {
    writeFileSync(join(folder, 'collections', `${slug}.json`), JSON.stringify({ slug, ...definition }));
  }
}

/** A project whose posts are provisioned and have so many rows. */
async function project(t: Test, rows: number) {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  await sql`select service_private.define_collections(${projectOf(t, { posts })}::text::jsonb)`;
  await provision(sql);
  await sql`insert into posts (title) select repeat('x', 40) from generate_series(1, ${rows})`;
  await sql`analyze posts`;
  const folder = emptyFolder(t);
  write(folder, { posts });
  return { sql, folder, plan: (...flags: string[]) => runCommand(t, ['plan', ...flags], { DATABASE_URL: url }, folder) };
}

test('nothing to do is said, and changes nothing', async t => {
  const { plan, folder, sql } = await project(t, 0);
  t.match(await plan('--check', '--write'),
    { code: 0, output: 'The database is what the collection files ask for.\n', stderr: /current\.sql: nothing to write\.\n$/ });
  write(folder, later);
  t.match(await plan(), { code: 0 });
  t.same(await sql`select slug from service.collections`, [{ slug: 'posts' }], 'a plan of more leaves no trace');
  t.same(await sql`select to_regclass('public.users') as users`, [{ users: null }]);
});

test('the riskiest step is first, with its lock, its reads, and the safer way', async t => {
  const { plan, folder } = await project(t, 120_000);
  write(folder, later);
  const { code, output } = await plan('--check');
  t.equal(code, 2);
  const blocks = output.trim().split('\n\n');
  t.match(blocks[0], /^\d+ statements, 1 difference that a start leaves\.$/);
  t.match(blocks[1],
    /^high {3}public\.posts\.search_vector: lock: access exclusive; rewrites 120,000 rows, \d+ MiB\n\+ alter table public\.posts\n/);
  t.match(blocks[1], /\n\+ {3}add column search_vector [^]*\n {2}Safer: /);
  const foreignKey = blocks.find(block => block.includes('foreign key'));
  t.match(foreignKey,
    /^high {3}public\.posts\.posts_author_id_fkey: lock: share row exclusive; scans 120,000 rows, \d+ MiB\n\+ alter table /);
  t.match(foreignKey, /\n {2}Safer: .*not valid.*validate/);
  t.match(blocks.find(block => block.includes('create index concurrently') && block.includes('(title)')),
    /^low {4}.*lock: share update exclusive; scans 120,000 rows, .* runs by itself, beside readers and writers\n/);
  t.match(blocks.find(block => block.includes('add column token')), /^low {4}public\.posts\.token: lock: access exclusive\n/);
  t.match(blocks.find(block => block.includes('create table public.users')),
    /^none {3}public\.users: locks no table that is there\n\+ create table public\.users \(\n\+ /);
  t.match(blocks.at(-1),
    /^held {3}public\.posts\.title: The table has rows, so NOT NULL is withheld\.\n {2}update public\.posts set title = … /);
  const ranks = blocks.slice(1, -1).map(block => ['high', 'medium', 'low', 'none'].indexOf(/^\w+/.exec(block)?.[0] ?? ''));
  t.same(ranks, ranks.toSorted());
  t.ok(ranks.every(rank => rank >= 0));
});

test('every kind of statement has a lock of its own, as PostgreSQL takes it', async t => {
  const { plan, folder, sql } = await project(t, 10);
  write(folder, later);
  const steps = JSON.parse((await plan('--json')).output) as {
    kind: string; target: string; statement: string | null; concurrent: boolean; lock: string | null;
  }[];
  const locking = steps.filter(({ lock }) => lock !== null).map(({ kind }) => kind);
  t.ok(new Set(locking).size >= 6, locking.join());
  await sql`select service_private.define_collections(${projectOf(t, later)}::text::jsonb)`;
  for (const { statement, lock, concurrent } of steps) if (statement !== null && !concurrent) {
    const held = await sql.begin(async transaction => {
      await transaction.unsafe(statement);
      return transaction<{ mode: string }[]>`select mode from pg_locks
        where relation = 'public.posts'::regclass and pid = pg_backend_pid() and granted`;
    });
    const strongest = LOCKS.findLast(({ name }) => held.some(({ mode }) => mode === name))?.words;
    if (lock !== null) t.equal(strongest, lock, statement);
    else t.ok(strongest === undefined || LOCKS.findIndex(({ words }) => words === strongest) <= 5, `${strongest ?? 'none'}: ${statement}`);
  }
});

const LOCKS = [
  ['AccessShareLock', 'access share'], ['RowShareLock', 'row share'], ['RowExclusiveLock', 'row exclusive'],
  ['ShareUpdateExclusiveLock', 'share update exclusive'], ['ShareLock', 'share'], ['ShareRowExclusiveLock', 'share row exclusive'],
  ['ExclusiveLock', 'exclusive'], ['AccessExclusiveLock', 'access exclusive'],
].map(([name, words]) => ({ name, words }));

test('the output is what a migration runs, after its current content', async t => {
  const { plan, folder, sql } = await project(t, 0);
  write(folder, later);
  mkdirSync(join(folder, 'migrations'));
  writeFileSync(join(folder, 'migrations/current.sql'), '-- mine\nselect 1;\n');
  t.match(await plan('--write'),
    { code: 0, stderr: /migrations\/current\.sql: \d+ statements written, 0 statements noted that must run alone\.\n$/ });
  const script = readFileSync(join(folder, 'migrations/current.sql'), 'utf8');
  t.match(script, /^-- mine\nselect 1;\n\n[^]*create table public\.users \([^]*;\n$/);
  await sql`select service_private.define_collections(${projectOf(t, later)}::text::jsonb)`;
  await sql.unsafe(script).simple();
  t.same(await sql`select target, statement from service.provision_plan() where statement is not null`, [], 'and leaves nothing to do');
});

test('changes that cannot be planned are named', async t => {
  const { plan, folder } = await project(t, 0);
  write(folder, { posts: { properties: { id, author: { type: 'relation', relation: { kind: 'belongsTo', target: 'nobody' } } } } });
  t.match(await plan(), { code: 1, stderr: /posts\.properties\.author\.relation: there is no collection "nobody"/ });
  const { url } = await createDatabase(t);
  t.match(await runCommand(t, ['plan'], { DATABASE_URL: url }, folder), { code: 1, stderr: /has not the schema of this version yet/ });
  const bare = await createDatabase(t, { template: 'served' });
  t.match(await runCommand(t, ['plan'], { DATABASE_URL: bare.url }, emptyFolder(t)), { code: 1, stderr: /There are no collection files/ });
});
