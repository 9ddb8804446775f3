import type postgres from 'postgres';
import { test } from 'tap';
import { migrate } from '../../gateway/start/migrate.ts';
import { createDatabase } from '../harness/database.ts';
import { schema } from '../harness/service.ts';

/** As the first migration's functions had them. A function of another signature, or another result, does not replace them. */
const BEFORE = `
  drop function service.unreachable_policies();
  create function service.unreachable_policies() returns table (table_name text, policy text, roles text) language plpgsql as 'begin end';
  create function service.enter(claims text) returns boolean language plpgsql as 'begin return null; end';
  create function service.write(claims text, request jsonb, plan jsonb default null) returns json language plpgsql as 'begin return null; end';
  create function service.path_collection(path jsonb) returns text language plpgsql as 'begin return null; end';
  create function service.valid_relations(collection text) returns jsonb language plpgsql as 'begin return null; end';
  create function service.require_response_fields(collection text, fields jsonb) returns void language plpgsql as 'begin end';
  create function service.read_back(plan jsonb, claims text, key text) returns json language plpgsql as 'begin return null; end';
  create function service.run_planned(name text, statement text, first text, second text) returns text language plpgsql as 'begin return null; end';
  update service.sources set text = '-- as before', hash = '' where path = 'sql/catalog/unreachable_policies.sql';`;

async function functions(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select p.oid::regprocedure::text || ' ' || pg_get_function_result(p.oid) as name
    from pg_proc p where p.pronamespace = 'service'::regnamespace order by 1`;
  return rows.map(({ name }) => name);
}

test('an upgrade leaves no function of a signature that is gone', async t => {
  const [{ sql: upgraded }, { sql: fresh }] = [await createDatabase(t), await createDatabase(t)];
  await migrate(fresh, schema);
  // Others need tables that came later.
  const sources = schema.sources.filter(({ path }) => ['sql/catalog/reload.sql', 'sql/catalog/unreachable_policies.sql'].includes(path));
  await migrate(upgraded, { sources, migrations: schema.migrations.slice(0, 1) });
  await upgraded.unsafe(BEFORE).simple();
  t.notSame(await functions(upgraded), await functions(fresh));
  await migrate(upgraded, schema);
  t.same(await functions(upgraded), await functions(fresh));
});
