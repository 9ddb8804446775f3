import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import '../harness/service.ts'; // registers the templates

test('the document has every check with its severity, the worst first', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const checks = await sql<{ id: string; severity: string; heuristic: boolean }[]>`
    select id, severity, confidence = 'heuristic' as heuristic from service.audit_checks()
    order by array_position('{critical,high,medium,low,info}', severity), id collate "C"`;
  const rows = [...readFileSync(join(ROOT, 'docs/audit.md'), 'utf8').matchAll(/^\| `([a-z-]+)` \| (\w+) \| (.*) \|$/gm)];
  t.same(rows.map(([, id, severity, when = '']) => ({ id, severity, heuristic: when.endsWith('(heuristic)') })), [...checks]);
});
