import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { emptyFolder } from '../boot/gateway.ts';
import { ROOT } from '../harness/server.ts';
import { createService } from '../harness/service.ts';

const FOLDER = join(ROOT, 'examples/grafana');
type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

/** The metrics of expressions, and the labels that they ask for of each. */
const namesIn = (text: string) => [...new Set(text.match(/\bservice_\w+/g) ?? [])];
const labelsIn = (text: string) => [...text.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));

test('dashboard and alert rules ask for nothing but what /metrics prints', async t => {
  const { request, address } = await createService(t, {
    env: { SERVICE_METRICS: 'true', BACKUP_DESTINATION: emptyFolder(t) },
    setup: `insert into service.jobs (task, status) values ('task', 'failed')`,
  });
  for (const path of ['/data/products', '/data/products/1', '/data/nothing']) await request(path);
  const text = await (await fetch(`${address}/metrics`)).text();
  const samples = text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  const printed = new Set(samples.map(line => /^\w+/.exec(line)?.[0]));
  const labels = new Set(['instance', ...samples.flatMap(line => [...line.matchAll(/(\w+)="/g)].map(([, label]) => label))]);

  const { panels } = JSON.parse(readFileSync(join(FOLDER, 'rowgate.json'), 'utf8')) as Dashboard;
  const rules = readFileSync(join(FOLDER, 'alerts.yml'), 'utf8');
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  t.ok(expressions.length >= panels.length);
  for (const expression of [...expressions, rules]) {
    t.same(namesIn(expression).filter(name => !printed.has(name)), [], expression);
    t.same(labelsIn(expression).filter(label => !labels.has(label)), [], expression);
  }
  t.ok(namesIn(rules).length >= 6);
});
