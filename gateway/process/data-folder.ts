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
    // It is there, or nothing can be written: then whoever wants to keep something says so.
  }
}
