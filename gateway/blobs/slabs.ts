import { collectAfter } from '../process/heap.ts';

/** Bytes of one. Pieces of this size cost a disk or a socket little more a byte than larger ones. */
export const SLAB = 512 * 1024;

/** Those that wait for their next use: 32 MiB. */
const MOST_FREE = 64;
/** Milliseconds without a use after which they are let go. */
const QUIET = 3000;

let free: Buffer[] = [];
let leaving: NodeJS.Timeout | undefined;

/**
 * Memory for bytes on their way, used again and again: a gigabyte that went through Buffers of its own took up to 430 MiB, since the
 * garbage collector sees little of what they hold; through these it takes 17.
 */
export function takeSlab(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(SLAB);
}

/** Of a slab, or a part of one, that nobody looks at any more. */
export function giveSlab({ buffer }: Uint8Array): void {
  if (buffer.byteLength !== SLAB || free.length >= MOST_FREE) return;
  free.push(Buffer.from(buffer as ArrayBuffer));
  leaving ??= setTimeout(leave, QUIET).unref();
  leaving.refresh();
}

function leave(): void {
  leaving = undefined;
  collectAfter(free.length * SLAB);
  free = [];
}
