import type { Stats } from 'node:fs';
import { LRUCache } from 'lru-cache';
import type { ObjectInfo } from '../store.ts';

/** A described file: its sidecar, and for a small one that was read, its bytes. Valid as long as the file is unchanged. */
export type Known = { stats: Stats; info: ObjectInfo; bytes?: Buffer };

/** Bytes of what is kept, beside ten thousand descriptions. */
const ROOM = 8 * 1024 * 1024;

/**
 * Milliseconds. Clocks of file systems are coarse: two changes in quick succession may have the same time, so only bytes of resting files
 * are kept.
 */
const REST = 1000;

const known = new LRUCache<string, Known>({
  max: 10_000, maxSize: ROOM, sizeCalculation: ({ bytes }) => 1 + (bytes?.length ?? 0), ttl: 10_000,
});

export function knownAt(path: string): Known | undefined {
  return known.get(path);
}

export function remember(path: string, found: Known): void {
  known.set(path, found);
}

/** Keeps the bytes of a described file. A later change of the file changes its time. */
export function rememberBytes(path: string, info: ObjectInfo, bytes: Buffer): void {
  const found = known.get(path);
  if (found?.info === info && Date.now() - found.stats.ctimeMs > REST) known.set(path, { ...found, bytes });
}

export function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.size === other.size
    && one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs;
}
