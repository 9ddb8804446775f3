import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import { schema } from '../harness/service.ts';
import { migrate } from '../../gateway/start/migrate.ts';

/** They look one thing up, or none. */
const SMALL = [
  'channel_seq', 'create_first_admin', 'has_people', 'install', 'login_role', 'reload', 'pause_polling', 'end_lease', 'use_account_hooks',
  'watch_ddl', 'grant_settling', 'hold_presence',
];

test('queries of the gateway as the owner, at a start, after DDL or for a statement, are never compiled', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, schema);
  const sources = globSync([
    'gateway/{start,commands,catalog,database}/*.ts', 'gateway/features/{realtime,realtime/channels}/*.ts',
    'gateway/features/{admin,storage}/{command,audit-command,schedule-audit,rules}.ts',
  ], { cwd: ROOT }).map(file => readFileSync(join(ROOT, file), 'utf8')).join('\n');
  const named = [...new Set([...sources.matchAll(/\b(?:from|select) service(?:_private)?\.(\w+)\(/g)].map(([, name = '']) => name))];
  const asked = await sql<{ name: string; settings: string[] | null }[]>`
    select p.proname as name, p.proconfig as settings from pg_proc p
    where p.pronamespace in ('service'::regnamespace, 'service_private'::regnamespace) and p.proname = any (${named})
    and p.proname <> all (${SMALL})
      -- What lanes call runs with the settings of their logins.
      and (p.proname = 'write_plan' or not has_function_privilege('service_user', p.oid, 'execute'))
    order by 1`;
  t.ok(asked.length >= 10, asked.map(({ name }) => name).join(', '));
  t.same(asked.filter(({ settings }) => settings?.includes('jit=off') !== true).map(({ name }) => name), []);
});
