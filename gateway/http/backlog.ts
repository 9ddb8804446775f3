import { closeSync, ftruncateSync, read, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { SLAB, giveSlab, takeSlab } from '../process/slabs.ts';
import { openTemporarySync } from '../process/temporary-file.ts';

/** Bytes of a body that wait for their consumer: first in, first out. */
export type Backlog = {
  /** Bytes that wait. */
  readonly size: number;
  /** Copies the bytes. @throws the error of the disk. */
  add: (bytes: Uint8Array) => void;
  /** Returns the next bytes, at most a slab, which the caller gives back with giveSlab(); undefined when none wait. One call at a time. */
  next: () => Promise<Buffer | undefined>;
  close: () => void;
};

/** Slabs that wait in this process, 32 MiB; more bytes wait on the disk. */
const MOST_IN_MEMORY = 64;
let inMemory = 0;

const readAt = promisify(read);

/**
 * A client that is asked to stop may go on: uWebSockets.js reads the socket of a fast sender until it is empty, 5 to 10 MiB as a rule,
 * and no other code runs meanwhile. Past the bound of the process the bytes are therefore written to a temporary file, in place.
 */
export function createBacklog(): Backlog {
  const slabs: { slab: Buffer; filled: number }[] = [];
  let size = 0;
  let file: number | undefined;
  let written = 0;
  let readSoFar = 0;
  let reading: Promise<unknown> = Promise.resolve();

  return { get size() { return size; }, add, next, close };

  function add(bytes: Uint8Array): void {
    size += bytes.length;
    for (let at = 0; at < bytes.length;) at += written === 0 && hasRoom() ? keep(bytes.subarray(at)) : spill(bytes.subarray(at));
  }

  function hasRoom(): boolean {
    const last = slabs.at(-1);
    return inMemory < MOST_IN_MEMORY || (last !== undefined && last.filled < SLAB);
  }

  function keep(bytes: Uint8Array): number {
    let last = slabs.at(-1);
    if (last === undefined || last.filled === SLAB) {
      slabs.push(last = { slab: takeSlab(), filled: 0 });
      inMemory += 1;
    }
    const part = bytes.subarray(0, SLAB - last.filled);
    last.slab.set(part, last.filled);
    last.filled += part.length;
    return part.length;
  }

  function spill(bytes: Uint8Array): number {
    file ??= openTemporarySync();
    const count = writeSync(file, bytes, 0, bytes.length, written);
    written += count;
    return count;
  }

  async function next(): Promise<Buffer | undefined> {
    const first = slabs.shift();
    if (first !== undefined) inMemory -= 1;
    const piece = first?.slab.subarray(0, first.filled) ?? await fromDisk();
    size -= piece?.length ?? 0;
    return piece;
  }

  async function fromDisk(): Promise<Buffer | undefined> {
    if (file === undefined || written === 0) return undefined;
    const slab = takeSlab();
    const read = readAt(file, slab, 0, Math.min(SLAB, written - readSoFar), readSoFar);
    reading = read.catch(() => undefined);
    const { bytesRead } = await read;
    if (!isOpen()) return undefined;
    if (bytesRead === 0) throw new Error('The temporary file of a request body is shorter than it was.');
    readSoFar += bytesRead;
    if (readSoFar === written) {
      ftruncateSync(file);
      readSoFar = written = 0;
    }
    return slab.subarray(0, bytesRead);
  }

  function isOpen(): boolean {
    return file !== undefined;
  }

  /** The file is closed after a read in progress: the number of a closed file may be another file's. */
  function close(): void {
    inMemory -= slabs.length;
    for (const { slab } of slabs.splice(0)) giveSlab(slab);
    const left = file;
    file = undefined;
    if (left !== undefined) void reading.then(() => closeSync(left));
  }
}
