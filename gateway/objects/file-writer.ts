import { type FileHandle } from 'node:fs/promises';
import { writeSync } from 'node:fs';
import { createInTurn } from '../process/in-turn.ts';
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
/**
 * Slabs that wait in the whole process, 32 MiB, before what comes is written in place, which stops everything for a moment: who was asked
 * to stop and is fast enough goes on, since uWebSockets.js reads a socket until it has nothing.
 */
const MOST = 64;
let waitingInAll = 0;

/** Node.js has four threads for files, and these are not all: who reads a file or signs in needs one as well. */
const inTurn = createInTurn({ atOnce: 2 });

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
      if (slab === undefined && waitingInAll >= MOST) {
        writeInPlace(bytes.subarray(at));
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
    if (failure !== undefined) return giveSlab(next.slab);
    waitingInAll += 1;
    waiting.push(next);
    working ??= work();
  }

  function writeInPlace(bytes: Uint8Array): void {
    const from = position;
    position += bytes.length;
    if (failure !== undefined) return;
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(file.fd, bytes, at, bytes.length - at, from + at);
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
