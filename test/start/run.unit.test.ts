// run.mjs in a project of its own, with an npm that installs nothing but the Node that runs this.
import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test, type Test } from 'tap';
import { ROOT } from '../harness/server.ts';

const INSTALLING = 'Installing the dependencies. The first time this takes about half a minute ...\n';
const INSTALLING_ALL = 'Installing the dependencies. The first time this takes about a minute ...\n';
const ADDING = 'Installing what tests and tools need. The first time this takes about a minute ...\n';

/** As npm does, by hand: a Node, a folder for each package of the level, and the record of them. \`ci\` begins with an empty folder. */
const INSTALL = `
  const [command, ...options] = process.argv.slice(2);
  const wanted = Object.entries(JSON.parse(fs.readFileSync('package-lock.json')).packages).filter(([path, { dev }]) => path !== '' && `
    + `!(dev && options.includes('--omit=dev')));
  if (command === 'ci') fs.rmSync('node_modules', { recursive: true, force: true });
  for (const [path] of wanted) fs.mkdirSync(path, { recursive: true });
  fs.appendFileSync('commands', [command, ...options].slice(0, 3).join(' ') + '\\n');
  fs.mkdirSync('node_modules/.bin', { recursive: true });
  fs.rmSync('node_modules/.bin/node', { force: true });
  fs.symlinkSync(${JSON.stringify(process.execPath)}, 'node_modules/.bin/node');
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(wanted) }));
  fs.appendFileSync('installations', '.');`;

test('installs once, and again when the lockfile has changed', async t => {
  const project = makeProject(t, { program: 'console.log("served")' });
  t.same(await run(project), { code: 0, signal: null, output: 'served\n', told: INSTALLING });
  t.same(await run(project), { code: 0, signal: null, output: 'served\n', told: '' });
  writeFileSync(join(project, 'package-lock.json'), lockfile('2.0.0'));
  t.equal((await run(project)).told, INSTALLING);
  t.equal(installations(project), 2);
});

test('a start installs no packages of development; a test adds them, and takes nothing away', async t => {
  const project = makeProject(t, { program: 'console.log("served")' });
  const there = () => ['node', 'tool'].filter(name => existsSync(join(project, 'node_modules', name)));
  t.same(await run(project), { code: 0, signal: null, output: 'served\n', told: INSTALLING });
  t.same(there(), ['node']);
  const { ino } = statSync(join(project, 'node_modules/node'));
  t.same(await run(project, 'test'), { code: 0, signal: null, output: 'tested\n', told: ADDING });
  t.same(there(), ['node', 'tool']);
  t.equal(statSync(join(project, 'node_modules/node')).ino, ino, 'a service that runs from it keeps its files');
  for (const action of ['start', 'test']) t.equal((await run(project, action)).told, '', `${action} needs nothing more`);

  writeFileSync(join(project, 'package-lock.json'), lockfile('2.0.0'));
  t.equal((await run(project)).told, INSTALLING, 'another lockfile: what a start needs');
  t.same(there(), ['node']);
  writeFileSync(join(project, 'package-lock.json'), lockfile('3.0.0'));
  t.equal((await run(project, 'test')).told, INSTALLING_ALL, 'and all, where not even that is there');
  t.same(readFileSync(join(project, 'commands'), 'utf8').split('\n'),
    ['ci --omit=dev --no-audit', 'install --no-save --include=dev', 'ci --omit=dev --no-audit', 'ci --include=dev --no-audit', '']);
});

test('packages that npm installed count, at their level', async t => {
  const project = makeProject(t, { program: 'console.log("served")' });
  const byHand = (...args: string[]) => { execFileSync(process.execPath, ['npm-cli.js', ...args], { cwd: project }); };
  byHand('ci', '--omit=dev');
  t.equal((await run(project)).told, '');
  byHand('install', '--include=dev');
  t.equal((await run(project, 'test')).told, '', 'though the last start saw less');
  byHand('ci', '--omit=dev');
  t.equal((await run(project, 'test')).told, ADDING);
});

test('a start and a test at once: the second waits, and adds what is missing', async t => {
  const project = makeProject(t, {
    npm: `while (!fs.existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10); ${INSTALL}`,
    program: 'console.log("served")',
  });
  const begins = launch(project);
  const installing = new Promise(resolve => begins.stderr.once('data', resolve));
  const first = ending(begins);
  await installing;
  const second = launch(project, 'test');
  second.stderr.on('data', said => { if (String(said).includes('Another start')) writeFileSync(join(project, 'go'), ''); });
  t.same((await Promise.all([first, ending(second)])).map(({ output, told }) => [output, told]),
    [['served\n', INSTALLING], ['tested\n', `Another start is installing the dependencies. Waiting for it ...\n${ADDING}`]]);
  t.equal(installations(project), 2);
});

test('two starts at once install once', async t => {
  // The installation goes on until the other start has said that it waits.
  const project = makeProject(t, {
    npm: `while (!fs.existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10); ${INSTALL}`,
    program: 'console.log("served")',
  });
  const starts = [launch(project), launch(project)];
  for (const { stderr } of starts) {
    stderr.on('data', said => { if (String(said).includes('Another start')) writeFileSync(join(project, 'go'), ''); });
  }
  const both = await Promise.all(starts.map(ending));
  t.same(both.map(({ output }) => output), ['served\n', 'served\n']);
  t.equal(installations(project), 1);
  t.equal(both.filter(({ told }) => told === 'Another start is installing the dependencies. Waiting for it ...\n').length, 1);
});

test('an installation that fails is one line, npm\'s output, and exit code 1', async t => {
  const project = makeProject(t, { npm: 'console.error("npm error no such version"); process.exit(7)' });
  t.same(await run(project),
    { code: 1, signal: null, output: '', told: `${INSTALLING}The installation failed (npm ci). npm said:\nnpm error no such version\n` });
});

test('an installation that takes its time says how far it is', async t => {
  const project = makeProject(t, {
    npm: `fs.mkdirSync('node_modules/node', { recursive: true }); while (!fs.existsSync('go')) Atomics.wait(new Int32Array(new `
      + `SharedArrayBuffer(4)), 0, 0, 10); ${INSTALL}`,
    program: 'console.log("served")',
  });
  const start = launch(project);
  start.stderr.on('data', said => { if (String(said).includes('packages')) writeFileSync(join(project, 'go'), ''); });
  const { told, code } = await ending(start);
  t.equal(code, 0);
  t.match(told, /^Installing .*\n( {2}1 of 1 packages are unpacked, and are being set up \(\d+ s\)\n)+$/);
});

test('an npm that runs no install scripts is asked to make the Node that it left out', async t => {
  const project = makeProject(t, { npm: `if (process.argv[2] === 'rebuild') { ${INSTALL} }`, program: 'console.log("served")' });
  t.equal((await run(project)).output, 'served\n');
});

test('ends as the program ended', async t => {
  t.equal((await run(makeProject(t, { program: 'process.exit(3)' }))).code, 3);
  t.equal((await run(makeProject(t, { program: 'process.kill(process.pid, "SIGKILL")' }))).signal, 'SIGKILL');
});

test('passes a signal on once and waits for the program', async t => {
  const project = makeProject(t, { program: `
    let count = 0;
    process.on('SIGTERM', () => { if (++count === 1) setImmediate(() => console.log('told', count), process.stdin.destroy()); });
    process.stdin.resume();
    console.log('ready');` });
  const child = launch(project);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  t.equal((await lines.next()).value, 'ready');
  child.kill('SIGTERM');
  child.kill('SIGTERM');
  t.equal((await lines.next()).value, 'told 1');
  const [code] = await once(child, 'close') as [number];
  t.equal(code, 0);
});

test('without an action the actions are listed', async t => {
  t.match(await run(makeProject(t, {}), 'serve'),
    { code: 1, told: 'Usage: node run.mjs start|test|proof|bench|test:matrix|check|migration|schema|build|codes|explorer [arguments]\n' });
});

function makeProject(t: Test, { npm = INSTALL, program = '' }: { npm?: string; program?: string }): string {
  const project = t.testdir({
    gateway: { 'main.ts': program }, test: { harness: { 'run.ts': 'console.log("tested")' } }, 'package-lock.json': lockfile('1.0.0'),
    'npm-cli.js': `const fs = require('node:fs');\n${npm}`, 'package.json': '{}',
  });
  for (const file of ['run.mjs', 'gateway/strip-types.mjs']) copyFileSync(join(ROOT, file), join(project, file));
  mkdirSync(join(project, 'node_modules'));
  chmodSync(project, 0o755);
  return project;
}

function lockfile(version: string): string {
  return JSON.stringify({ packages: { '': {}, 'node_modules/node': { version }, 'node_modules/tool': { version, dev: true } } });
}

function installations(project: string): number {
  return readFileSync(join(project, 'installations'), 'utf8').length;
}

function launch(project: string, action = 'start'): ChildProcessWithoutNullStreams {
  // Without what tap adds to every Node process: the programs here are not to be traced.
  return spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, join(project, 'run.mjs'), action],
    { env: { ...process.env, npm_execpath: join(project, 'npm-cli.js') } });
}

type Ending = { code: number | null; signal: string | null; output: string; told: string };

function run(project: string, action?: string): Promise<Ending> {
  return ending(launch(project, action));
}

async function ending(child: ChildProcessWithoutNullStreams): Promise<Ending> {
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const [output, told] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code, signal] = await ended;
  return { code, signal, output, told };
}
