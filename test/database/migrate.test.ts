import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { test, type Test } from 'tap';
import { BootError } from '../../gateway/error.ts';
import { migrate, requireMigrated } from '../../gateway/start/migrate.ts';
import { readMigrations, type SchemaFiles, type Source } from '../../gateway/start/schema-files.ts';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import { schema } from '../harness/service.ts';

const { migrations } = schema;

/** The service's schema and one migration more. */
function withNext(body: string): SchemaFiles {
  const number = migrations.length + 1;
  const hash = `sha1:${createHash('sha1').update(body).digest('hex')}`;
  return {
    ...schema, migrations: [...migrations, { number, name: `00000${number}.sql`, hash, previous: migrations.at(-1)?.hash ?? '-', body }],
  };
}

/** The service's schema with another text of one function. */
function withText(path: string, change: (text: string) => string): SchemaFiles {
  const changed = (source: Source): Source => {
    const text = change(source.text);
    return { ...source, text, hash: createHash('sha256').update(text).digest('hex') };
  };
  return { ...schema, sources: schema.sources.map(source => source.path === path ? changed(source) : source) };
}

function committedCopy(t: Pick<Test, 'testdir'>): string {
  const folder = t.testdir({ committed: {} });
  cpSync(join(ROOT, 'migrations'), folder, { recursive: true });
  return join(folder, 'committed');
}

const applied = async (sql: postgres.Sql): Promise<number> => (await sql`select from service.migrations`).length;

test('a database gets each migration and each function once, with its file\'s hash', async t => {
  const { sql } = await createDatabase(t);
  const done = await migrate(sql, schema);
  t.same(done?.migrations, migrations);
  t.same(done?.sources, schema.sources);
  t.equal(await migrate(sql, schema), undefined);
  t.same((await sql`select number, name, hash, previous_hash as previous from service.migrations order by number`).map(row => ({ ...row })),
    migrations.map(({ number, name, hash, previous }) => ({ number, name, hash, previous })));
  t.same((await sql`select path, text, hash from service.sources order by path collate "C"`).map(row => ({ ...row })),
    schema.sources.toSorted((a, b) => a.path < b.path ? -1 : 1));
});

test('one of ten concurrent starts migrates, and the others wait for it', async t => {
  const { url } = await createDatabase(t);
  const done = await Promise.all(Array.from({ length: 10 }, async () => {
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    return migrate(sql, withNext('create table service.once ()')).finally(() => sql.end());
  }));
  t.equal(done.filter(upgrade => upgrade !== undefined).length, 1);
});

test('a role that another database commits at that moment, and is not known here yet, is asked for once more', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, schema);
  await sql`create sequence tries`;
  const until = (last: number) => withNext(`create table service.once ();
    do $$ begin if nextval('tries') < ${last} then raise undefined_object using message = 'role "r" does not exist'; end if; end $$`);
  await t.rejects(migrate(sql, until(3)), { code: '42704' });
  t.same(await sql`select last_value::int from tries`, [{ last_value: 2 }], 'once');
  t.ok(await migrate(sql, until(4)));
  t.equal(await applied(sql), migrations.length + 1);
});

test('a function whose text changed is installed again, and no other', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, schema);
  const changed = withText('sql/catalog/humanize.sql', text => text.replace('upper(', 'lower('));
  t.same((await migrate(sql, changed))?.sources.map(({ path }) => path), ['sql/catalog/humanize.sql']);
  t.equal((await sql`select service_private.humanize('Order_items') as label`)[0]?.['label'], 'order items');
});

test('a function dropped by a migration is installed again, with its dependents', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, schema);
  const [before] = await sql`select count(*) from pg_proc where pronamespace in ('service'::regnamespace, 'service_private'::regnamespace)`;
  const done = await migrate(sql, withNext('drop function service_private.base_type(oid) cascade'));
  t.ok(done?.sources.some(({ path }) => path === 'sql/catalog/base_type.sql'));
  t.ok((done?.sources.length ?? 0) > 2, 'what hangs on it as well');
  t.same(await sql`select count(*) from pg_proc where pronamespace in ('service'::regnamespace, 'service_private'::regnamespace)`,
    [before]);
});

test('a service dropped without its private schema is made anew; a foreign schema of that name is refused', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, schema);
  await sql.unsafe('drop schema service cascade').simple();
  await migrate(sql, schema);
  t.equal(await applied(sql), migrations.length);
  const { sql: other } = await createDatabase(t);
  await other.unsafe(
    'create schema service_private; create table service_private.kept (id int); create type service_private.wanted_table as (id int)',
  ).simple();
  await t.rejects(migrate(other, schema), { message: /"wanted_table" already exists/ });
  t.same(await other`select from service_private.kept`, []);
});

test('an upgrade that fails leaves nothing of itself, and says which file it was', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, schema);
  await t.rejects(migrate(sql, withNext('create table service.half (); select 1 / 0')), { code: '22012' });
  const broken = withText('sql/public/identity/uid.sql', text => text.replace('returns text', 'returns integer'));
  await t.rejects(migrate(sql, { ...broken, migrations: withNext('create table service.half ()').migrations }),
    { code: '42P13', message: /^sql\/public\/identity\/uid\.sql: / });
  t.equal(await applied(sql), migrations.length);
  t.equal((await sql`select from pg_tables where tablename = 'half'`).length, 0);
  await migrate(sql, withNext('create table service.half ()'));
  t.equal(await applied(sql), migrations.length + 1);
});

test('a first migration that fails leaves an empty database', async t => {
  const { sql } = await createDatabase(t);
  const [first] = migrations;
  if (first === undefined) throw new Error('no migrations');
  await t.rejects(migrate(sql, { ...schema, migrations: [{ ...first, body: `${first.body}\n;select 1 / 0` }] }), { code: '22012' });
  t.equal((await sql`select from pg_namespace where nspname = 'service'`).length, 0);
});

test('a database from the future is refused', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, withNext('select 1'));
  const refusal = new BootError(`The database has migration 00000${migrations.length
    + 1}.sql, which this version does not know: it was set up by a newer version. Upgrade the service, or use another database.`);
  await t.rejects(migrate(sql, schema), refusal);
  await t.rejects(requireMigrated(sql, schema), refusal);
});

test('a database that was migrated by another file of the same number is refused', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, withNext('select 1'));
  await t.rejects(migrate(sql, withNext('select 2')), /^Migration 0+\d+\.sql in the database is not the one of this version/);
});

test('without leave to migrate, the missing parts are named', async t => {
  const { sql } = await createDatabase(t);
  await t.rejects(requireMigrated(sql, schema), /^The database lacks 000001\.sql.* and SERVICE_MIGRATE_ON_BOOT=none forbids/);
  await migrate(sql, schema);
  await requireMigrated(sql, schema);
  await t.rejects(requireMigrated(sql, withNext('select 1')), new RegExp(`^The database lacks 00000${migrations.length + 1}\\.sql of`));
  await t.rejects(requireMigrated(sql, withText('sql/public/identity/uid.sql', text => `${text}\n`)),
    /^The database has another text of sql\/public\/identity\/uid\.sql, and/);
  t.equal(await applied(sql), migrations.length);
});

test('a committed file that was changed, renamed or lost is refused', t => {
  const folder = committedCopy(t);
  t.same(readMigrations(folder), migrations);
  const file = join(folder, '000001.sql');
  const text = readFileSync(file, 'utf8');
  for (const changed of [
    `${text}\nselect 1;\n`, text.replace('Previous: -', 'Previous: sha1:0000'), text.replace(/Hash: sha1:./, 'Hash: sha1:x'),
    text.slice(text.indexOf('\n') + 1), '',
  ]) {
    rmSync(file);
    writeFileSync(file, changed);
    t.throws(() => readMigrations(folder), /^Migration file 000001\.sql was changed or is out of place/);
  }
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  t.throws(() => readMigrations(folder), /^There are no migrations in /);
  writeFileSync(join(folder, '000002.sql'), text);
  t.throws(() => readMigrations(folder), /^Migration file 000002\.sql was changed or is out of place/);
  t.end();
});
