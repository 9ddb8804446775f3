import { collectAfter } from './heap.ts';

/** Bytes of one slab. For a disk or a socket, larger pieces cost hardly less a byte. */
export const SLAB = 512 * 1024;

/** Milliseconds without a use after which the free memory of a pool is released. */
const QUIET = 3000;

export type SlabPool = {
  take: () => Buffer;
  /** Takes back a slab, or a part of one, that is no longer read. Ignores other memory. */
  give: (bytes: Uint8Array) => void;
};

/**
 * Pools memory for bytes in transit. A gigabyte in buffers of its own took up to 430 MiB, because the garbage collector sees little of
 * what they hold; in slabs it takes 17.
 * @param size bytes of each
 * @param mostFree how many are kept for their next use
 */
export function slabPool(size: number, mostFree: number): SlabPool {
  let free: Buffer[] = [];
  let release: NodeJS.Timeout | undefined;

  return { take: () => free.pop() ?? Buffer.allocUnsafeSlow(size), give };

  function give({ buffer }: Uint8Array): void {
    if (buffer.byteLength !== size || free.length >= mostFree) return;
    free.push(Buffer.from(buffer as ArrayBuffer));
    release ??= setTimeout(releaseAll, QUIET).unref();
    release.refresh();
  }

  function releaseAll(): void {
    release = undefined;
    collectAfter(free.length * size);
    free = [];
  }
}

/** At most 32 MiB are kept. */
export const { take: takeSlab, give: giveSlab } = slabPool(SLAB, 64);
