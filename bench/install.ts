import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Installs what a folder's lockfile says, unless it is there: what only benches need is not among the project's dependencies. */
export async function install(folder: string): Promise<void> {
  const record = join(folder, 'node_modules/.package-lock.json');
  if (existsSync(record) && statSync(record).mtimeMs > statSync(join(folder, 'package-lock.json')).mtimeMs) return;
  console.error(`Installing ${folder} ...`);
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(npm, 'close') as [number | null];
  if (code !== 0) throw new Error(`npm ci failed in ${folder}.`);
}
