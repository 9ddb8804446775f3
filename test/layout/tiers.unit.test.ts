import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { test } from 'tap';
import ts from 'typescript';
import { ROOT } from '../harness/server.ts';
import { tierOf } from '../harness/tiers.ts';

/** The servers of test/matrix are installed there, with tests of their own. */
const exclude = (path: string): boolean => basename(path) === 'node_modules';
const files = globSync('test/**/*.test.ts', { cwd: ROOT, exclude }).sort();
const imports = new Map(globSync('test/**/*.ts', { cwd: ROOT, exclude }).map(file => [file, importsOf(file)]));

/** Files of the tests, and packages. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'));
  return importedFiles.map(({ fileName }) => fileName.startsWith('.') ? normalize(join(dirname(file), fileName)) : fileName);
}

/** Whether the file imports one of these, directly or through other files of the tests. */
function reaches(file: string, targets: string[], seen = new Set<string>()): boolean {
  seen.add(file);
  return (imports.get(file) ?? []).some(target =>
    targets.includes(target) || (imports.has(target) && !seen.has(target) && reaches(target, targets, seen)));
}

test('the name of every test file says its tier', t => {
  for (const file of files) t.doesNotThrow(() => tierOf(file), file);
  t.throws(() => tierOf('test/a/x.slow.test.ts'), /no name of a test file/);
  t.throws(() => tierOf('test/a/x.unit.long.test.ts'), /no name of a test file/);
  t.end();
});

test('a unit test imports nothing that makes databases; a plain one does, or starts processes of its own', t => {
  const ofTier = (tier: string) => files.filter(file => tierOf(file) === tier);
  t.same(ofTier('unit').filter(file => reaches(file, ['test/harness/database.ts'])), []);
  t.same(ofTier('plain').filter(file => !reaches(file, ['test/harness/database.ts', 'node:child_process'])), []);
  t.ok(ofTier('unit').length > 20);
  t.end();
});

/** Loops that wait, and functions that hold one. */
const OWN_WAIT = new RegExp([
  String.raw`for \(const deadline\b`, String.raw`\bfunction (until|soon|waitFor|eventually)\b`,
  String.raw`\btries < \d+; tries\+\+\) (if|await)\b`,
  String.raw`while \(.*\) await (setTimeout|setImmediate|delay|wait|pause)\(`,
].join('|'));

function ownWaits(file: string): string[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines.flatMap((line, n) => OWN_WAIT.test(line) ? [`${file}:${n + 1} ${line.trim()}`] : []);
}

test('a test waits by until(), whose limit knows the machine, and loops in no other way', t => {
  t.same([...imports.keys()].filter(file => file !== 'test/harness/until.ts').flatMap(ownWaits), []);
  t.end();
});
