import { closeSync, ftruncateSync, writeSync } from 'node:fs';
import { readAt } from './local/descriptor.ts';
import { openNamelessSync } from './nameless.ts';
import { SLAB, giveSlab, takeSlab } from './slabs.ts';

/** Bytes that come before anybody can take them: first in, first out. */
export type Overflow = {
  /** Takes a copy. @throws what the disk says. */
  add: (bytes: Uint8Array) => void;
  /** The next ones, valid until the next call; undefined when there are none. Not while another call is under way. */
  next: () => Promise<Uint8Array | undefined>;
  close: () => void;
};

/** Bytes that stay in memory. */
const FEW = 1024 * 1024;

/**
 * Who was asked to stop may go on sending: uWebSockets.js hands over what the socket of a fast sender has until it has nothing, be it a
 * gigabyte. Past a megabyte that waits on the disk, written in place, since nothing else happens meanwhile.
 */
export function openOverflow(): Overflow {
  const memory: Buffer[] = [];
  let kept = 0;
  let file: number | undefined;
  let written = 0;
  let read = 0;
  let lent: Buffer | undefined;

  return {
    add(bytes) {
      if (file === undefined && kept + bytes.length <= FEW) {
        memory.push(Buffer.from(bytes));
        kept += bytes.length;
        return;
      }
      file ??= openNamelessSync();
      for (let at = 0; at < bytes.length;) {
        const count = writeSync(file, bytes, at, bytes.length - at, written);
        at += count;
        written += count;
      }
    },
    async next() {
      giveBack();
      const first = memory.shift();
      if (first !== undefined) {
        kept -= first.length;
        return first;
      }
      if (file === undefined || read === written) return undefined;
      lent = takeSlab();
      const count = await readAt(file, lent, Math.min(SLAB, written - read), read);
      if (count === 0) throw new Error('What waited on the disk is gone.');
      read += count;
      if (read === written) {
        ftruncateSync(file);
        read = written = 0;
      }
      return lent.subarray(0, count);
    },
    close() {
      giveBack();
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };

  function giveBack(): void {
    if (lent !== undefined) giveSlab(lent);
    lent = undefined;
  }
}
