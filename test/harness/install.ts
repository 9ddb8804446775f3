import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Installs the packages of a folder's lockfile, which an ordinary user never downloads. Once: it takes the network. */
export async function installPackages(folder: string): Promise<void> {
  const mark = join(folder, 'node_modules/.installed-lockfile');
  const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: ['ignore', 'inherit', 'pipe'] });
  const [said, [code]] = await Promise.all([text(npm.stderr), once(npm, 'close') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`npm could not install what ${folder} needs:\n${said}`);
  writeFileSync(mark, wanted);
}
