import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { emptyFolder } from '../boot/gateway.ts';
import { seed } from '../harness/effort.ts';
import { killed } from './kill-suite.ts';

const SIDECAR = '.metadata.json';

test(`acknowledged files are whole after SIGKILL, and nothing else is left (RANDOM_SEED=${seed})`, async t => {
  const folder = emptyFolder(t);
  const aside = (name: string) => readdirSync(join(folder, name));
  const lonely = () => readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(SIDECAR) && !existsSync(join(folder, name.slice(0, -SIDECAR.length))));
  await killed(t, {
    env: { STORAGE_PATH: folder },
    within: 600,
    strays: () => Promise.resolve([...aside('.uploads'), ...lonely()]),
    left: () => Promise.resolve([...aside('.uploads'), ...aside('.tus-uploads'), ...lonely()]),
  });
});
