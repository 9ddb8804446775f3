// bin/rowgate.mjs in a checkout that was not built: a new clone.
import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../harness/server.ts';

test('rowgate runs from its source where there is no build', t => {
  const folder = t.testdir();
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  for (const name of ['gateway', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name));
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'bin/rowgate.mjs'), 'help'], { encoding: 'utf8' });
  t.equal(status, 0, stderr);
  t.match(stdout, /^ +types .*@rowgate\/client/m);
  t.end();
});
