import { collectAfter } from '../process/heap.ts';

/** Bytes that may still be kept. */
export type Memory = { free: number };

/** From this size on, memory comes from the system and can be given back; smaller buffers are cheaper from the process's own. */
const pooled = 4096;
/** One for all: each empty buffer of its own is an allocation outside of the heap. */
const EMPTY = Buffer.alloc(0);

/** One buffer that doubles, up to `most`: a list of chunks would hold a hundred bytes of object for each byte of a slow drip. */
export function growingBuffer(memory: Memory, most: number) {
  let buffer: Buffer = EMPTY;
  let size = 0;

  /** Copies: the bytes belong to the socket and are gone after the callback. False when there is no memory for them. */
  function append(bytes: Uint8Array): boolean {
    const needed = size + bytes.length;
    if (needed > buffer.length && !grow(Math.max(needed, Math.min(2 * buffer.length, most)))) return false;
    buffer.set(bytes, size);
    size += bytes.length;
    return true;
  }

  function grow(capacity: number): boolean {
    if (capacity - buffer.length > memory.free) return false;
    const larger = capacity < pooled ? Buffer.allocUnsafe(capacity) : Buffer.allocUnsafeSlow(capacity);
    larger.set(buffer.subarray(0, size));
    memory.free -= capacity - buffer.length;
    giveBack(buffer);
    buffer = larger;
    return true;
  }

  function free(): void {
    memory.free += buffer.length;
    collectAfter(buffer.length);
    giveBack(buffer);
    buffer = EMPTY;
    size = 0;
  }

  return { append, free, whole: () => buffer.subarray(0, size) };
}

function giveBack({ buffer, length }: Buffer): void {
  if (length >= pooled) (buffer as ArrayBuffer).transfer(0);
}
