import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Makes a folder for what a development server keeps. One that is named `.data` is wholly ours: git leaves it out, since it
 * holds secrets and passwords.
 */
export function makeDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (basename(folder) !== '.data') return;
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch {
    // The folder exists, or nothing can be written: a later write reports that.
  }
}
