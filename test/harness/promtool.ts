import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fetchDebianPackages, only } from '../../gateway/embedded/debian-packages.ts';
import { ROOT } from './server.ts';

const run = promisify(execFile);

/** Debian 12's promtool. @throws where it cannot be had: no network, or no Debian. */
export async function installPromtool(): Promise<string> {
  const program = join(ROOT, '.data', 'promtool');
  if (existsSync(program)) return program;
  mkdirSync(dirname(program), { recursive: true });
  const work = mkdtempSync(join(dirname(program), 'making-'));
  try {
    await fetchDebianPackages(work, { suite: 'bookworm', binary: ['prometheus'] });
    await run('dpkg-deb', ['-x', only(work, '*.deb'), join(work, 'root')]);
    copyFileSync(join(work, 'root/usr/bin/promtool'), join(work, 'promtool'));
    if (!existsSync(program)) renameSync(join(work, 'promtool'), program); // else another test was faster
    return program;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The output of `promtool check rules` about a file. Rejects when it finds a fault. */
export async function checkRules(promtool: string, file: string): Promise<string> {
  return (await run(promtool, ['check', 'rules', file])).stdout;
}

/** The lines that `promtool check metrics` prints about a text: none when all is well. */
export async function checkMetrics(promtool: string, text: string): Promise<string[]> {
  const child = spawn(promtool, ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => { said += part; });
  child.stdin.end(text);
  await once(child, 'close');
  return said.split('\n').filter(line => line !== '');
}
