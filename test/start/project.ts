import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, chmodSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ROOT } from '../harness/server.ts';

/** The files of a user's clone. The installation is shared: installing has tests of its own. */
const CLONED = ['gateway', 'sql', 'policies', 'migrations', 'examples', 'run.mjs', 'package.json', 'package-lock.json'];

/** A clone in an empty folder, gone after the test together with what its server made elsewhere. */
export function clone(t: Pick<Test, 'teardown'>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rowgate-start-')));
  chmodSync(folder, 0o755);
  for (const name of CLONED) cpSync(join(ROOT, name), join(folder, name), {
    recursive: true, force: true, verbatimSymlinks: true, filter: source => !source.endsWith('/fixtures'),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type Started = { process: ChildProcess; port: number; key: string; curl: string; output: () => string };

/** `npm start` in a process group of its own, as in a terminal. Resolves when it serves; interrupted after the test. */
export async function npmStart(t: Pick<Test, 'teardown'>, folder: string, env: Record<string, string> = {}): Promise<Started> {
  const { child, output } = npm(folder, env);
  t.teardown(() => interrupt(child));
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', () => { if (output().includes('Try\n')) resolve(); });
    child.once('exit', () => reject(new Error(`npm start ended:\n${output()}`)));
  });
  const [, port = ''] = /http:\/\/localhost:(\d+)/.exec(output()) ?? [];
  const [, key = ''] = /Service key\s+(\S+)/.exec(output()) ?? [];
  const [curl = ''] = /curl (?:.*\\\n)*.*/.exec(output()) ?? [];
  return { process: child, port: Number(port), key, curl, output };
}

/** `npm start` that is expected to give up: its exit code and what it said. */
export async function npmStartFails(folder: string, env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const { child, output } = npm(folder, env);
  const [code] = await once(child, 'exit') as [number | null];
  return { code, output: output() };
}

function npm(folder: string, env: Record<string, string>): { child: ChildProcess; output: () => string } {
  // Without what the test runner adds to every Node process, and without its database.
  const clean = { ...process.env, NODE_OPTIONS: undefined, DATABASE_URL: undefined };
  const child = spawn('npm', ['start'], { cwd: folder, env: { ...clean, ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => { text += String(chunk); });
  return { child, output: () => text };
}

/** Ctrl-C: the signal reaches the whole group. Resolves when npm has ended. */
export async function interrupt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGINT');
  await ended;
}

/** The process id of the clone's database server, as the server itself recorded it. */
export function postmasterPid(folder: string): number {
  return Number.parseInt(readFileSync(join(folder, '.data/postgres/data/postmaster.pid'), 'utf8'), 10);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
