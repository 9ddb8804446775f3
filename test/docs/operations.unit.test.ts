import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { FIGURES, REQUESTS } from '../../gateway/metrics/families.ts';
import { ROOT } from '../harness/server.ts';

const rows = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').split('\n').filter(line => line.startsWith('| `service_'));

test('the document names every series of /metrics, once, and no other', t => {
  const named = rows.flatMap(row => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  t.same(named.sort(), Object.keys({ ...FIGURES, ...REQUESTS }).sort());
  t.end();
});
