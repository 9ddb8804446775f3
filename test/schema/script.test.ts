// The output of `rowgate migrate --plan`, run by hand.
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { test } from 'tap';
import { migrate } from '../../gateway/start/migrate.ts';
import { migrationScript } from '../../gateway/start/migration-script.ts';
import { createDatabase } from '../harness/database.ts';
import { schema } from '../harness/service.ts';
import { dumpSchema, provision } from './dump.ts';

async function runByHand(sql: postgres.Sql): Promise<string> {
  const script = await migrationScript(sql, schema, '1.2.3') ?? '';
  const psql = await sql.reserve();
  await psql.unsafe(script).simple();
  psql.release();
  return script;
}

test('the script makes an empty database what a start makes it', async t => {
  const [{ sql: byHand }, { sql: byStart }] = [await createDatabase(t), await createDatabase(t)];
  const script = await runByHand(byHand);
  t.match(script, /^-- What rowgate 1\.2\.3 runs .*\n\nset role \w+;\nbegin;\n/);
  t.match(script, /\n-- migrations\/committed\/000001\.sql\n/);
  t.equal(await migrationScript(byHand, schema, '1.2.3'), undefined);
  t.equal(await migrate(byHand, schema), undefined);
  await byHand`select service_private.watch_ddl()`;
  await provision(byStart);
  t.equal(await dumpSchema(byHand), await dumpSchema(byStart));
});

test('the script shows a changed function as a unified diff, and only what is run', async t => {
  const { sql } = await createDatabase(t);
  await migrate(sql, schema);
  const before = schema.sources.find(({ path }) => path === 'sql/catalog/humanize.sql')?.text ?? '';
  const text = before.replace('upper(', 'lower(');
  const hash = createHash('sha256').update(text).digest('hex');
  await sql`select service_private.install('sql/catalog/humanize.sql', ${text})`;
  t.equal((await sql`select hash from service.sources where path = 'sql/catalog/humanize.sql'`)[0]?.['hash'], hash);
  const script = await migrationScript(sql, schema, '1.2.3') ?? '';
  t.same(script.match(/^-- sql\/.*$/gm), ['-- sql/catalog/humanize.sql']);
  t.match(script, /^-- @@ -\d+,\d+ \+\d+,\d+ @@$/m);
  t.match(script, /^-- - {2}return lower\(left/m);
  t.match(script, /^-- \+ {2}return upper\(left/m);
  t.notMatch(script, 'migrations/committed');
  await runByHand(sql);
  t.equal(await migrate(sql, schema), undefined);
});
