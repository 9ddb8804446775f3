import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import { schema } from '../harness/service.ts';
import { migrate } from '../../gateway/boot/migrate.ts';

/** They look one thing up, or none. */
const SMALL = ['install', 'login_role', 'reload', 'watch_ddl'];

test('what the gateway asks as the owner, at a start, after DDL or for a statement, is never compiled', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, schema);
  const sources = globSync('gateway/{boot,catalog,database}/*.ts', { cwd: ROOT }).map(file => readFileSync(join(ROOT, file), 'utf8')).join('\n');
  const named = [...new Set([...sources.matchAll(/\b(?:from|select) service\.(\w+)\(/g)].map(([, name = '']) => name))];
  const asked = await sql<{ name: string; settings: string[] | null }[]>`
    select p.proname as name, p.proconfig as settings from pg_proc p
    where p.pronamespace = 'service'::regnamespace and p.proname = any (${named}) and p.proname <> all (${SMALL})
      -- What lanes call runs with the settings of their logins.
      and (p.proname = 'write_plan' or not has_function_privilege('service_user', p.oid, 'execute'))
    order by 1`;
  t.ok(asked.length >= 10, asked.map(({ name }) => name).join(', '));
  t.same(asked.filter(({ settings }) => settings?.includes('jit=off') !== true).map(({ name }) => name), []);
});

test('a start with nothing to do takes no longer where everything is compiled that can be', async t => {
  const { sql } = await createDatabase(t, { template: 'served_store' });
  const [server] = await sql<{ compiles: boolean }[]>`select pg_jit_available() as compiles`;
  const one = await sql.reserve();
  t.teardown(() => { one.release(); });
  await one`select * from service.provision_plan()`; // the session's caches
  await one`set jit = off`;
  const without = await seconds(one);
  for (const setting of ['jit = on', 'jit_above_cost = 0', 'jit_inline_above_cost = 0', 'jit_optimize_above_cost = 0']) await one.unsafe(`set ${setting}`);
  const compiling = await seconds(one);
  t.ok(compiling < 2 * without + 0.5, `${compiling.toFixed(2)} s, ${without.toFixed(2)} s without${server?.compiles ? '' : '; this server compiles nothing'}`);
});

async function seconds(sql: postgres.Sql): Promise<number> {
  const began = performance.now();
  await sql`select * from service.provision()`;
  return (performance.now() - began) / 1000;
}
