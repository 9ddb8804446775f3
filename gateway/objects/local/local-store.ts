import { lstat, mkdir, realpath, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Opened, type Place, type Store } from '../store.ts';
import { clean } from './clean.ts';
import { readFrom } from './file-source.ts';
import { intakeOf, refuse } from './intake.ts';
import { list } from './list.ts';
import { infoAt, openFile } from './look.ts';
import { ASIDE, pathOf } from './paths.ts';
import { codeOf, ifThere } from './refusal.ts';
import { isInside, makeFolder, remove } from './replace.ts';

export type LocalOptions = {
  /** Made where it is not there. */
  path: string;
  /** Whether to look for what a crash left: one process of a start does. */
  cleans: boolean;
};

/**
 * Objects in a folder: `<bucket>/<key>`, and `<bucket>/<key>.metadata.json` beside it. Several processes, also of several machines, may
 * share it.
 */
export async function openLocalStore({ path, cleans }: LocalOptions): Promise<Store & { root: string }> {
  await mkdir(join(path, ASIDE), { recursive: true });
  const root = await realpath(path);
  if (cleans) await clean(root);
  return {
    engine: 'local',
    bucket: 'default',
    root,
    intake: (place, kind) => intakeOf(root, place, kind),
    info: async place => namesFolder(place) ? undefined : infoAt(root, place),
    open: place => opened(root, place),
    list: (bucket, prefix, limit, after) => list(root, bucket, prefix, limit, after),
    folder: place => makeFolder(root, pathOf(root, place)).catch(refuse),
    remove: place => removed(root, place).catch(refuse),
  };
}

/** A disk would take `a/` for the file `a`. */
function namesFolder({ key }: Place): boolean {
  return key === '' || key.endsWith('/');
}

async function opened(root: string, place: Place): Promise<Opened | undefined> {
  const seen = namesFolder(place) ? undefined : await openFile(root, place);
  if (seen === undefined) return undefined;
  const { file, info } = seen;
  return {
    info,
    read: (span = { start: 0, end: info.size - 1 }) => readFrom(file, span),
    close: () => void file.close(),
  };
}

/** A folder only where nothing is in it; the bucket never. */
async function removed(root: string, place: Place): Promise<void> {
  const path = pathOf(root, place);
  const there = await ifThere(lstat(path));
  if (!there?.isDirectory()) return namesFolder(place) ? undefined : remove(root, place);
  if (dirname(path) === root || !await isInside(root, path)) return;
  await rmdir(path).catch((error: unknown) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error;
  });
}
