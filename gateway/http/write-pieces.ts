import type { Readable } from 'node:stream';
import { collectAfter } from '../process/heap.ts';
import type { Exchange } from './exchange.ts';
import { restAfter } from './fair-share.ts';

/** A body of known size: the bytes of `first`, or those of a source. */
export type Pieces = {
  size: number;
  first?: Uint8Array;
  source?: Readable | undefined;
  recycle?: ((piece: Uint8Array) => void) | undefined;
};

/** Milliseconds. Sooner than uWebSockets.js gives up a client that took nothing: a slow one took some by then, which only trying shows. */
const BEAT = 4000;

/**
 * Writes a body after its head, corked. uWebSockets.js would copy the bytes that the socket does not accept, and a client that reads
 * slowly, or sends requests and reads nothing, could pile up copies. So the rest waits here, and another request meanwhile ends the
 * connection.
 * @param patience milliseconds in which a client has to accept some of the waiting bytes: they are memory, or an open file
 */
export function writePieces(exchange: Exchange, { size, first, source, recycle }: Pieces, patience: number, done: () => void): void {
  const { response } = exchange;
  let piece = first;
  let start = response.getWriteOffset();
  let isOver = false;
  let hasEnded = false;
  const timers: { late?: NodeJS.Timeout; beat?: NodeJS.Timeout; rest?: NodeJS.Timeout } = {};
  if (push()) return;

  exchange.detach();
  timers.late = setTimeout(() => response.close(), patience);
  timers.beat = setInterval(tryAgain, Math.min(BEAT, patience / 2));
  exchange.whenGone = letGo;
  response.onWritable(() => {
    timers.late?.refresh();
    return goOn();
  });
  source?.on('data', next).on('error', breakOff).on('end', ended);

  function next(bytes: Buffer): void {
    if (isOver) return;
    piece = bytes;
    start = response.getWriteOffset();
    source?.pause();
    response.cork(goOn);
  }

  /** Perhaps while the last piece still waits. */
  function ended(): void {
    hasEnded = true;
    if (piece === undefined) breakOff(new Error('The source ended before its length.'));
  }

  /** Whether the socket has taken all of the piece. */
  function push(): boolean {
    if (piece === undefined) return false;
    const { isTaken, isEnd } = take(exchange, piece.subarray(response.getWriteOffset() - start), size);
    if (isTaken) timers.late?.refresh();
    if (isEnd) {
      letGo();
      done();
    } else if (isTaken) {
      recycle?.(piece);
      piece = undefined;
      if (hasEnded) ended();
    }
    return isEnd || isTaken;
  }

  /** The next piece is read when the socket has this one, and other requests have had their share of the time. */
  function goOn(): boolean {
    if (piece === undefined) return true;
    const began = performance.now();
    const isTaken = push();
    if (!isTaken || isOver || source === undefined) return isTaken;
    const rest = restAfter(began);
    if (rest === 0) source.resume();
    else timers.rest = setTimeout(() => source.resume(), rest);
    return true;
  }

  function tryAgain(): void {
    const before = response.getWriteOffset();
    const isWaiting = piece !== undefined;
    response.cork(goOn);
    if (!isOver && (!isWaiting || response.getWriteOffset() > before)) timers.late?.refresh();
  }

  /** The client is never left with a short body that looks whole. */
  function breakOff(error: Error): void {
    if (isOver) return;
    exchange.failure = error;
    response.close();
  }

  function letGo(): void {
    isOver = true;
    clearTimeout(timers.late);
    clearInterval(timers.beat);
    clearTimeout(timers.rest);
    if (piece !== undefined) recycle?.(piece);
    source?.destroy();
    if (first !== undefined) collectAfter(size);
  }
}

/** A piece that is held back on a connection follows the last one. */
function take({ response, held }: Exchange, piece: Uint8Array, size: number): { isTaken: boolean; isEnd: boolean } {
  if (held) response.resume();
  const [isTaken, isEnd] = response.tryEnd(piece, size);
  if (held && !isEnd) response.pause();
  return { isTaken, isEnd };
}
