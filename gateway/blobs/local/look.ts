import { constants, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ObjectInfo, Place } from '../store.ts';
import { letGo, openAt, statOf, type Descriptor } from './descriptor.ts';
import { isSameFile, knownAt, remember } from './known.ts';
import { pathOf } from './paths.ts';
import { ifThere } from './refusal.ts';
import { isInside, settle } from './replace.ts';
import { belongs, infoOf, readSidecar, type Sidecar } from './sidecar.ts';
import { settleLeft, lockPath } from './key-lock.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** A file and what its sidecar says, as they were together. */
export type Seen<File> = { file: File; info: ObjectInfo };

const OPENING: Ways<Descriptor> = {
  take: path => ifThere(openAt(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)),
  stat: statOf,
  letGo,
};

export function openFile(root: string, place: Place): Promise<Seen<Descriptor> | undefined> {
  return together(root, place, OPENING);
}

const LOOKING: Ways<Stats> = { take: path => ifThere(lstat(path)), stat: stats => stats, letGo: () => undefined };

export async function infoAt(root: string, place: Place): Promise<ObjectInfo | undefined> {
  return (await together(root, place, LOOKING))?.info;
}

type Ways<File> = {
  take: (path: string) => Promise<File | undefined>;
  stat: (file: File) => Stats;
  letGo: (file: File) => void;
};
type Pair = { stats: Stats; sidecar: Sidecar | undefined };

/**
 * Between its two renames, a writer that holds the lock leaves a sidecar beside a file that it does not belong to. A pair that does not
 * match while no writer holds the lock, and is unchanged afterwards, is not waited for: a tree that was copied by hand.
 */
async function together<File>(root: string, place: Place, { take, stat, letGo }: Ways<File>): Promise<Seen<File> | undefined> {
  const path = pathOf(root, place);
  let misfit: Pair | undefined;
  for (let wait = 1; ; wait = Math.min(2 * wait, 32)) {
    const file = await take(path);
    if (file === undefined) return undefined;
    try {
      const stats = stat(file);
      const before = knownAt(path);
      if (before !== undefined && isSameFile(before.stats, stats)) return { file, info: before.info };
      const found = await look(root, path, stats, misfit);
      if (found !== undefined && 'info' in found) return { file, info: found.info };
      letGo(file);
      if (found === undefined) return undefined;
      misfit = found;
    } catch (error) {
      letGo(file);
      throw error;
    }
    if (await settleLeft(lockPath(root, place), left => settle(root, left))) continue;
    misfit = undefined;
    await setTimeout(wait);
  }
}

/** Undefined of what is no file of the store. */
async function look(root: string, path: string, stats: Stats, misfit: Pair | undefined): Promise<{ info: ObjectInfo } | Pair | undefined> {
  if (!stats.isFile() || !await isInside(root, dirname(path))) return undefined;
  const sidecar = await readSidecar(path);
  const found = { stats, info: infoOf(sidecar, stats) };
  if (!belongs(sidecar, stats)) return isSamePair(misfit, { stats, sidecar }) ? found : { stats, sidecar };
  remember(path, found);
  return found;
}

function isSamePair(one: Pair | undefined, other: Pair): boolean {
  return one !== undefined && isSameFile(one.stats, other.stats) && JSON.stringify(one.sidecar) === JSON.stringify(other.sidecar);
}
