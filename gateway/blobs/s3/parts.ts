import { openOverflow, type Overflow } from '../overflow.ts';
import { give, heldTogether, lose, take } from './slabs.ts';

/** Sends one part, counted from the first that is cut here. Its memory is another's once it is sent. */
export type SendPart = (bytes: Buffer, number: number) => Promise<void>;

export type Parts = {
  push: (bytes: Uint8Array) => boolean;
  ready: () => Promise<void>;
  /** When every whole part is sent: what is left, less than one, valid until `close`. */
  rest: () => Promise<Buffer>;
  /** @param isLost whether somebody may still be reading what is left. Resolves when nothing is sent any more. */
  close: (isLost?: boolean) => Promise<void>;
};

/** So many parts of one upload are in memory at a time, and a third where the whole process holds no more than so many. */
const HELD = 2;
const HELD_TOGETHER = 12;
/** What comes between the word that it is enough and the sender's stop: so many parts of one upload, and in the whole process. */
const MOST = 5;
const MOST_TOGETHER = 24;

/**
 * Cuts bytes into parts of one size and sends them as they fill, in order, two at a time. Memory is two or three parts, and at most five
 * where the sender does not stop; what comes then waits on the disk.
 * @param expected of all the bytes, as far as is known
 */
export function cutParts(size: number, send: SendPart, expected = Infinity): Parts {
  const waiting: Buffer[] = [];
  const sending = new Set<Promise<void>>();
  let slab: Buffer | undefined;
  let filled = 0;
  let count = 0;
  let held = 0;
  let failure: { error: unknown } | undefined;
  let isClosed = false;
  let overflow: Overflow | undefined;
  let flowsOver = false;
  let pouring: Promise<void> | undefined;
  let wake = Promise.withResolvers<undefined>();

  return {
    push(bytes) {
      if (failure || isClosed) return false;
      try {
        for (let at = 0; at < bytes.length;) at += flowsOver || isTooMuch() ? flowOver(bytes.subarray(at)) : copy(bytes, at);
      } catch (error) {
        failure = { error };
      }
      return isRoomy();
    },
    async ready() {
      while (!failure && !isClosed && !isRoomy()) await wake.promise;
      if (failure) throw failure.error;
    },
    async rest() {
      while (!failure && (sending.size > 0 || waiting.length > 0 || flowsOver)) await wake.promise;
      if (failure) throw failure.error;
      return slab?.subarray(0, filled) ?? Buffer.alloc(0);
    },
    async close(isLost = false) {
      isClosed = true;
      for (const left of slab ? [...waiting.splice(0), slab] : waiting.splice(0)) (isLost ? forget : giveBack)(left);
      slab = undefined;
      notify();
      while (sending.size > 0 || pouring) await wake.promise;
      overflow?.close();
    },
  };

  function isRoomy(): boolean {
    return waiting.length === 0 && !flowsOver && (slab !== undefined || held < HELD || (held === HELD && heldTogether() < HELD_TOGETHER));
  }

  function isTooMuch(): boolean {
    return slab === undefined && waiting.length > 0 && (held >= MOST || heldTogether() >= MOST_TOGETHER);
  }

  function flowOver(bytes: Uint8Array): number {
    overflow ??= openOverflow();
    overflow.add(bytes);
    flowsOver = true;
    return bytes.length;
  }

  /** A part goes out before the next is made of what waits. */
  async function pour({ next }: Overflow): Promise<void> {
    try {
      while (!failure && !isClosed && flowsOver) {
        if (waiting.length > 0) {
          await wake.promise;
          continue;
        }
        const bytes = await next();
        if (bytes === undefined) flowsOver = false;
        else for (let at = 0; at < bytes.length;) at += copy(bytes, at);
      }
    } catch (error) {
      failure ??= { error };
    }
  }

  function poured(): void {
    pouring = undefined;
    notify();
  }

  function copy(bytes: Uint8Array, at: number): number {
    const room = roomFor(bytes.length - at);
    const piece = bytes.subarray(at, at + Math.min(room.length - filled, bytes.length - at));
    room.set(piece, filled);
    filled += piece.length;
    if (filled === size) {
      waiting.push(room);
      slab = undefined;
      filled = 0;
      sendNext();
    }
    return piece.length;
  }

  function roomFor(more: number): Buffer {
    if (slab && (filled < slab.length || slab.length === size)) return slab;
    const next = take(slab === undefined ? Math.min(size, Math.max(more, Math.min(expected, size))) : size);
    held++;
    if (slab) {
      next.set(slab);
      giveBack(slab);
    }
    slab = next;
    return slab;
  }

  function sendNext(): void {
    while (sending.size < 2 && waiting.length > 0 && !failure && !isClosed) {
      const part = waiting.shift() as Buffer;
      const sent = send(part, count++).then(() => giveBack(part), (error: unknown) => {
        forget();
        failure ??= { error };
      }).finally(() => {
        sending.delete(sent);
        sendNext();
        if (flowsOver && overflow) pouring ??= pour(overflow).finally(poured);
        notify();
      });
      sending.add(sent);
    }
  }

  function giveBack(part: Buffer): void {
    held--;
    give(part);
  }

  /** Its memory may still be on its way out. */
  function forget(): void {
    held--;
    lose();
  }

  function notify(): void {
    wake.resolve(undefined);
    wake = Promise.withResolvers();
  }
}
