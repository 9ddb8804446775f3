// `npm test [-- files and folders]`, or `npm run proof` for random tests at their full length: the test files that are named,
// or all that are not left to .ci/run, against one server for the whole run. TAP goes out, a file at a time; in a terminal, of a file that is green its last line.
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { disagreements } from '../docs/codes.ts';
import { forgetAnswers, recordedAnswers } from './answers.ts';
import { dropLeftovers } from './database.ts';
import { installPgbouncer } from './pgbouncer.ts';
import { VERSION, type Counts } from './process.ts';
import { runFiles, type Result } from './runner.ts';
import { leaveServer, ROOT, server } from './server.ts';

/**
 * Minutes of starting and killing servers, of installing packages (a store that speaks S3), of a browser, of compiling clients, of floods, of large tables, of
 * taking over an old schema, of changing tables and policies under load, of long random sequences. Run when they are named, or `test` is, as .ci/run does.
 */
const LEFT_OUT = [
  'test/accounts/model.test.ts', 'test/attack/floods.test.ts', 'test/attack/rules-matrix.test.ts', 'test/bench/same.test.ts',
  'test/boot/drift.test.ts', 'test/database/ddl.test.ts', 'test/database/outage.test.ts',
  'test/database/statements-memory.test.ts', 'test/editing/crash.test.ts', 'test/http/heap.test.ts', 'test/http/slow-clients.test.ts',
  'test/limits/model.test.ts', 'test/meta/client.test.ts',
  'test/meta/explorer-browser.test.ts', 'test/package', 'test/pooler', 'test/read/plans.test.ts', 'test/read/ranked-search-fuzz.test.ts',
  'test/realtime/gaps.test.ts', 'test/realtime/kills.test.ts', 'test/realtime/page.test.ts', 'test/replica',
  'test/schema/adoption.test.ts', 'test/start/embedded.test.ts', 'test/start/embedded-root.test.ts', 'test/start/start.test.ts',
  'test/start/vector.test.ts', 'test/storage/gcs.test.ts', 'test/storage/kills-s3.test.ts', 'test/storage/kills.test.ts',
  'test/storage/s3.test.ts', 'test/storage/tus-page.test.ts', 'test/storage/tus-rivals.test.ts', 'test/storage/tus-s3.test.ts', 'test/workers/ending.test.ts',
  'test/workers/orphans.test.ts', 'test/write/crash.test.ts', 'test/write/fuzz.test.ts',
];

/** Databases on a server that is not ours may be of a run that goes on. */
const AN_HOUR = 3_600_000;

/** At most so many lines of what an assertion says of its failure. */
const SAID = 40;

/** A test's own line. */
const RESULT = /^(not )?ok \d+ - /;

/** A file keeps two thirds of a core busy, with its connections to the server; one that starts and kills servers mostly waits. */
const JOBS = Math.min(availableParallelism() + 2, 4);

const named = process.argv.slice(2).filter(name => name !== '--proof');
if (process.argv.includes('--proof')) process.env['ROWGATE_PROOF'] = '1';
const all = testsIn('test').filter(file => !LEFT_OUT.some(name => isIn(file, name)));
const files = named.length === 0 ? all : [...new Set(named.flatMap(testsIn))];
const isWhole = all.every(file => files.includes(file));
if (files.length === 0) throw new Error(`There is no test in ${named.join(', ')}.`);
if (named.length === 0) console.error(`Left to .ci/run, or to be named: ${LEFT_OUT.join(', ')}.`);

if (files.some(file => isIn(file, 'test/pooler'))) await installPoolers();
const { url, kind } = await server();
console.error(`The tests use ${kind}.`);
if (process.env['DATABASE_URL']) await dropLeftovers(url, AN_HOUR);
if (isWhole) forgetAnswers();

const results: Result[] = [];
const began = Date.now();
console.log(VERSION);
const { finished, stop } = runFiles(files, JOBS, report);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
await finished;
await leaveServer();
conclude();

/** Of a file that is green a terminal shows its last line. */
function report(result: Result): void {
  results.push(result);
  const last = `${result.ok ? 'ok' : 'not ok'} ${results.length} - ${result.name} # time=${result.ended - result.began}ms`;
  const lines = result.lines.map(line => RESULT.test(line) ? last : line);
  if (!lines.includes(last)) lines.push(last);
  console.log(process.stdout.isTTY && result.ok ? last : lines.join('\n'));
}

function conclude(): void {
  const isGreen = results.every(({ ok }) => ok);
  const counts = Object.entries(sum(results)).map(([kind, count]) => `${kind}: ${count}`);
  console.log(`1..${results.length}\n\n${results.flatMap(failures).join('\n')}\n${table(results)}\n# { ${counts.join(', ')} }`);
  console.log(`# time=${Date.now() - began}ms`);
  // What failed may be what would have been answered, so this is only asked of a run that is green.
  const problems = isWhole && isGreen ? disagreements(recordedAnswers()) : [];
  for (const problem of problems) console.error(problem);
  process.exitCode = isGreen && problems.length === 0 ? 0 : 1;
}

/** Said again at the end, where it is found: assertions that failed, and what they say. A subtest, which has a time, failed of one. */
function failures({ ok, name, lines }: Result): string[] {
  if (ok) return [];
  const found = lines.flatMap((line, n) => /^\s*not ok (?!.*# time=)/.test(line) ? [`# ${name}:`, ...lines.slice(n, n + SAID)] : []);
  return [`# ${name} failed.`, ...found].map(line => line.startsWith('#') ? line : `#   ${line}`);
}

/** What each folder took from its first file's start to its last file's end, the longest first. */
function table(results: Result[]): string {
  const folders = [...Map.groupBy(results, ({ folder }) => folder)].map(([folder, files]) => ({
    folder,
    counts: sum(files),
    seconds: (Math.max(...files.map(({ ended }) => ended)) - Math.min(...files.map(({ began }) => began))) / 1000,
  }));
  return folders.sort((a, b) => b.seconds - a.seconds)
    .map(({ folder, seconds, counts: { pass, fail } }) =>
      `# ${seconds.toFixed(1).padStart(6)} s  ${folder.padEnd(16)}  ${pass ?? 0} passed, ${fail ?? 0} failed`)
    .join('\n');
}

function sum(results: Result[]): Counts {
  const counts: Counts = { total: 0, pass: 0 };
  for (const result of results) {
    for (const [kind, count] of Object.entries(result.counts) as [keyof Counts, number][]) counts[kind] = (counts[kind] ?? 0) + count;
  }
  return counts;
}

function testsIn(name: string): string[] {
  const isFolder = statSync(join(ROOT, name), { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? globSync(join(name, '**/*.test.ts'), { cwd: ROOT }).sort() : [name];
}

function isIn(file: string, name: string): boolean {
  return file === name || file.startsWith(`${name}/`);
}

/** Tests that lack one say so. */
async function installPoolers(): Promise<void> {
  for (const version of ['1.18', '1.24'] as const) {
    await installPgbouncer(version).catch((error: unknown) => {
      console.error(`There is no PgBouncer ${version} for the tests: ${((error as Error).message.split('\n')[0] ?? '')}`);
    });
  }
}
