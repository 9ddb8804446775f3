/** PostgREST's fixtures, where they stand beside the repository: more than a hundred tables and views of its tests' odd cases. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import type { Test } from 'tap';
import { migrate } from '../../gateway/start/migrate.ts';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import { openService, schema, type TestService } from '../harness/service.ts';

const FILE = join(ROOT, '../shared/checks/postgrest/fixture.sql');

export const fixturesAvailable = existsSync(FILE);

/** A service of them, with keys where they have none. */
export async function serveFixtures(t: Test): Promise<TestService> {
  const { url, sql } = await createDatabase(t);
  const owner = postgres(url, { max: 1, onnotice: () => undefined });
  const roles = /^CREATE ROLE .*;$/gm;
  const text = readFileSync(FILE, 'utf8');
  for (const [statement] of text.matchAll(roles)) await owner.unsafe(statement).catch(() => undefined); // of a run before
  for (const part of text.replace(roles, '').split(/^(COPY [^]*?)^\\\.$/m)) await run(owner, part);
  await owner.end();
  await migrate(sql, schema);
  await sql.unsafe(PREPARED).simple();
  const service = await openService(url, { SERVICE_INTROSPECT_SCHEMA: 'test', SERVICE_UNPROTECTED_TABLES: 'serve' });
  t.teardown(service.close);
  return { ...service, sql, url };
}

/** Plain SQL, or a COPY with its lines. */
async function run(owner: postgres.Sql, part: string): Promise<void> {
  const [, statement, lines] = /^(COPY .*);\n([^]*)$/.exec(part) ?? [];
  if (statement === undefined) await owner.unsafe(part).simple();
  else await pipeline([lines], await owner.unsafe(statement).writable());
}

const PREPARED = `
  set search_path = test, public, extensions, pg_catalog;
  do $$ declare r record; is_key boolean; begin
    for r in
      select oid::regclass as name from pg_class c
      where relnamespace = 'test'::regnamespace and relkind in ('r', 'p') and not relispartition and not exists
        (select from pg_index where indrelid = c.oid and indisprimary)
    loop
      execute format('alter table %s add column row_no integer generated always as identity primary key', r.name);
    end loop;
    for r in
      select c.oid::regclass as name, quote_ident(attname) as column, attname from pg_class c
      join pg_attribute on attrelid = c.oid and attnum > 0
      where relnamespace = 'test'::regnamespace and relkind = 'v' and obj_description(c.oid, 'pg_class') is null
      order by c.oid, attnum desc
    loop
      begin
        execute format('alter view %s set (security_invoker = on)', r.name);
        execute format('select count(*) = count(%1$s) and count(*) = count(distinct %1$s) from %2$s', r.column, r.name) into is_key;
        if is_key then execute format('comment on view %s is %L', r.name, '@key ' || r.attname); end if;
      exception when others then null; -- a view that cannot be read
      end;
    end loop;
  end $$;
  grant select on all tables in schema private, public to service_user;
  grant usage on schema private, extensions to service_user;`;
