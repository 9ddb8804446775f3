import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

/** The variable that gives a service a settings file of its own. */
export function settingsFile(t: Pick<Test, 'teardown'>, auth: object): { SERVICE_CONFIG_FILE: string } {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  t.teardown(() => { rmSync(folder, { recursive: true }); });
  const file = join(folder, 'rowgate.json');
  writeFileSync(file, JSON.stringify({ auth }));
  return { SERVICE_CONFIG_FILE: file };
}
