// `npm test [-- files and folders]` runs the tests that are named, without a name every tier but long, against one server;
// `npm run proof` gives random tests their full length. TAP goes out, a file at a time. The tests are those of the working directory.
import { globSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { disagreements } from '../docs/codes.ts';
import { forgetAnswers, recordedAnswers } from './answers.ts';
import { dropLeftovers } from './database.ts';
import { installPgbouncer } from './pgbouncer.ts';
import { VERSION } from './process.ts';
import { failuresOf, sumOf, tableOf, tapOf, type Final } from './report.ts';
import { createRunner, type Result } from './runner.ts';
import { leaveServer, ROOT, server } from './server.ts';
import { measureSlowness, slowness } from './slowness.ts';
import { ruleOf } from './tiers.ts';

/** Databases on a server that is not ours may be of a run that goes on. */
const AN_HOUR = 3_600_000;

/** How often a file that failed runs again. */
const RERUNS = 2;

/** So many failed files are no chance: they do not run again. */
const TOO_MANY = 10;

/** So many flaky files CI lets pass. */
const FLAKY_IN_CI = 3;

const named = process.argv.slice(2).filter(name => name !== '--proof');
if (process.argv.includes('--proof')) process.env['ROWGATE_PROOF'] = '1';
const usual = testsIn('test').filter(file => ruleOf(file).isInNpmTest);
const files = named.length === 0 ? usual : [...new Set(named.flatMap(testsIn))];
/** The answers of a run of everything that npm test runs are compared with docs/errors.md. */
const isWhole = relative(ROOT, '.') === '' && usual.every(file => files.includes(file));
if (files.length === 0) throw new Error(`There is no test in ${named.join(', ')}.`);
if (named.length === 0) console.error('Tests of *.long.test.ts are left to .ci/run and npm run proof, or run when they are named.');

if (files.some(file => file.startsWith('test/pooler/'))) await installPoolers();
if (files.some(file => ruleOf(file).needsServer)) await reachServer();
if (isWhole) forgetAnswers();
await measureSlowness();
if (slowness() > 1) console.error(`This machine is ${slowness()} times slower than usual: tests wait as much longer.`);

const results: Final[] = [];
const failed: Result[] = [];
const began = Date.now();
const runner = createRunner();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, runner.stop);
console.log(VERSION);
await runner.run(files.filter(file => !ruleOf(file).isAlone), take);
await runner.run(files.filter(file => ruleOf(file).isAlone), take, 1);
if (failed.length > TOO_MANY) console.error(`${failed.length} files failed: too many for chance, none runs again.`);
for (const result of failed) report(failed.length > TOO_MANY ? result : await tryAgain(result));
await leaveServer();
conclude();

/** A failure is reported when it has run again. */
function take(result: Result): void {
  if (result.ok) return report(result);
  failed.push(result);
  console.error([`${result.name} failed, and runs again when all others are over:`, ...failuresOf(result).slice(1)].join('\n'));
}

async function tryAgain(first: Result): Promise<Final> {
  let last = first;
  for (let run = 0; run < RERUNS && !last.ok && !runner.isStopped(); run++) last = await runner.again(first);
  return last === first ? first : { ...last, first };
}

function report(result: Final): void {
  results.push(result);
  console.log(tapOf(result, results.length, process.stdout.isTTY));
}

function conclude(): void {
  const flaky = results.filter(({ ok, first }) => ok && first !== undefined);
  const isGreen = results.every(({ ok }) => ok) && !runner.isStopped();
  const counts = Object.entries(sumOf(results)).map(([kind, count]) => `${kind}: ${count}`);
  console.log(`1..${results.length}\n\n${results.flatMap(failuresOf).join('\n')}\n${tableOf(results)}\n# { ${counts.join(', ')} }`);
  console.log(`# time=${Date.now() - began}ms`);
  if (flaky.length > 0) console.log(`# Green only when they ran again: ${flaky.map(({ name }) => name).join(', ')}.`);
  // A code that no test was answered with may be one of a test that failed, so only a run that is green is asked.
  const problems = isWhole && isGreen ? disagreements(recordedAnswers()) : [];
  if (process.env['CI'] === 'true' && flaky.length > FLAKY_IN_CI) {
    problems.push(`${flaky.length} files were flaky; CI lets ${FLAKY_IN_CI} pass.`);
  }
  for (const problem of problems) console.error(problem);
  process.exitCode = isGreen && problems.length === 0 ? 0 : 1;
}

function testsIn(name: string): string[] {
  const isFolder = statSync(name, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? globSync(join(name, '**/*.test.ts'), { exclude: path => basename(path) === 'node_modules' }).sort() : [name];
}

async function reachServer(): Promise<void> {
  const { url, kind } = await server();
  console.error(`The tests use ${kind}.`);
  if (process.env['DATABASE_URL']) await dropLeftovers(url, AN_HOUR);
}

/** Tests that lack one say so. */
async function installPoolers(): Promise<void> {
  for (const version of ['1.18', '1.24'] as const) {
    await installPgbouncer(version).catch((error: unknown) => {
      console.error(`There is no PgBouncer ${version} for the tests: ${((error as Error).message.split('\n')[0] ?? '')}`);
    });
  }
}
