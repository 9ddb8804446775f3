import { constants, openSync, unlinkSync } from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownName } from './process-name.ts';

/** Creates a file without a name (open(2)). Linux has it on most file systems; Node.js does not name the flag. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;
const NAMELESS = process.platform === 'linux' ? constants.O_RDWR | O_TMPFILE : undefined;
const OWNER = 0o600;

/**
 * Opens an empty file in the system's folder for temporary files, which disappears with the process. Where the file needs a name at
 * first, a process that is killed at that moment leaves an empty file.
 */
export async function openTemporary(): Promise<FileHandle> {
  const file = NAMELESS === undefined ? undefined : await open(tmpdir(), NAMELESS, OWNER).catch(() => undefined);
  if (file !== undefined) return file;
  const path = join(tmpdir(), ownName());
  const named = await open(path, 'wx+', OWNER);
  await unlink(path);
  return named;
}

/** Like openTemporary(), for callers that cannot wait. Returns the descriptor. */
export function openTemporarySync(): number {
  try {
    if (NAMELESS !== undefined) return openSync(tmpdir(), NAMELESS, OWNER);
  } catch {
    // This file system needs a name.
  }
  const path = join(tmpdir(), ownName());
  const file = openSync(path, 'wx+', OWNER);
  unlinkSync(path);
  return file;
}
