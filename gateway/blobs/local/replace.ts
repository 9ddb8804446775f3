import type { Stats } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, unlink, utimes } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Kind, ObjectInfo, Place } from '../store.ts';
import { ASIDE, pathOf, SIDECAR } from './paths.ts';
import { ownName } from '../../process/process-name.ts';
import { codeOf, ifThere, inTheWay } from './refusal.ts';
import { belongs, infoOf, readSidecar, sidecarText } from './sidecar.ts';
import { withKeyLock, type Intent } from './key-lock.ts';

/**
 * Replaces the file of a key by one that is synced and on the same disk, with a sidecar of its own: first the sidecar, then the file. A
 * crash in between leaves a sidecar that matches the file aside; the next process finishes the replacement.
 * @param file from the root
 * @throws ApiError 409 CONFLICT, and errors of the disk.
 */
export async function replace(root: string, file: string, place: Place, kind: Kind): Promise<ObjectInfo> {
  const path = pathOf(root, place);
  await makeFolder(root, dirname(path));
  return withKeyLock(root, { ...place, file }, left => settle(root, left), async () => {
    const there = await ifThere(lstat(path));
    if (there?.isDirectory()) throw inTheWay();
    const aside = join(root, file);
    const stats = await laterThan(there, aside);
    const text = sidecarText(kind, stats.size, Math.round(stats.mtimeMs));
    const sidecar = join(root, ASIDE, ownName() + SIDECAR);
    try {
      await writeSynced(sidecar, text);
      await rename(sidecar, path + SIDECAR);
    } catch (error) {
      await ifThere(unlink(sidecar));
      throw error;
    }
    await rename(aside, path);
    await sync(dirname(path));
    return infoOf(JSON.parse(text) as Record<string, unknown>, stats);
  });
}

/** Milliseconds that the disk's own rounding may add or take. */
const WHOLE = 0.01;

/** No two files of a key have one time: it tells to which of them a sidecar belongs. */
async function laterThan(there: Stats | undefined, aside: string): Promise<Stats> {
  const stats = await lstat(aside);
  const own = Math.round(stats.mtimeMs);
  const milliseconds = Math.max(own, there === undefined ? 0 : Math.round(there.mtimeMs) + 1);
  if (milliseconds === own && Math.abs(stats.mtimeMs - own) < WHOLE) return stats;
  await utimes(aside, milliseconds / 1000, milliseconds / 1000);
  await sync(aside);
  return lstat(aside);
}

/** With a version, no other one is removed. */
export async function remove(root: string, place: Place, version?: string): Promise<void> {
  const path = pathOf(root, place);
  if (!await isInside(root, dirname(path))) return;
  await mkdir(join(root, ASIDE), { recursive: true });
  await withKeyLock(root, place, left => settle(root, left), async () => {
    const there = await ifThere(lstat(path));
    if (there?.isDirectory()) return;
    if (version !== undefined && there !== undefined && infoOf(undefined, there).version !== version) return;
    await ifThere(unlink(path));
    await ifThere(unlink(path + SIDECAR));
    await sync(dirname(path));
  });
}

/** Finishes a replacement whose sidecar is in place, and undoes any other. */
export async function settle(root: string, { file, ...place }: Intent): Promise<void> {
  const path = pathOf(root, place);
  const aside = file === undefined ? undefined : join(root, file);
  const stats = aside === undefined ? undefined : await ifThere(lstat(aside));
  if (aside !== undefined && stats !== undefined && belongs(await readSidecar(path), stats)) await rename(aside, path);
  if (await ifThere(lstat(path)) === undefined) await ifThere(unlink(path + SIDECAR));
}

/** With those above it. @throws ApiError 409 CONFLICT where a file or a link is in the way. */
export async function makeFolder(root: string, folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (!await isInside(root, folder)) throw inTheWay();
  if (first === undefined) return;
  for (let made = folder; made !== dirname(dirname(first)); made = dirname(made)) await sync(made);
}

/** A link could lead out of the root: none is followed. */
export async function isInside(root: string, folder: string): Promise<boolean> {
  return (folder === root || folder.startsWith(root + sep)) && await ifThere(realpath(folder)) === folder;
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** File systems that cannot sync a folder say so. */
export async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } catch (error) {
    if (!['EINVAL', 'EISDIR', 'EPERM', 'ENOTSUP'].includes(codeOf(error))) throw error;
  } finally {
    await file.close();
  }
}
