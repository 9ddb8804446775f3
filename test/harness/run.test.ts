// The runner on small test files of a folder of its own, which write down what they see.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type Test } from 'tap';
import { ROOT } from './server.ts';

type Ran = { code: number | null; output: string; errors: string; seen: string[] };

type Options = { env?: Record<string, string>; names?: string[] };

/** Runs these files of `test/`, or of them those that are named, as `npm test` does. `seen`: the lines that the files wrote. */
async function run(t: Test, files: Record<string, string>, { env = {}, names = [] }: Options = {}): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-run-'));
  t.teardown(() => { rmSync(folder, { recursive: true }); });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'test/a', name)), { recursive: true });
    writeFileSync(join(folder, 'test/a', name), HEAD + text);
  }
  writeFileSync(join(folder, 'seen'), '');
  const child = spawn(process.execPath, [...process.execArgv, join(ROOT, 'test/harness/run.ts'), ...names], {
    cwd: folder, env: { ...process.env, CI: '', ...env }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => { output += text; });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { errors += text; });
  const [code] = await once(child, 'close') as [number | null];
  return { code, output, errors, seen: readFileSync(join(folder, 'seen'), 'utf8').split('\n').filter(line => line !== '') };
}

const HEAD = `
  import { appendFileSync, readFileSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  import { test } from 'tap';
  const say = (line: string) => appendFileSync('seen', line + '\\n');
  const times = (line: string) => readFileSync('seen', 'utf8').split('\\n').filter(other => other === line).length;
`;

const green = (name: string): string => `test('${name}', t => { say('${name}'); t.pass('of ${name}'); t.end(); });`;

/** Two assertions, of which one fails until the file runs for the nth time. */
const greenAt = (name: string, nth: number): string => `test('${name}', t => {
  say('${name}');
  t.pass('always');
  t.ok(times('${name}') >= ${nth}, 'the fault of ${name}');
  t.end();
});`;

/** Is at work for a while. */
const slow = (name: string): string => `test('${name}', async t => {
  say('${name} begins');
  await setTimeout(100);
  say('${name} ends');
  t.pass();
});`;

const TOTALS = /^# \{ total: .*\}$/m;

test('without names every tier but long runs, timing files after all others and one at a time', async t => {
  const files = {
    'one.timing.test.ts': slow('timing one'), 'two.timing.test.ts': slow('timing two'),
    'three.unit.test.ts': slow('unit'), 'four.test.ts': slow('plain'), 'five.long.test.ts': green('long'),
    'node_modules/six/seven.test.ts': green('of a package'),
  };
  const { code, seen, output } = await run(t, files);
  t.equal(code, 0, 'exit code', { output });
  t.same(seen.slice(-4), ['timing one begins', 'timing one ends', 'timing two begins', 'timing two ends']);
  t.same(seen.slice(0, -4).sort(), ['plain begins', 'plain ends', 'unit begins', 'unit ends']);
  t.ok((await run(t, files, { names: ['test'] })).seen.includes('long'), 'a folder that is named runs whole');
  t.same((await run(t, files, { names: ['test/a/five.long.test.ts'] })).seen, ['long']);
});

test('a file that fails runs again when all others are over; green then, it counts as passed, and its first output is shown', async t => {
  const files = { 'a.unit.test.ts': greenAt('a', 2), 'b.unit.test.ts': green('b'), 'c.unit.test.ts': greenAt('c', 3) };
  const { code, output, errors, seen } = await run(t, files);
  t.equal(code, 0, 'exit code', { output });
  t.same([seen.slice(0, 3).sort(), seen.slice(3).sort()], [['a', 'b', 'c'], ['a', 'c', 'c']]);
  t.equal(TOTALS.exec(output)?.[0], '# { total: 5, pass: 5 }', 'the counts of the last run take the place of the first');
  t.match(output, /^flaky: test\/a\/a\.unit\.test\.ts\n(# .*\n)*# +not ok 2 - the fault of a$/m);
  t.match(output, /^flaky: test\/a\/c\.unit\.test\.ts$/m);
  t.match(output, /^# Green only when they ran again: test\/a\/[ac]\.unit\.test\.ts, test\/a\/[ac]\.unit\.test\.ts\.$/m);
  t.notMatch(output, /^not ok/m);
  t.match(errors, /a\.unit\.test\.ts failed, and runs again .*\n.*\n#\s+not ok 2 - the fault of a/, 'it is told at once as well');
});

test('a file that fails three times has failed', async t => {
  const { code, output, seen } = await run(t, { 'a.unit.test.ts': greenAt('a', 4), 'b.unit.test.ts': green('b') });
  t.equal(code, 1);
  t.same([seen.slice(0, 2).sort(), seen.slice(2)], [['a', 'b'], ['a', 'a']]);
  t.equal(TOTALS.exec(output)?.[0], '# { total: 3, pass: 2, fail: 1 }');
  t.match(output, /^not ok 2 - test\/a\/a\.unit\.test\.ts/m);
  t.notMatch(output, /flaky/);
});

/** So many files that are green when they run again. */
const flaky = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}.unit.test.ts`, greenAt(`f${n}`, 2)]));

test('more than three flaky files fail in CI, and nowhere else', async t => {
  t.equal((await run(t, flaky(4))).code, 0);
  t.equal((await run(t, flaky(3), { env: { CI: 'true' } })).code, 0);
  t.match(await run(t, flaky(4), { env: { CI: 'true' } }), { code: 1, errors: /^4 files were flaky; CI lets 3 pass\.$/m });
});

test('where more than ten files fail none runs again', async t => {
  const { code, output, errors, seen } = await run(t, flaky(11));
  t.equal(code, 1);
  t.equal(seen.length, 11);
  t.equal(TOTALS.exec(output)?.[0], '# { total: 22, pass: 11, fail: 11 }');
  t.match(errors, /^11 files failed: too many for chance, none runs again\.$/m);
});

test('a file that ends its process, or leaves it open to an error, is found out and runs again', async t => {
  const dies = `test('dies', t => { say('dies'); if (times('dies') < 2) process.exit(0); t.pass(); t.end(); });`;
  const { code, seen, output } = await run(t, { 'a.unit.test.ts': dies, 'b.unit.test.ts': green('b') });
  t.equal(code, 0, 'exit code', { output });
  t.same([seen.slice(0, 2).sort(), seen.slice(2)], [['b', 'dies'], ['dies']]);
  t.match(output, /^flaky: test\/a\/a\.unit\.test\.ts$/m);
  t.equal(TOTALS.exec(output)?.[0], '# { total: 2, pass: 2 }');

  const late = `test('late', t => {
    say('late');
    if (times('late') < 2) setTimeout(300).then(() => { process.exitCode = 1; });
    t.pass();
    t.end();
  });`;
  const after = await run(t, { 'a.unit.test.ts': late });
  t.equal(after.code, 0, 'exit code', { output: after.output });
  t.match(after.output, /^flaky: the end of a process, after test\/a\/a\.unit\.test\.ts$/m);
  t.same(after.seen, ['late', 'late']);
});

test('a unit test has no server, and a name without a tier is refused', async t => {
  const asks = `
    import { server } from '${join(ROOT, 'test/harness/server.ts')}';
    test('asks', async t => { await t.rejects(server(), /has no server/); });`;
  const { code, errors, output } = await run(t, { 'a.unit.test.ts': asks });
  t.equal(code, 0, 'exit code', { output });
  t.notMatch(errors, /The tests use/, 'nor is one started for it');
  t.match(await run(t, { 'a.slow.test.ts': green('a') }), { code: 1, errors: /a\.slow\.test\.ts is no name of a test file/, seen: [] });
});

test('random tests run whole with --proof, and the processes know how slow the machine is', async t => {
  const shows = `test('shows', t => {
    say([process.env.ROWGATE_PROOF, Number(process.env.ROWGATE_SLOWNESS) >= 1].join());
    t.pass();
    t.end();
  });`;
  t.match((await run(t, { 'a.unit.test.ts': shows }, { names: ['--proof'], env: { ROWGATE_PROOF: '' } })).seen, ['1,true']);
});
