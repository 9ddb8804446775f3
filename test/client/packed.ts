/** The client as npm packs it, installed in empty projects. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ROOT } from '../harness/server.ts';
import { npm } from '../package/install.ts';

/** `said`: what npm printed. */
type Project = { folder: string; said: string; missing?: never } | { folder?: never; said?: never; missing: string };
export type Packed = {
  tarball: string;
  /** A new project with the client and these packages; or why there can be none here: no registry, or no package for this platform. */
  project: (name: string, ...packages: string[]) => Project;
};

/** Built beside the checkout, so that two tests may do it at once. Gone after the test. */
export function pack(t: Pick<Test, 'teardown'>): Packed {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rowgate-client-')));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const source = join(folder, 'source');
  build(source);
  const { status, output } = npm(source, 'pack', '--ignore-scripts', '--pack-destination', folder);
  if (status !== 0) throw new Error(`npm pack failed:\n${output}`);
  const tarball = join(folder, readdirSync(folder).find(name => name.endsWith('.tgz')) ?? '');
  return { tarball, project: (name, ...packages) => install(join(folder, name), tarball, packages) };
}

/** The folder of the package, without its dependencies. */
export function build(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'README.md']) copyFileSync(join(ROOT, 'client', file), join(folder, file));
  const compiler = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(ROOT, 'client'), '--outDir', join(folder, 'dist')];
  const { status, stdout } = spawnSync(process.execPath, compiler, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tsc failed:\n${stdout}`);
}

function install(folder: string, tarball: string, packages: string[]): Project {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  const { status, output } = npm(folder, 'install', tarball, ...packages, '--prefer-offline', '--no-audit', '--no-fund');
  const types = readFileSync(join(import.meta.dirname, 'store.types.ts'), 'utf8');
  writeFileSync(join(folder, 'rowgate.types.ts'), types);
  writeFileSync(join(folder, 'rowgate.types.js'), stripTypeScriptTypes(types));
  if (status === 0) return { folder, said: output };
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED/.test(output)) return { missing: 'the npm registry cannot be reached' };
  if (/EBADPLATFORM/.test(output)) return { missing: `${packages.join()} is not made for ${process.platform} on ${process.arch}` };
  throw new Error(`npm install failed:\n${output}`);
}
