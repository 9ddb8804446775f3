import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { test, type Test } from 'tap';
import { BootError } from '../../gateway/error.ts';
import { migrate, readMigrations, requireMigrated, type Migration } from '../../gateway/boot/migrate.ts';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import { migrations } from '../harness/service.ts';

/** The committed migrations and one more. */
function withNext(body: string): Migration[] {
  const previous = migrations.at(-1)?.hash ?? '-';
  const number = migrations.length + 1;
  return [...migrations, { number, name: `00000${number}.sql`, hash: `sha1:${createHash('sha1').update(body).digest('hex')}`, previous, body }];
}

function committedCopy(t: Pick<Test, 'teardown'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-migrations-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  cpSync(join(ROOT, 'migrations/committed'), folder, { recursive: true });
  return folder;
}

const applied = async (sql: postgres.Sql): Promise<number> => (await sql`select from service.migrations`).length;

test('a database gets each migration once, with its file\'s hash', async t => {
  const { sql } = await createDatabase(t);
  const names: string[] = [];
  await migrate(sql, migrations, name => names.push(name));
  await migrate(sql, migrations, name => names.push(name));
  t.same(names, migrations.map(({ name }) => name));
  t.same((await sql`select number, name, hash, previous_hash as previous from service.migrations order by number`).map(row => ({ ...row })),
    migrations.map(({ number, name, hash, previous }) => ({ number, name, hash, previous })));
});

test('of ten that migrate at once one does, and the others wait for it', async t => {
  const { url } = await createDatabase(t);
  const names: string[] = [];
  await Promise.all(Array.from({ length: 10 }, async () => {
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    await migrate(sql, withNext('create table service.once ()'), name => names.push(name)).finally(() => sql.end());
  }));
  t.same(names, withNext('').map(({ name }) => name));
});

test('a migration that fails leaves nothing of itself, and the next start goes on from there', async t => {
  const { sql } = await createDatabase(t);
  await t.rejects(migrate(sql, withNext('create table service.half (); select 1 / 0')), { code: '22012' });
  t.equal(await applied(sql), migrations.length);
  t.equal((await sql`select from pg_tables where tablename = 'half'`).length, 0);
  await migrate(sql, withNext('create table service.half ()'));
  t.equal(await applied(sql), migrations.length + 1);
});

test('a first migration that fails leaves an empty database', async t => {
  const { sql } = await createDatabase(t);
  const [first] = migrations;
  if (first === undefined) throw new Error('no migrations');
  await t.rejects(migrate(sql, [{ ...first, body: `${first.body}\n;select 1 / 0` }]), { code: '22012' });
  t.equal((await sql`select from pg_namespace where nspname = 'service'`).length, 0);
});

test('a database from the future is refused', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, withNext('select 1'));
  const refusal = new BootError(`The database has migration 00000${migrations.length + 1}.sql, which this version does not know: it was set up by a newer version. Upgrade the service, or use another database.`);
  await t.rejects(migrate(sql, migrations), refusal);
  await t.rejects(requireMigrated(sql, migrations), refusal);
});

test('a database that was migrated by another file of the same number is refused', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, withNext('select 1'));
  await t.rejects(migrate(sql, withNext('select 2')), /^Migration 0+\d+\.sql in the database is not the one of this version/);
});

test('without leave to migrate, what is missing is named', async t => {
  const { sql } = await createDatabase(t);
  await t.rejects(requireMigrated(sql, migrations), /^The database lacks 000001\.sql.* and SERVICE_MIGRATE_ON_BOOT=none forbids/);
  await migrate(sql, migrations);
  await requireMigrated(sql, migrations);
  await t.rejects(requireMigrated(sql, withNext('select 1')), new RegExp(`^The database lacks 00000${migrations.length + 1}\\.sql of`));
  t.equal(await applied(sql), migrations.length);
});

test('a committed file that was changed, renamed or lost is refused', t => {
  const folder = committedCopy(t);
  t.same(readMigrations(folder), migrations);
  const file = join(folder, '000001.sql');
  const text = readFileSync(file, 'utf8');
  for (const changed of [`${text}\nselect 1;\n`, text.replace('Previous: -', 'Previous: sha1:0000'), text.replace(/Hash: sha1:./, 'Hash: sha1:x'), text.slice(text.indexOf('\n') + 1), '']) {
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
