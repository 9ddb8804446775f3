import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { CASES } from '../../bench/cases.ts';
import { requireSame } from '../../bench/compare.ts';
import { start } from '../../bench/servers.ts';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import '../harness/service.ts'; // registers the template

test('the benches compare like with like: the hand-written floor answers every request as the service does', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(readFileSync(join(ROOT, 'bench/data.sql'), 'utf8')).simple();
  const [floor, rowgate] = [await start('floor', url), await start('rowgate', url, { args: ['gateway/main.ts'] })];
  t.teardown(async () => { await floor.stop(); await rowgate.stop(); });
  for (const of of CASES) await t.resolves(requireSame([floor, rowgate], of), of.name);
});
