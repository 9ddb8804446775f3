import { constants, openSync, unlinkSync } from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownName } from './process-name.ts';

/** Linux's, which Node.js does not name: a file that never had a name (open(2)). Not every file system can. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;
const NAMELESS = process.platform === 'linux' ? constants.O_RDWR | O_TMPFILE : undefined;
const OWNER = 0o600;

/** A file that is gone with the process. Where it must have a name at first, who is killed just then leaves an empty one. */
export async function openNameless(): Promise<FileHandle> {
  const file = NAMELESS === undefined ? undefined : await open(tmpdir(), NAMELESS, OWNER).catch(() => undefined);
  if (file !== undefined) return file;
  const path = join(tmpdir(), ownName());
  const named = await open(path, 'wx+', OWNER);
  await unlink(path);
  return named;
}

/** The same at once, for who cannot wait. Its descriptor. */
export function openNamelessSync(): number {
  try {
    if (NAMELESS !== undefined) return openSync(tmpdir(), NAMELESS, OWNER);
  } catch {
    // then with a name
  }
  const path = join(tmpdir(), ownName());
  const file = openSync(path, 'wx+', OWNER);
  unlinkSync(path);
  return file;
}
