import { slabPool } from '../../process/slabs.ts';
import type { Sink } from '../store.ts';

/** Bytes of the smallest part that every store takes, but for the last one. */
export const PART = 5 * 1024 * 1024;

/** Sends one part; `number` counts from 0. Its memory is reused after that. */
export type SendPart = (bytes: Buffer, number: number) => Promise<void>;

export type Parts = Sink & {
  /** Resolves when every whole part is sent, with the rest, less than a part, which is valid until `close`. */
  rest: () => Promise<Buffer>;
  /** @param isRead whether a request may still be reading the rest. Resolves when no request is under way. */
  close: (isRead?: boolean) => Promise<void>;
};

/** Parts of one upload that are sent at the same time. The next one fills meanwhile, if this process holds fewer parts than that. */
const SENDING = 2;
const HELD_TOGETHER = 12;

const pool = slabPool(PART, HELD_TOGETHER);
let held = 0;

/** Parts that this process holds. */
export function heldTogether(): number {
  return held;
}

/**
 * Cuts bytes into parts of one size and sends them as they fill, in order, two at a time. Memory is two or three parts.
 * @param expected of all the bytes, as far as is known
 */
export function cutParts(size: number, send: SendPart, expected = Infinity): Parts {
  const sending = new Set<Promise<void>>();
  let part: Buffer | undefined;
  let filled = 0;
  let count = 0;
  let failure: { error: unknown } | undefined;
  let isClosed = false;

  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length;) {
        while (part === undefined && sending.size === SENDING && held >= HELD_TOGETHER) await Promise.race(sending);
        requireOpen();
        at += copy(bytes, at);
        if (filled < size) continue;
        while (sending.size === SENDING) await Promise.race(sending);
        requireOpen(); // it may have been closed, and its part released, during the wait
        sendPart();
      }
    },
    async rest() {
      await Promise.all(sending);
      if (failure) throw failure.error;
      return part?.subarray(0, filled) ?? Buffer.alloc(0);
    },
    async close(isRead = false) {
      isClosed = true;
      if (part !== undefined) release(part, isRead);
      part = undefined;
      await Promise.all(sending);
    },
  };

  function requireOpen(): void {
    if (failure) throw failure.error;
    if (isClosed) throw new Error('The upload is closed.');
  }

  function copy(bytes: Uint8Array, at: number): number {
    const room = roomFor(bytes.length - at);
    const piece = bytes.subarray(at, at + room.length - filled);
    room.set(piece, filled);
    filled += piece.length;
    return piece.length;
  }

  /** Few bytes get little memory at first. */
  function roomFor(more: number): Buffer {
    if (part !== undefined && (filled < part.length || part.length === size)) return part;
    const next = take(part === undefined ? Math.min(size, Math.max(more, Math.min(expected, size))) : size);
    if (part !== undefined) {
      next.set(part);
      release(part);
    }
    return part = next;
  }

  function sendPart(): void {
    const full = part as Buffer;
    part = undefined;
    filled = 0;
    const sent = send(full, count++).then(() => release(full), (error: unknown) => {
      release(full, true);
      failure ??= { error };
    }).finally(() => sending.delete(sent));
    sending.add(sent);
  }
}

function take(size: number): Buffer {
  held += 1;
  return size === PART ? pool.take() : Buffer.allocUnsafeSlow(size);
}

/** Memory that a request may still read is left to the garbage collector. */
function release(part: Buffer, isRead = false): void {
  held -= 1;
  if (!isRead) pool.give(part);
}
