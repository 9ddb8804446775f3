// A database of before the migrations were squashed.
import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { migrate } from '../../gateway/start/migrate.ts';
import { loadCollections } from '../../gateway/collections/load.ts';
import { rowsOf } from '../collections/loaded.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, schema, storeFiles } from '../harness/service.ts';
import { dumpSchema, provision } from './dump.ts';
import { CHAIN, databaseOf } from './replaced-chain.ts';

/** The example's tables, policies and triggers as that database's own functions made them, with what a DBA hung on these. */
async function provisionStore(t: Test, sql: postgres.Sql): Promise<void> {
  const { sql: current } = await createDatabase(t, { template: 'served' });
  const rows = await rowsOf(current, JSON.stringify(loadCollections(storeFiles.SERVICE_COLLECTIONS_DIR, 'error')?.project));
  await sql`select service.define(${JSON.stringify(rows)}::text::jsonb)`;
  await sql`select service.provision(true)`;
  await sql.unsafe(`
    insert into categories (name, slug) values ('Garden', 'garden');
    create table notes (id integer primary key, owner text not null default service.uid());
    create policy own on notes using (owner = (select service.uid()));
    create view garden as select service.list('categories') as answer`).simple();
}

test('a database of the replaced chain becomes what an empty one becomes, and keeps its data', async t => {
  const { sql } = await databaseOf(t);
  await sql`select service.watch_ddl()`;
  const secrets = () => sql`select c.inner_key, c.outer_key, l.key from service.cursor_key c, service.login_key l`;
  const before = await secrets();
  const done = await migrate(sql, schema);
  t.equal(done?.adopted?.baseline.number, 1);
  t.same(await secrets(), before);
  t.equal(await migrate(sql, schema), undefined, 'and is up to date then');
  const { sql: fresh } = await createDatabase(t);
  await provision(fresh);
  t.equal(await dumpSchema(sql), await dumpSchema(fresh));
});

test('what was provisioned, and what hangs on the service\'s functions, stands after it', async t => {
  const { sql, url } = await databaseOf(t);
  await provisionStore(t, sql);
  await migrate(sql, schema);
  t.same((await sql`select polname from pg_policy where polrelid = 'notes'::regclass`).map(row => ({ ...row })), [{ polname: 'own' }]);
  t.equal((await sql`select answer from garden`)[0]?.['answer'].data[0].name, 'Garden');
  const service = await openService(url, storeFiles);
  t.teardown(service.close);
  t.equal((await service.request('/data/categories?slug=garden')).body.meta.total, 1);
  t.same(await sql`select * from service.provision_plan() where statement is not null`, []);
});

test('an older database is told which version takes it further', async t => {
  const { sql } = await databaseOf(t, CHAIN.slice(0, 2));
  await t.rejects(migrate(sql, schema), /^Migration 000001\.sql in the database is not the one of this version .* replaces 23 files, of which the database has 2/);
});
