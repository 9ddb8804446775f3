import { type FileHandle } from 'node:fs/promises';
import { writeSync } from 'node:fs';
import { createInTurn } from '../process/in-turn.ts';
import { inPlace, isQuickFor } from './pace.ts';
import { SLAB, giveSlab, takeSlab } from './slabs.ts';

/** Writes a file from front to back. */
export type FileWriter = {
  /** Takes all of the bytes, and keeps none of their memory; false asks the sender to stop until `ready`. */
  push: (bytes: Uint8Array) => boolean;
  ready: () => Promise<void>;
  /** Resolves when all of it is written. */
  flush: () => Promise<void>;
  /** Of the file, with what waits to be written. */
  readonly size: number;
};

/** Slabs that wait before the sender is asked to stop; what still comes then, as much as the socket has, is taken. */
const ENOUGH = 2;
/**
 * Slabs that wait for a slow disk in the whole process, 32 MiB, before what comes is written in place even so: who was asked to stop and is
 * fast enough goes on, since uWebSockets.js reads a socket until it has nothing.
 */
const MOST = 64;
/** Bytes that are worth a write of their own. */
const WORTH = 64 * 1024;
let waitingInAll = 0;

/** Node.js has four threads for files, and these are not all: who reads a file or signs in needs one as well. */
const inTurn = createInTurn({ atOnce: 2 });

/**
 * Its functions reject with what the disk said. The file stays open. While the disk is quick and nobody else writes, bytes are written from
 * where they stand, in place: that costs less than to wait for a thread. Else they wait in slabs, and the loop goes on.
 */
export function fileWriter(file: FileHandle, from = 0): FileWriter {
  const waiting: { slab: Buffer; length: number; position: number }[] = [];
  let slab: Buffer | undefined;
  let filled = 0;
  let position = from;
  let failure: unknown;
  let working: Promise<void> | undefined;

  function push(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length;) {
      if (slab === undefined && bytes.length - at >= WORTH && isInPlace()) {
        writeInPlace(bytes.subarray(at), position);
        position += bytes.length - at;
        break;
      }
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
    if (isInPlace()) {
      writeInPlace(next.slab.subarray(0, next.length), next.position);
      return giveSlab(next.slab);
    }
    waitingInAll += 1;
    waiting.push(next);
    working ??= work();
  }

  function isInPlace(): boolean {
    return isQuickFor(file) || waitingInAll >= MOST;
  }

  function writeInPlace(bytes: Uint8Array, position: number): void {
    if (failure !== undefined) return;
    try {
      inPlace(() => {
        for (let at = 0; at < bytes.length;) at += writeSync(file.fd, bytes, at, bytes.length - at, position + at);
      });
    } catch (error) {
      failure = error;
    }
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        if (failure === undefined) await inTurn(() => write(next));
      } catch (error) {
        failure = error;
      }
      giveSlab(next.slab);
      waitingInAll -= 1;
    }
    working = undefined;
  }

  async function write({ slab, length, position }: (typeof waiting)[number]): Promise<void> {
    for (let at = 0; at < length;) at += (await file.write(slab, at, length - at, position + at)).bytesWritten;
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
