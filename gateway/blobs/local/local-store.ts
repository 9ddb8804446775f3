import { lstat, mkdir, realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { ResumableStore } from '../resumable.ts';
import type { Kind, Opened, Place, Store, Intake } from '../store.ts';
import { clean } from './clean.ts';
import { letGo } from './descriptor.ts';
import { readFrom } from './file-source.ts';
import { isSameFile, knownAt, rememberBytes } from './known.ts';
import { list } from './list.ts';
import { infoAt, openFile } from './look.ts';
import { ASIDE, pathOf } from './paths.ts';
import { codeOf, ifThere, refuse, writeFailed, inTheWay } from './refusal.ts';
import { isInside, makeFolder, remove, replace } from './replace.ts';
import { localUploads } from './uploads.ts';
import { openSpool } from '../spool.ts';

export type LocalOptions = {
  /** Made with the first that is written. */
  path: string;
  /** Whether to look for what a crash left: one process of a start does. */
  cleans: boolean;
};

type OnDisk = Store & Required<Pick<Store, 'aside'>> & { readonly root: string };
export type LocalStore = OnDisk & ResumableStore;

/**
 * Objects in a folder: `<bucket>/<key>`, and `<bucket>/<key>.metadata.json` beside it. Several processes, also of several machines, may
 * share it.
 */
export async function openLocalStore({ path, cleans }: LocalOptions): Promise<LocalStore> {
  const root = await realPath(resolve(path));
  if (cleans) await clean(root);
  const folder = async () => {
    await mkdir(join(root, ASIDE), { recursive: true }).catch((error: unknown) => { throw writeFailed(error); });
    return join(root, ASIDE);
  };
  const adopt = (file: string, place: Place, kind: Kind) => replace(root, relative(root, file), place, kind).catch(refuse);
  const store: OnDisk = {
    engine: 'local',
    bucket: 'default',
    root,
    aside: { folder, adopt },
    intake: (place, kind) => intakeOf(store, place, kind),
    info: async place => namesFolder(place) ? undefined : infoAt(root, place),
    open: place => opened(root, place),
    list: (bucket, prefix, limit, after) => list(root, bucket, prefix, limit, after),
    folder: place => makeFolder(root, pathOf(root, place)).catch(refuse),
    remove: (place, version) => removed(root, place, version).catch(refuse),
  };
  return Object.assign(store, { uploads: localUploads(store) });
}

/** Links above the root may be followed, and what of it is not there yet has none. */
async function realPath(path: string): Promise<string> {
  return await ifThere(realpath(path)) ?? join(await realPath(dirname(path)), basename(path));
}

/** A disk would take `a/` for the file `a`. */
function namesFolder({ key }: Place): boolean {
  return key === '' || key.endsWith('/');
}

async function opened(root: string, place: Place): Promise<Opened | undefined> {
  if (namesFolder(place)) return undefined;
  const path = pathOf(root, place);
  const kept = await keptOf(path);
  if (kept !== undefined) return kept;
  const seen = await openFile(root, place);
  if (seen === undefined) return undefined;
  const { file, info } = seen;
  return {
    info,
    async read(span) {
      const bytes = await readFrom(file, span ?? { start: 0, end: info.size - 1 });
      if (span === undefined && Buffer.isBuffer(bytes)) rememberBytes(path, info, bytes);
      return bytes;
    },
    close: () => letGo(file),
  };
}

/** A small file that was read before, and is the same: one look at the disk instead of four calls. */
async function keptOf(path: string): Promise<Opened | undefined> {
  const kept = knownAt(path);
  if (kept?.bytes === undefined) return undefined;
  const there = await ifThere(lstat(path));
  if (there === undefined || !isSameFile(kept.stats, there)) return undefined;
  const { info, bytes } = kept;
  return { info, read: span => Promise.resolve(span ? bytes.subarray(span.start, span.end + 1) : bytes), close: () => undefined };
}

/** A folder only where nothing is in it; the bucket never. */
async function removed(root: string, place: Place, version?: string): Promise<void> {
  const path = pathOf(root, place);
  const there = await ifThere(lstat(path));
  if (!there?.isDirectory()) return namesFolder(place) ? undefined : remove(root, place, version);
  if (dirname(path) === root || !await isInside(root, path)) return;
  await rmdir(path).catch((error: unknown) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error;
  });
}

/** Writes the object aside, syncs it, and replaces the one that is there. */
async function intakeOf(store: Store & { root: string }, place: Place, kind: Kind): Promise<Intake> {
  if (place.key === '' || place.key.endsWith('/')) throw inTheWay();
  pathOf(store.root, place); // refuses at once what it would refuse at the end
  const { write, drop, moveTo } = await openSpool(store);
  return { write, drop, finish: () => moveTo(store, place, kind) };
}
