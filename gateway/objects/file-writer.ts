import { type FileHandle } from 'node:fs/promises';
import { writeSync } from 'node:fs';
import { SLAB, giveSlab, takeSlab } from './slabs.ts';

/** Writes a file from front to back. */
export type FileWriter = {
  /** Takes a copy of the bytes, always; false asks the sender to stop until `ready`. */
  push: (bytes: Uint8Array) => boolean;
  ready: () => Promise<void>;
  /** Resolves when all of it is written. */
  flush: () => Promise<void>;
  /** Of the file, with what waits to be written. */
  readonly size: number;
};

/** Slabs that wait before the sender is asked to stop; what still comes then, as much as the socket has, is taken. */
const ENOUGH = 2;
/** Slabs that wait before the next is written in place: a slow disk then stops everything for a moment, instead of filling the memory. */
const MOST = 8;

/** Its functions reject with what the disk said. The file stays open. */
export function fileWriter(file: FileHandle, from = 0): FileWriter {
  const waiting: { slab: Buffer; length: number; position: number }[] = [];
  let slab: Buffer | undefined;
  let filled = 0;
  let position = from;
  let failure: unknown;
  let working: Promise<void> | undefined;

  function push(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length;) {
      slab ??= takeSlab();
      const part = bytes.subarray(at, at + SLAB - filled);
      slab.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled === SLAB) pass();
    }
    return failure === undefined && waiting.length < ENOUGH;
  }

  /** What is filled goes to the disk. */
  function pass(): void {
    if (slab === undefined) return;
    const next = { slab, length: filled, position };
    position += filled;
    slab = undefined;
    filled = 0;
    if (failure !== undefined) return giveSlab(next.slab);
    if (waiting.length >= MOST) return inPlace(next);
    waiting.push(next);
    working ??= work();
  }

  function inPlace({ slab, length, position }: (typeof waiting)[number]): void {
    try {
      for (let at = 0; at < length;) at += writeSync(file.fd, slab, at, length - at, position + at);
    } catch (error) {
      failure = error;
    }
    giveSlab(slab);
  }

  async function work(): Promise<void> {
    try {
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        for (let at = 0; at < next.length;) {
          at += (await file.write(next.slab, at, next.length - at, next.position + at)).bytesWritten;
        }
        giveSlab(next.slab);
        waiting.shift();
      }
    } catch (error) {
      failure = error;
      waiting.length = 0;
    } finally {
      working = undefined;
    }
  }

  async function ready(): Promise<void> {
    await working;
    if (failure !== undefined) throw failure as Error;
  }

  async function flush(): Promise<void> {
    pass();
    await ready();
  }

  return { push, ready, flush, get size() { return position + filled; } };
}
