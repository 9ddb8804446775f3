import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'tap';
import ts from 'typescript';
import { ROOT } from '../harness/server.ts';

/** The rooms that each room of the gateway may import. */
const MAY_IMPORT: Record<string, string[]> = {
  addresses: [],
  'error-codes': [],
  error: ['error-codes'],
  spelling: [],
  storable: [],
  version: [],
  outbound: [],
  process: ['error'],
  json: ['spelling', 'storable'],
  logs: ['database', 'process'],
  metrics: [],
  config: ['addresses', 'json', 'spelling', 'error'],
  grammar: ['spelling', 'storable', 'error'],
  embedded: ['process', 'error'],
  client: ['embedded', 'process', 'error'],
  database: ['process', 'spelling', 'error'],
  http: ['addresses', 'config', 'process', 'storable', 'error'],
  blobs: ['outbound', 'process', 'error'],
  images: ['blobs', 'process', 'error'],
  limits: ['identity', 'database', 'http', 'error'],
  mail: ['addresses', 'config', 'process', 'error'],
  identity: ['mail', 'database', 'config', 'process', 'error'],
  catalog: ['identity', 'grammar', 'metrics', 'database', 'config', 'spelling', 'error'],
  collections: ['json', 'catalog', 'grammar', 'process', 'spelling', 'error'],
  features: [
    'version', 'client', 'images', 'blobs', 'identity', 'outbound', 'limits', 'mail', 'collections', 'json', 'catalog', 'database',
    'grammar', 'http', 'logs', 'metrics', 'config', 'process', 'spelling', 'storable', 'error',
  ],
  start: [
    'features', 'identity', 'limits', 'mail', 'collections', 'catalog', 'database', 'embedded', 'http', 'logs', 'config', 'process',
    'error',
  ],
  commands: ['start', 'features', 'embedded', 'collections', 'database', 'config', 'process', 'error'],
  main: ['start', 'config', 'process'],
  cli: ['version', 'main', 'commands', 'features', 'embedded', 'config', 'process', 'spelling', 'error'],
};

/** The one file of a room that others see. */
const FACES: Record<string, string> = { embedded: 'embedded/embedded.ts' };

const GATEWAY = join(ROOT, 'gateway');
const files = globSync('**/*.ts', { cwd: GATEWAY });
const imports = new Map(files.map(file => [file, importsOf(file)]));
const local = [...imports].flatMap(([from, targets]) => targets.filter(isFile).map(to => ({ from, to })));

/** Files of the gateway, and packages; those of a type and those at run time too. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(GATEWAY, file), 'utf8'));
  return importedFiles.map(({ fileName }) => fileName.startsWith('.') ? normalize(join(dirname(file), fileName)) : fileName);
}

function isFile(target: string): boolean {
  return imports.has(target);
}

function roomOf(file: string): string {
  return file.replace(/\.ts$|\/.*/, '');
}

/** Files of features/ itself are the contract between features. */
function featureOf(file: string): string | undefined {
  return /^features\/([^/]+)\//.exec(file)?.[1];
}


function lines(edges: { from: string; to: string }[]): string[] {
  return edges.map(({ from, to }) => `${from} imports ${to}`);
}

test('every room is in the table', t => {
  t.same(Object.keys(MAY_IMPORT).sort(), [...new Set(files.map(roomOf))].sort());
  t.end();
});

test('imports between rooms point one way', t => {
  t.same(lines(local.filter(({ from, to }) => roomOf(from) !== roomOf(to) && !MAY_IMPORT[roomOf(from)]?.includes(roomOf(to)))), []);
  t.end();
});

test('a feature imports no other feature', t => {
  t.same(lines(local.filter(({ from, to }) =>
    featureOf(from) !== undefined && featureOf(to) !== undefined && featureOf(from) !== featureOf(to))), []);
  t.end();
});

test('a room with a face shows nothing else', t => {
  t.same(lines(local.filter(({ from, to }) => roomOf(from) !== roomOf(to) && (FACES[roomOf(to)] ?? to) !== to)), []);
  t.end();
});

test('no file imports a file that imports it', t => {
  t.same(files.filter(file => reached(file).has(file)).sort(), []);
  t.end();
});

test('uWebSockets.js has one door', t => {
  t.same(files.filter(file => imports.get(file)?.includes('uWebSockets.js')), ['http/uws.ts']);
  t.end();
});

test('the client, a package of its own, imports nothing but its own files and what its users may install beside it', t => {
  const folder = join(ROOT, 'client/src');
  const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'client/package.json'), 'utf8')) as { peerDependencies: object };
  const own = globSync('**/*.ts', { cwd: folder }).map(file => join(folder, file));
  const imported = own.flatMap(file => ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? join(file, '..', fileName) : fileName));
  t.ok(own.length > 15);
  t.same(imported.filter(name => !own.includes(name) && !(name in peerDependencies)), []);
  t.end();
});

/** The files that a file imports, directly or through others. */
function reached(file: string, found = new Set<string>()): Set<string> {
  for (const target of imports.get(file) ?? []) {
    if (!isFile(target) || found.has(target)) continue;
    found.add(target);
    reached(target, found);
  }
  return found;
}
