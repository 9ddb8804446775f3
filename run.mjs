// The way in for every npm script. Plain JavaScript without dependencies, because the oldest Node that may run it
// strips no types and nothing may be installed yet: it installs what the lockfile says, then hands over to the Node
// that the lockfile brings. The scripts say `exec`, because a shell between npm and this process would die of npm's
// SIGTERM and leave this one running.
/* eslint-disable @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-call,
   @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unnecessary-condition,
   @typescript-eslint/restrict-plus-operands, @typescript-eslint/use-unknown-in-catch-callback-variable -- nothing here has types */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(fileURLToPath(import.meta.url));
const MODULES = join(ROOT, 'node_modules');
const NODE = join(MODULES, '.bin', 'node');
const CLI = 'gateway/cli.ts';
const MARK = join(MODULES, '.installed-lockfile');

/**
 * A small young generation: a sixth less memory under load, for no more CPU time. V8 takes it only at its start; the Dockerfile has the
 * image's.
 */
const LEAN = ['--max-semi-space-size=4'];

/** See there. */
const STRIPPED = ['--import', pathToFileURL(join(ROOT, 'gateway/strip-types.mjs')).href];

/**
 * How much of the lockfile an action needs. A start does without the packages of tests and tools, which are two thirds of all.
 * `includes`: whether a package of the lockfile belongs to it; `option`: npm's word for it.
 */
const LEVELS = {
  production: { includes: ({ dev }) => dev !== true, option: '--omit=dev', takes: 'about half a minute' },
  all: { includes: () => true, option: '--include=dev', takes: 'about a minute' },
};

/** Each action is one or more Node programs; all run, and the first that fails gives the exit code. */
const ACTIONS = {
  start: args => [[...LEAN, 'gateway/main.ts', ...args]],
  test: args => [['test/harness/run.ts', ...args]],
  proof: args => [['test/harness/run.ts', '--proof', ...args]],
  bench: args => [...ACTIONS.build(), ['bench/run.ts', ...args]],
  'test:matrix': args => [['test/matrix/run.ts', ...args]],
  check: () => [
    ['node_modules/typescript/bin/tsc', '-p', '.'], ['node_modules/typescript/bin/tsc', '-p', 'client', '--noEmit'],
    ['node_modules/eslint/bin/eslint.js', '.'], ['test/layout/prose.ts'],
  ],
  migration: args => [['test/schema/write-migration.ts', ...args]],
  schema: () => [['test/schema/write-artefact.ts']],
  build: () => [
    ['-e', 'for (const built of ["dist", "client/dist"]) fs.rmSync(built, { recursive: true, force: true })'],
    ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'],
    ['node_modules/typescript/bin/tsc', '-p', 'client'],
    ['gateway/collections/publish-validators.ts'], ['gateway/features/meta/explorer/publish-browser.ts'],
  ],
  codes: () => [['test/docs/codes.ts']],
  explorer: () => [['test/meta/write-explorer.ts']],
};

const [name = '', ...args] = process.argv.slice(2);
const action = ACTIONS[name];
if (!action) stop(`Usage: node run.mjs ${Object.keys(ACTIONS).join('|')} [arguments]`);
await ensureInstalled(name === 'start' ? 'production' : 'all');
await runAll(action(args));

async function runAll(programs) {
  const path = [join(MODULES, '.bin'), process.env.PATH].join(delimiter);
  const ends = [];
  for (const program of programs) {
    ends.push(await run(NODE, [...STRIPPED, ...program], { stdio: 'inherit', env: { ...process.env, PATH: path } }));
  }
  endLike(ends.find(end => end.code !== 0) ?? ends[0]);
}

async function ensureInstalled(level) {
  if (isInstalled(level)) return;
  const turn = await takeTurn();
  if (!isInstalled(level)) await install(level); // unless another start did while this one waited
  turn.close();
}

function isInstalled(level) {
  if (!existsSync(NODE)) return false;
  const mark = existsSync(MARK) ? readFileSync(MARK, 'utf8') : '';
  if (mark === markOf('all') || mark === markOf(level)) return true;
  return matchesLockfile(level) && leaveMark(level);
}

function markOf(level) {
  return `${level} ${createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json'))).digest('hex')}`;
}

function leaveMark(level) {
  try {
    writeFileSync(MARK, markOf(level));
  } catch {
    // An installation that another user owns is compared again at the next start, which takes 20 ms.
  }
  return true;
}

/** Whether npm's own record of what it installed has the packages of a level, in the versions of the lockfile. */
function matchesLockfile(level) {
  const record = join(MODULES, '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return wantedPackages(level).every(([path, { version, optional, devOptional }]) =>
    installed[path] ? installed[path].version === version : optional === true || (level === 'production' && devOptional === true));
}

function wantedPackages(level) {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries(packages).filter(([path, entry]) => path !== '' && LEVELS[level].includes(entry));
}

/** Where the packages of a start are there, the others are added: `npm ci` would remove those first, and a service may run from them. */
async function install(level) {
  const { option, takes } = LEVELS[level];
  const adds = level === 'all' && isInstalled('production');
  say(`Installing ${adds ? 'what tests and tools need' : 'the dependencies'}. The first time this takes ${takes} ...`);
  const began = Date.now();
  const progress = setInterval(() => tellProgress(level, Math.round((Date.now() - began) / 1000)), 3_000);
  await npm([...adds ? ['install', '--no-save'] : ['ci'], option, '--no-audit', '--no-fund', '--loglevel=error']);
  clearInterval(progress);
  // An npm that runs no install scripts leaves the Node package without its program.
  if (!nodeWorks()) await npm(['rebuild', 'node', '--ignore-scripts=false']);
  if (!nodeWorks()) stop(`The Node that the lockfile brings does not run here: ${NODE} -v`);
  // A start builds it while it serves (gateway/start/build-vector.ts); tests need it before they begin.
  if (level === 'all' && existsSync(join(ROOT, CLI))) {
    say('Building pgvector for the embedded server ...');
    await run(NODE, [CLI, 'vector'], { stdio: 'inherit' });
  }
  leaveMark(level);
}

/** npm says nothing until it is done; the folders that it has unpacked tell how far it is. An optional one may be for another system. */
function tellProgress(level, seconds) {
  const wanted = wantedPackages(level).filter(([path, { optional }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !optional);
  const there = wanted.filter(([path]) => existsSync(join(ROOT, path))).length;
  say(`  ${there} of ${wanted.length} packages are unpacked${there < wanted.length ? '' : ', and are being set up'} (${seconds} s)`);
}

function nodeWorks() {
  return spawnSync(NODE, ['-v']).status === 0;
}

/** Silent unless it fails. */
async function npm(args) {
  const byNpm = process.env.npm_execpath?.endsWith('npm-cli.js'); // the npm that runs us
  const [file, ...first] = byNpm ? [process.execPath, process.env.npm_execpath] : ['npm'];
  let output = '';
  const end = await run(file, [...first, ...args, ...cacheOption()], { stdio: ['ignore', 'pipe', 'pipe'] }, text => output += text);
  if (end.code === 0) return;
  if (end.signal) endLike(end);
  stop(`The installation failed (npm ${args[0]}). npm said:\n${output.trim()}`);
}

/** A user without a writable home, as services have, gets a cache in the project. */
function cacheOption() {
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm');
  return isWritable(cache) ? [] : ['--cache', join(ROOT, '.data', 'npm-cache')];
}

function isWritable(path) {
  if (!existsSync(path)) return dirname(path) !== path && isWritable(dirname(path));
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * One of two starts in one folder installs and the other waits. The lock is a listening socket: the kernel closes it with its process,
 * however that ends, and every connected process learns so at once.
 */
async function takeTurn() {
  const key = `rowgate-install-${createHash('sha256').update(ROOT).digest('hex').slice(0, 24)}`;
  const address = process.platform === 'linux' ? `\0${key}` : join(tmpdir(), `${key}.sock`);
  for (let isFirst = true; ; isFirst = false) {
    const turn = await holdAddress(address);
    if (turn) return turn;
    if (isFirst) say('Another start is installing the dependencies. Waiting for it ...');
    await holderEnds(address);
  }
}

async function holdAddress(address) {
  const waiting = new Set();
  const server = createServer(socket => waiting.add(socket.on('error', () => socket.destroy())));
  try {
    await once(server.listen(address), 'listening');
  } catch (error) {
    if (error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
  return {
    close() {
      server.close();
      for (const socket of waiting) socket.destroy();
    },
  };
}

async function holderEnds(address) {
  const socket = connect(address).resume();
  try {
    await once(socket, 'close'); // rejects when no process listens
  } catch {
    if (!address.startsWith('\0')) rmSync(address, { force: true }); // a socket file that outlived its process
  }
}

/** Resolves with how the program ended. Each signal is passed on once: a terminal sends Ctrl-C to it as well. */
async function run(file, args, options, onOutput) {
  const child = spawn(file, args, { cwd: ROOT, ...options });
  child.stdout?.setEncoding('utf8').on('data', onOutput);
  child.stderr?.setEncoding('utf8').on('data', onOutput);
  const forwards = ['SIGINT', 'SIGTERM', 'SIGHUP'].map(signal => [signal, passOnce(child, signal)]);
  const [code, signal] = await once(child, 'close').catch(error => stop(`${file} could not be started: ${error.message}`));
  for (const [name, forward] of forwards) process.off(name, forward);
  return { code, signal };
}

function passOnce(child, signal) {
  let isPassed = false;
  const forward = () => {
    if (!isPassed) child.kill(signal);
    isPassed = true;
  };
  process.on(signal, forward);
  return forward;
}

/** Ends this process the way the program ended, so that a caller sees the same. */
function endLike({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  else process.exit(code);
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function stop(line) {
  say(line);
  process.exit(1);
}
