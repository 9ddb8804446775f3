// `npm test [-- files and folders]`: tap over what is named, or over all, with one server for the whole run.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { disagreements } from '../docs/codes.ts';
import { forgetAnswers, recordedAnswers } from './answers.ts';
import { dropLeftovers } from './database.ts';
import { installPgbouncer } from './pgbouncer.ts';
import { leaveServer, ROOT, server } from './server.ts';

/** Databases on a server that is not ours may be of a run that goes on. */
const AN_HOUR = 3_600_000;

const named = process.argv.slice(2);
const files = named.flatMap(testsIn);
if (named.length > 0 && files.length === 0) throw new Error(`There is no test in ${named.join(', ')}.`); // tap would run all
if (files.length === 0 || files.some(file => file.startsWith('test/pooler/'))) await installPoolers();
const { url, kind } = await server();
console.error(`The tests use ${kind}.`);
if (process.env['DATABASE_URL']) await dropLeftovers(url, AN_HOUR);
const isWhole = files.length === 0;
if (isWhole) forgetAnswers();

// As installed, tap has a TypeScript loader of its own, which takes seconds a file. Node strips types by itself.
const TAP = join(ROOT, 'node_modules/tap/dist/esm/run.mjs');
const built = readFileSync(join(ROOT, 'node_modules/@tapjs/test/test-built/dist/esm/index.js'), 'utf8');
if (built.includes('@tapjs/typescript')) spawnSync(process.execPath, [TAP, 'build'], { cwd: ROOT });

/** A test file keeps a core busy; all of them share the connections of one server. */
const jobs = Math.min(Math.max(availableParallelism(), 2), 4);

const tap = spawn(process.execPath, [TAP, 'run', `--jobs=${jobs}`, ...files], { stdio: 'inherit', cwd: ROOT });
process.on('SIGINT', () => undefined); // a terminal's Ctrl-C reaches tap as well
process.on('SIGTERM', () => tap.kill('SIGTERM'));
const [code] = await once(tap, 'exit') as [number | null];
await leaveServer();
process.exitCode = code ?? 1;
if (isWhole && code === 0) compareCodes();

/** What failed may be what would have been answered, so this is only asked of a run that is green. */
function compareCodes(): void {
  const problems = disagreements(recordedAnswers());
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

/** Tests that lack one say so. */
async function installPoolers(): Promise<void> {
  for (const version of ['1.18', '1.24'] as const) {
    await installPgbouncer(version).catch((error: unknown) => console.error(`There is no PgBouncer ${version} for the tests: ${((error as Error).message.split('\n')[0] ?? '')}`));
  }
}

function testsIn(name: string): string[] {
  const isFolder = statSync(join(ROOT, name), { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? globSync(join(name, '**/*.test.ts'), { cwd: ROOT }) : [name];
}
