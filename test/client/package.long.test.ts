// The client as npm packs it, in an empty project: installed from its file, linted, compiled, bundled, run.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile, spawnSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { ROOT } from '../harness/server.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { npm } from '../package/install.ts';

const TOOLS = ['esbuild@0.28.2', 'publint@0.3.25', '@arethetypeswrong/cli@0.18.5', 'typescript@5.9.3'];
const CLIENT = '@rowgate/client';
/** Programs, and the bytes of each when it is bundled, minified and compressed. */
const BUDGET = {
  rows: { program: `export * from '${CLIENT}/rows'`, most: 4 * 1024 },
  requests: { program: `export { createClient } from '${CLIENT}'`, most: 5 * 1024 },
  'requests and realtime': { program: `export { createClient, realtime } from '${CLIENT}'`, most: 8 * 1024 },
  'requests and a session': { program: `export { createClient, createAuth } from '${CLIENT}'`, most: 7 * 1024 },
  everything: { program: `export * from '${CLIENT}'`, most: 11 * 1024 },
};

const PROGRAM = `
  import { createClient } from '@rowgate/client';
  import { schema, type Schema } from './rowgate.types.js';

  const [url = '', token = ''] = process.argv.slice(2);
  const db = createClient<Schema>({ url, schema, token });
  const { data } = await db.from('products').list({ where: { id: ['in', [1, 2]] }, fields: ['price'], orderBy: [{ field: 'id' }] });
  const prices: string[] = data.map(({ price }) => price);
  console.log(JSON.stringify(prices));`;

test('the package is sound, fits its budget, and works in an empty project', async t => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rowgate-client-')));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const packed = npm(join(ROOT, 'client'), 'pack', '--pack-destination', folder);
  t.equal(packed.status, 0, packed.output);
  const tarball = join(folder, readdirSync(folder).find(name => name.endsWith('.tgz')) ?? '');
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  const installed = npm(project, 'install', tarball, ...TOOLS, '--prefer-offline', '--no-audit', '--no-fund');
  if (installed.status !== 0) {
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED/.test(installed.output)) throw new Error(`npm install failed:\n${installed.output}`);
    t.comment('The npm registry cannot be reached: the package is not installed.');
    return;
  }
  const run = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(join(project, 'node_modules/.bin', command), args, { cwd: project, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };
  const package_ = JSON.parse(readFileSync(join(project, 'node_modules/@rowgate/client/package.json'), 'utf8')) as Record<string, unknown>;
  const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  t.match(package_, { version: root.version, sideEffects: false, type: 'module', dependencies: undefined });

  const linted = run('publint', 'node_modules/@rowgate/client', '--strict');
  t.equal(linted.status, 0, linted.output);
  const typed = run('attw', tarball, '--profile', 'esm-only');
  t.equal(typed.status, 0, typed.output);

  for (const [name, { program, most }] of Object.entries(BUDGET)) {
    const [source, file] = [join(project, 'bundled.js'), join(project, 'bundled.min.js')];
    writeFileSync(source, program);
    const built = run('esbuild', source, '--bundle', '--minify', '--format=esm', '--external:@simplewebauthn/browser',
      `--outfile=${file}`);
    t.equal(built.status, 0, built.output);
    const text = readFileSync(file);
    t.equal(text.includes('WebSocket'), /realtime|everything/.test(name), 'a bundle without realtime has nothing of it');
    const size = gzipSync(text, { level: 9 }).length;
    t.comment(`${name}: ${size} bytes`);
    t.ok(size <= most, `${name}: ${size} of ${most} bytes`);
  }

  const { address } = await lendService(t, {});
  writeFileSync(join(project, 'rowgate.types.ts'), readFileSync(join(import.meta.dirname, 'store.types.ts')));
  writeFileSync(join(project, 'program.ts'), PROGRAM.replace('import', `declare const process: { argv: string[] };\n  import`));
  const flags = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom', '--outDir', 'out'];
  const compiled = run('tsc', ...flags, 'program.ts');
  t.same(compiled, { status: 0, output: '' });
  const { stdout, stderr } = await execute(process.execPath, [join(project, 'out/program.js'), address, SERVICE_KEY], project);
  t.match(JSON.parse(stdout || '[]'), [/^\d+\.\d\d$/, /^\d+\.\d\d$/], stderr);
});

/** The service answers from this process, which must not wait. */
function execute(file: string, args: string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  return new Promise(resolve => { execFile(file, args, { cwd }, (_, stdout, stderr) => { resolve({ stdout, stderr }); }); });
}
