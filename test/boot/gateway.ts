import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';
import { JWT_SECRET, SERVICE_KEY } from '../harness/service.ts';
import { ROOT } from '../harness/server.ts';

/** How a gateway ended: its exit code, what it printed to standard error, and both streams together. */
export type End = { code: number | null; stderr: string; output: string };
export type Gateway = { process: ChildProcess; ended: Promise<End>; folder: string; output: () => string };

/** Gone after the test. */
export function emptyFolder(t: Pick<Test, 'teardown'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-boot-'));
  chmodSync(folder, 0o755); // an embedded server's user enters it
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

/**
 * `node gateway/main.ts` as a process of its own, in an empty folder if no other is named, with this environment and no other. Killed after
 * the test.
 */
export function startGateway(
  t: Pick<Test, 'teardown'>, env: Record<string, string>, folder = emptyFolder(t), program = 'main.ts', args: string[] = [],
): Gateway {
  const child = spawn(process.execPath, [...process.execArgv, join(ROOT, 'gateway', program), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'test', JWT_SECRET, SERVICE_SERVICE_KEY: SERVICE_KEY, PORT: '0', DB_POOL_MAX: '5', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { ended, output } = followed(child);
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { process: child, ended, folder, output };
}

/** A gateway that is expected to end by itself. */
export function runGateway(t: Pick<Test, 'teardown'>, env: Record<string, string>, folder?: string): Promise<End> {
  return startGateway(t, env, folder).ended;
}

/** A command of the package that is expected to end by itself. */
export function runCommand(t: Pick<Test, 'teardown'>, args: string[], env: Record<string, string>, folder?: string): Promise<End> {
  return startGateway(t, env, folder, 'cli.ts', args).ended;
}

/** Resolves with the address of a gateway once it serves. */
export async function addressOf({ process: child, ended }: Gateway): Promise<string> {
  if (child.stdout === null) throw new Error('without output');
  const lines = createInterface(child.stdout);
  const address = new Promise<string>(resolve => lines.on('line', line => {
    const found = /Address\s+(http:\S+)/.exec(line)?.[1];
    if (found !== undefined) resolve(found);
  }));
  const early = ended.then(({ output }) => { throw new Error(`The gateway ended: ${output}`); });
  return Promise.race([address, early]);
}

/** A gateway that serves the tables of a database with this settings file. */
export async function startedWith(t: Pick<Test, 'teardown'>, settings: object, env: Record<string, string>): Promise<Gateway> {
  const folder = emptyFolder(t);
  writeFileSync(join(folder, 'rowgate.json'), JSON.stringify(settings));
  const gateway = startGateway(t, { ...env, SERVICE_SOURCE: 'tables' }, folder);
  await addressOf(gateway);
  return gateway;
}

function followed(child: ChildProcess): Pick<Gateway, 'ended' | 'output'> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (part: string) => { stdout += part; });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => { stderr += part; });
  const output = () => stdout + stderr;
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, stderr, output: output() }));
  return { ended, output };
}
