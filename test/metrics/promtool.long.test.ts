import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { checkMetrics, checkRules, installPromtool } from '../harness/promtool.ts';
import { ROOT } from '../harness/server.ts';
import { createService } from '../harness/service.ts';

const promtool = await installPromtool().catch((error: unknown) => error as Error);
const skip = promtool instanceof Error && `promtool cannot be had here: ${promtool.message}`;

/** The name is the contract's, and says its unit so. */
const KNOWN = 'service_request_duration_ms metric names should not contain abbreviated units';

test('Prometheus reads /metrics and finds nothing to mend but the unit in one name', { skip }, async t => {
  if (promtool instanceof Error) return;
  const { request, address } = await createService(t, {
    env: { SERVICE_METRICS: 'true' },
    setup: `create table "quo""te\\ and
      line" (id int primary key); alter table "quo""te\\ and
      line" enable row level security; create policy all_rows on "quo""te\\ and
      line" using (true); insert into service.jobs (task, status) values ('a "task"', 'failed')`,
  });
  for (const path of ['/data/products', '/data/products/1', '/data/nothing', '/auth/login']) await request(path);
  const text = await (await fetch(`${address}/metrics`)).text();
  t.same(await checkMetrics(promtool, text), [KNOWN]);
  t.match(await checkMetrics(promtool, `${text}broken{ 1\n`), [/^error while linting/], 'it would find a fault');
});

test('Prometheus takes the alert rules', { skip }, async t => {
  if (promtool instanceof Error) return;
  const rules = join(ROOT, 'examples/grafana/alerts.yml');
  t.match(await checkRules(promtool, rules), /SUCCESS: 9 rules found/);
  const broken = join(mkdtempSync(join(tmpdir(), 'rules-')), 'alerts.yml');
  writeFileSync(broken, readFileSync(rules, 'utf8').replace('sum by (le)', 'sum by (le'));
  await t.rejects(checkRules(promtool, broken), 'it would find a fault');
});
