import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import type { Setting } from '../../gateway/config/setting.ts';
import { settings } from '../../gateway/features/settings.ts';
import { ROOT } from '../harness/server.ts';

const rows = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')
  .split('\n')
  .map(line => /^\| `([A-Z][A-Z0-9_]*)`(?:, `([A-Z][A-Z0-9_]*)`)? \| (.*?) \| /.exec(line))
  .filter(row => row !== null)
  .map(([, name = '', alias, unset = '']) => ({ name, alias, unset }));

/** Where the default is told in another unit than the service keeps it in. */
const documentedDefaults: Record<string, string> = {
  JWT_ACCESS_EXPIRES_IN: '`1h`',
  JWT_REFRESH_EXPIRES_IN: '`30d`',
};

test('the document names every variable that the service reads, once, and no other', t => {
  t.same(rows.map(({ name }) => name).sort(), Object.values(settings).map(({ name }) => name).sort());
  t.end();
});

test('the document gives each variable\'s other name and its default', t => {
  for (const { name, alias, unset } of Object.values<Setting<unknown, unknown>>(settings)) {
    const row = rows.find(row => row.name === name);
    t.equal(row?.alias, alias, `the other name of ${name}`);
    t.equal(row?.unset, documentedDefaults[name] ?? inMarkdown(unset), `the default of ${name}`);
  }
  t.end();
});

/** Nothing stands for what is not set, and for an empty list. */
function inMarkdown(unset: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof unset) ? `\`${unset as string}\`` : '';
}
