// The client as npm packs it, in an empty project: installed from its file, linted, compiled, bundled, run.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFile, spawnSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { ROOT } from '../harness/server.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { pack } from './packed.ts';

const { version: VERSION, devDependencies: VERSIONS } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string; devDependencies: Record<string, string>;
};
const PEERS = ['@simplewebauthn/browser', '@tanstack/query-core', 'tus-js-client'];
const TOOLS = [
  'esbuild@0.28.2', 'publint@0.3.25', '@arethetypeswrong/cli@0.18.5',
  'typescript5@npm:typescript@5.9.3', 'typescript7@npm:typescript@7.0.2',
  ...[...PEERS, 'expect-type'].map(name => `${name}@${VERSIONS[name] ?? ''}`),
];
const STRICT = ['--strict', '--target', 'es2022', '--module', 'nodenext'];
const FLAGS = [...STRICT, '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
/** Parts of the client, and a text of each that a bundle without it does not have. */
const PARTS = {
  batch: /_batch/, session: /refreshToken/, passkeys: /passkeys/, realtime: /WebSocket/, functions: /"functions"/, files: /XMLHttpRequest/,
};
/** `peer`: what a project installs beside. A bundler finds it missing where a program imports it without need. */
type Bundle = { program: string; most: number; parts: (keyof typeof PARTS)[]; peer?: string };
/** Programs, and the bytes of each when it is bundled, minified and compressed. */
const BUDGET: Bundle[] = [
  { program: `export * from '@rowgate/client/rows'`, most: 4 * 1024, parts: [] },
  { program: `export { createClient } from '@rowgate/client'`, most: 5 * 1024, parts: ['batch'] },
  { program: `export { createClient, createAuth } from '@rowgate/client'`, most: 7 * 1024, parts: ['batch', 'session'] },
  {
    program: `export { createClient } from '@rowgate/client'; export { realtime } from '@rowgate/client/realtime'`, most: 8 * 1024,
    parts: ['batch', 'realtime'],
  },
  {
    program: `export { createClient, createAuth } from '@rowgate/client'; export { realtime } from '@rowgate/client/realtime'`,
    most: 10 * 1024, parts: ['batch', 'session', 'realtime'],
  },
  { program: `export { callFunction } from '@rowgate/client'`, most: 4 * 1024, parts: ['functions'] },
  { program: `export { uploadFile } from '@rowgate/client'`, most: 4 * 1024, parts: ['files'] },
  {
    program: `export * from '@rowgate/client'`, most: 9 * 1024,
    parts: ['batch', 'session', 'functions', 'files'],
  },
  { program: `export * from '@rowgate/client/passkeys'`, most: 1024, parts: ['passkeys'], peer: '@simplewebauthn/browser' },
  { program: `export * from '@rowgate/client/uploads'`, most: 2 * 1024, parts: [], peer: 'tus-js-client' },
  { program: `export * from '@rowgate/client/query'`, most: 1024, parts: [] },
];

/** Where a source has its file, a project has the entry. */
const ENTRIES = {
  '../../client/src/index.ts': '@rowgate/client', '../../client/src/query-options.ts': '@rowgate/client/query',
  '../../client/src/realtime/realtime.ts': '@rowgate/client/realtime', '../../client/src/uploads.ts': '@rowgate/client/uploads',
  '../../client/src/session/passkeys.ts': '@rowgate/client/passkeys', './store.types.ts': './rowgate.types.js',
};
/** The types of tus-js-client name a Buffer, which a page does not have. */
const BUFFER = 'interface Buffer extends Uint8Array {}';

/** A server without the peers, and without the types of a page. */
const SERVER = `
  import { WebSocket } from 'ws';
  import { createAuth, createClient } from '@rowgate/client';
  import { realtime } from '@rowgate/client/realtime';
  import { createClient as createRows } from '@rowgate/client/rows';
  import { schema, type Schema } from './rowgate.types.js';

  const options = { url: 'http://localhost:3001', schema };
  const db = createClient<Schema>({
    ...options, auth: createAuth(options), realtime: connection => realtime(connection, { WebSocket }),
  });
  db.from('tags').subscribe({ fields: ['name'] }, ({ data }) => data.map(({ name }): string => name)).unsubscribe();
  export const rows = createRows<Schema>(options);`;

const PROGRAM = `
  import { createClient } from '@rowgate/client';
  import { schema, type Schema } from './rowgate.types.js';

  const [url = '', token = ''] = process.argv.slice(2);
  const db = createClient<Schema>({ url, schema, token });
  const { data } = await db.from('products').list({ where: { id: ['in', [1, 2]] }, fields: ['price'], orderBy: [{ field: 'id' }] });
  const prices: string[] = data.map(({ price }) => price);
  console.log(JSON.stringify(prices));`;

test('the package is sound, fits its budget, and works in an empty project', async t => {
  const { tarball, project: projectOf } = pack(t);
  const { folder: project, missing } = projectOf('project', ...TOOLS);
  if (project === undefined) return t.pass('the package', { skip: missing });
  const { folder: server, said, missing: none } = projectOf('server', '@types/node@20', `@types/ws@${VERSIONS['@types/ws'] ?? ''}`);
  if (server === undefined) return t.pass('the package', { skip: none });
  const run = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(join(project, 'node_modules/.bin', command), args, { cwd: project, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };
  const package_ = JSON.parse(readFileSync(join(project, 'node_modules/@rowgate/client/package.json'), 'utf8')) as Record<string, unknown>;
  t.match(package_, { version: VERSION, sideEffects: false, type: 'module', dependencies: undefined });

  t.notMatch(said, /warn/i);
  t.same(PEERS.filter(peer => existsSync(join(server, 'node_modules', peer))), [], 'no peer is installed unless a project asks for it');

  const linted = run('publint', 'node_modules/@rowgate/client', '--strict');
  t.equal(linted.status, 0, linted.output);
  const typed = run('attw', tarball, '--profile', 'esm-only');
  t.equal(typed.status, 0, typed.output);

  for (const { program, most, parts, peer } of BUDGET) {
    const [source, file] = [join(project, 'bundled.js'), join(project, 'bundled.min.js')];
    writeFileSync(source, program);
    const external = peer === undefined ? [] : [`--external:${peer}`];
    const built = run('esbuild', source, '--bundle', '--minify', '--format=esm', ...external, `--outfile=${file}`);
    t.equal(built.status, 0, built.output);
    const text = readFileSync(file, 'utf8');
    t.same(Object.entries(PARTS).filter(([, its]) => its.test(text)).map(([part]) => part), parts, program);
    const size = gzipSync(text, { level: 9 }).length;
    t.comment(`${program}: ${size} bytes`);
    t.ok(size <= most, `${program}: ${size} of ${most} bytes`);
  }

  const { address } = await lendService(t, {});
  writeFileSync(join(project, 'program.ts'), PROGRAM.replace('import', `declare const process: { argv: string[] };\n  import`));
  const uses = readFileSync(join(import.meta.dirname, 'uses.ts'), 'utf8');
  writeFileSync(join(project, 'uses.ts'), Object.entries(ENTRIES).reduce((text, [file, entry]) => text.replace(file, entry), uses));
  writeFileSync(join(project, 'buffer.d.ts'), BUFFER);
  writeFileSync(join(server, 'server.ts'), SERVER);
  for (const compiler of ['typescript5', 'typescript7']) {
    const compile = (folder: string, ...args: string[]) =>
      execute([join(project, 'node_modules', compiler, 'bin/tsc'), ...FLAGS, '--outDir', compiler, ...args], folder);
    const compiled = await compile(project, '--lib', 'es2022,dom', 'program.ts', 'uses.ts', 'buffer.d.ts');
    t.same(compiled, { stdout: '', stderr: '' }, compiler);
    const tsc = join(project, 'node_modules', compiler, 'bin/tsc');
    const strict = await execute([tsc, ...STRICT, '--noEmit', '--lib', 'es2022,dom', 'uses.ts', 'buffer.d.ts'], project);
    t.same(strict, { stdout: '', stderr: '' }, `${compiler}: nothing but strict`);
    t.same(await compile(server, '--lib', 'es2022', '--types', 'node', 'server.ts'), { stdout: '', stderr: '' }, `${compiler}: a server`);
    const { stdout, stderr } = await execute([join(project, compiler, 'program.js'), address, SERVICE_KEY], project);
    t.match(JSON.parse(stdout || '[]'), [/^\d+\.\d\d$/, /^\d+\.\d\d$/], stderr);
  }
});

/** A program of Node. The service answers from this process, which must not wait. */
function execute(args: string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  return new Promise(resolve => { execFile(process.execPath, args, { cwd }, (_, stdout, stderr) => { resolve({ stdout, stderr }); }); });
}
