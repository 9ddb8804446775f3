import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Test } from 'tap';
import { ROOT } from '../harness/server.ts';

/** PATH as a user has it, without what npm and the test runner put in front. */
const PATH = (process.env['PATH'] ?? '').split(delimiter).filter(folder => !folder.includes('node_modules')).join(delimiter);
const ENVIRONMENT = { PATH, HOME: process.env['HOME'] };

/** The Node that a user of this system has, as `v20.1.0`. */
export const systemNode = execFileSync('node', ['-v'], { env: ENVIRONMENT, encoding: 'utf8' }).trim();

/** The package, packed and installed in a folder that everyone may enter, gone after the test. Undefined without a registry. */
export function installPackage(t: Pick<Test, 'teardown' | 'comment'>): string | undefined {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rowgate-package-')));
  chmodSync(folder, 0o755);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  npm(ROOT, 'pack', '--pack-destination', folder);
  const tarball = readdirSync(folder).find(name => name.endsWith('.tgz')) ?? '';
  const { status, output } = npm(folder, 'install', join(folder, tarball), '--prefer-offline', '--no-audit', '--no-fund');
  if (status === 0) return folder;
  if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED/.test(output)) throw new Error(`npm install failed:\n${output}`);
  t.comment('The npm registry cannot be reached: the package is not installed.');
  return undefined;
}

/** With the npm that a user has. */
export function npm(cwd: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, env: ENVIRONMENT, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** A command of the installed package, whole. */
export function rowgate(folder: string, args: string[], env: Record<string, string> = {}): {
  status: number | null; stdout: string; stderr: string;
} {
  const options = { cwd: folder, env: { ...ENVIRONMENT, ...env }, maxBuffer: 2 ** 24 }; // a plan holds the text of each function
  return spawnSync(join(folder, 'node_modules/.bin/rowgate'), args, { ...options, encoding: 'utf8' });
}

export type Started = { process: ChildProcess; output: () => string };

/** `rowgate start` there. Resolves when it has said what the pattern describes; ended after the test. */
export async function startPackage(
  t: Pick<Test, 'teardown'>, folder: string, env: Record<string, string>, ready: RegExp,
): Promise<Started> {
  const child = spawn(join(folder, 'node_modules/.bin/rowgate'), ['start'],
    { cwd: folder, env: { ...ENVIRONMENT, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => stopPackage(child));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => { text += part; });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => { if (ready.test(text)) resolve(); });
    child.once('close', () => reject(new Error(`rowgate start ended:\n${text}`)));
  });
  return { process: child, output: () => text };
}

/** SIGTERM, as process managers send it. The exit code, or the signal that ended it. */
export async function stopPackage(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  }
  return child.exitCode ?? child.signalCode;
}

export function packageFolder(folder: string): string {
  const installed = join(folder, 'node_modules/rowgate');
  if (!existsSync(join(installed, 'dist/cli.js'))) throw new Error('The package is not whole.');
  return installed;
}
