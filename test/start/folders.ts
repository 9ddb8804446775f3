import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import type { Test } from 'tap'; // whole, or a process's root test is torn down, which then ends between two files
import { startEmbedded, type Embedded, type EmbeddedOptions } from '../../gateway/embedded/embedded.ts';
import { until } from '../harness/until.ts';

export const isRoot = process.getuid?.() === 0;

/** A folder that everyone may enter, gone after the test. The test's server gets a folder in it that does not exist yet. */
export function freshFolder(t: Pick<Test, 'teardown'>, { mode = 0o755, uid }: { mode?: number; uid?: number } = {}): string {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'rowgate-')));
  chmodSync(parent, mode);
  if (uid !== undefined) chownSync(parent, uid, uid);
  const folder = join(parent, 'postgres');
  t.teardown(() => {
    if (existsSync(folder) && realpathSync(folder) !== folder) rmSync(dirname(realpathSync(folder)), { recursive: true });
    rmSync(parent, { recursive: true });
  });
  return folder;
}

let made: Promise<string> | undefined;

/** The same with a server's data in it, as after a first start. Copied from one: to make it takes half a second. */
export async function usedFolder(t: Pick<Test, 'teardown'>): Promise<string> {
  made ??= makeOnce();
  const folder = freshFolder(t);
  execFileSync('cp', ['-a', await made, folder]);
  return folder;
}

async function makeOnce(): Promise<string> {
  const folder = freshFolder({ teardown: remove => void process.once('exit', remove) });
  const server = await startEmbedded({ dir: folder });
  await server.stop();
  return folder;
}

/** A server in this process, stopped after the test. Stopping it twice is harmless. */
export async function start(t: Pick<Test, 'teardown'>, dir: string, options: Omit<EmbeddedOptions, 'dir'> = {}): Promise<Embedded> {
  const server = await startEmbedded({ dir, ...options });
  t.teardown(server.stop);
  return server;
}

/** The report of `serve.ts`: it serves, or why it does not. */
export type Served = { process: ChildProcess; url: string; pid: number; failure: string; told: string[] };

/** A gateway's process of its own, killed after the test. */
export async function serve(
  t: Pick<Test, 'teardown'>, dir: string,
  { uid, program = fileURLToPath(new URL('serve.ts', import.meta.url)) }: { uid?: number; program?: string } = {},
): Promise<Served> {
  // Without what tap adds to every Node process: files written where another user may not.
  const child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, program, dir],
    { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/', ...(uid === undefined ? {} : { uid, gid: uid }) });
  t.teardown(() => end(child, 'SIGTERM'));
  for await (const line of createInterface(child.stdout)) return { process: child, ...JSON.parse(line) as Omit<Served, 'process'> };
  throw new Error('The process ended without a word.');
}

/** Resolves when the process has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Resolves when a folder that another process is about to make and fill holds such a name. */
export async function untilFound(folder: string, name: RegExp): Promise<void> {
  await until(`${folder} has ${String(name)}`, () => existsSync(folder) && readdirSync(folder).some(entry => name.test(entry)));
}

/** One statement on a connection of its own. */
export async function ask(url: string, statement: string): Promise<postgres.Row[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

export async function keepNote(url: string): Promise<void> {
  await ask(url, `create table note (text text); insert into note values ('kept')`);
}

export async function readNote(url: string): Promise<unknown> {
  const [row] = await ask(url, 'select text from note');
  return row?.['text'];
}
