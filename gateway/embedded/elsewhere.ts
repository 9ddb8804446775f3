import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Binaries } from './binaries.ts';

/**
 * The folder of a server whose project lies below a private folder, such as /root. Its user cannot enter that folder, so the files that it
 * needs are kept where the system has such data.
 */
const ELSEWHERE = '/var/lib/rowgate';

/** A folder that everyone may enter, for the files of this path alone. */
export function elsewhere(path: string): string {
  const folder = join(ELSEWHERE, createHash('sha256').update(path).digest('hex').slice(0, 16));
  for (const made of [dirname(folder), folder]) {
    mkdirSync(made, { recursive: true });
    chmodSync(made, 0o755); // regardless of the umask
  }
  return folder;
}

/** The same programs where everyone may run them. Copied once, and again when they were replaced or an extension was added. */
export function copyBinaries(binaries: Binaries, source: string): Binaries {
  const parent = elsewhere(source);
  const name = `binaries-${binaries.version}-${lastChange(source).toString(36)}`;
  const folder = join(parent, name);
  if (!existsSync(folder)) {
    copyWhole(source, folder);
    removeOlder(parent, name);
  }
  return { ...binaries, folder };
}

function lastChange(folder: string): number {
  return Math.trunc(Math.max(...['bin', 'lib/postgresql', 'share/postgresql/extension'].map(part => statSync(join(folder, part)).mtimeMs)));
}

/** Under another name until it is whole, so that an interrupted copy is never used. */
function copyWhole(source: string, folder: string): void {
  const copy = mkdtempSync(join(dirname(folder), 'copying-'));
  cpSync(source, copy, { recursive: true, verbatimSymlinks: true, filter: file => !file.endsWith('.a') });
  letEveryoneRead(copy);
  try {
    renameSync(copy, folder);
  } catch (error) {
    rmSync(copy, { recursive: true });
    if (!existsSync(folder)) throw error; // else another start was faster
  }
}

/** The copy inherits the modes of an installation that perhaps only root may read. */
function letEveryoneRead(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}

function removeOlder(parent: string, current: string): void {
  for (const name of readdirSync(parent)) {
    if (name.startsWith('binaries-') && name !== current) rmSync(join(parent, name), { recursive: true, force: true });
  }
}
