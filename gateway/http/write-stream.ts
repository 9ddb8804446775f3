import type { Readable } from 'node:stream';
import type { Exchange } from './exchange.ts';
import { restAfter } from './fair-share.ts';

/** A body of unknown length. */
export type Flowing = { source: Readable; recycle?: ((piece: Uint8Array) => void) | undefined };

/**
 * Bytes. uWebSockets.js copies the bytes of a chunk that the socket does not accept, so this much waits in memory; a socket that becomes
 * writable takes more.
 */
const SLICE = 16 * 1024;
/** Bytes that are offered to a socket that seems to be full, to see whether it is. */
const PROBE = 256;
/** Milliseconds. Sooner than uWebSockets.js gives up a client that took nothing. */
const BEAT = 4000;

/**
 * Writes a body of unknown length in chunks, after its head, corked. The head goes out with the first bytes. The source rests while the
 * socket is full. A source that fails, or closes without its end, ends the connection without the last chunk.
 * @param patience milliseconds in which a client has to accept some of the waiting bytes; a source may be silent for as long as it likes
 */
export function writeStream(exchange: Exchange, { source, recycle }: Flowing, patience: number, done: () => void): void {
  const { response } = exchange;
  let piece: Uint8Array | undefined;
  let at = 0;
  let isFull = false;
  let hasEnded = false;
  let isOver = false;
  const timers: { late?: NodeJS.Timeout | undefined; rest?: NodeJS.Timeout } = {};

  exchange.detach();
  const beating = setInterval(beat, Math.min(BEAT, patience / 2));
  exchange.whenGone = letGo;
  // Called before uWebSockets.js hands over what it copied, and once only if that empties its copy.
  response.onWritable(() => {
    setImmediate(emptied);
    return true;
  });
  source.on('data', next).on('end', ended).on('error', breakOff).on('close', closed);

  function next(bytes: Buffer): void {
    if (isOver || bytes.length === 0) return;
    source.pause();
    [piece, at] = [bytes, 0];
    if (!isFull) write(SLICE);
  }

  function ended(): void {
    hasEnded = true;
    if (piece === undefined && !isFull) end();
  }

  function closed(): void {
    if (!hasEnded) breakOff(new Error('The source closed before its end.'));
  }

  /**
   * Returns whether the socket is full. The next piece is read when the socket has this one, and other requests have had their share of
   * the time.
   */
  function write(size: number): boolean {
    if (isOver) return false;
    const began = performance.now();
    response.cork(() => {
      while (piece !== undefined && !isFull) push(piece, size);
    });
    if (isFull) timers.late ??= setTimeout(() => response.close(), patience);
    if (piece === undefined) readOn(began);
    return isFull;
  }

  function readOn(began: number): void {
    if (hasEnded && !isFull) return end();
    const rest = restAfter(began);
    if (rest === 0) source.resume();
    else timers.rest = setTimeout(() => source.resume(), rest);
  }

  function push(bytes: Uint8Array, size: number): void {
    const slice = bytes.subarray(at, at + size);
    at += slice.length;
    isFull = !response.write(slice);
    if (at < bytes.length) return;
    recycle?.(bytes);
    piece = undefined;
  }

  function emptied(): void {
    if (isOver) return;
    clearTimeout(timers.late);
    timers.late = undefined;
    isFull = false;
    if (piece !== undefined) write(SLICE);
    else if (hasEnded) end();
  }

  /** Restarts the clock of uWebSockets.js, and sees whether a client that reads slowly took something. */
  function beat(): void {
    response.pause();
    if (!exchange.held) response.resume();
    if (!isFull || piece === undefined) return;
    isFull = false;
    if (!write(PROBE)) emptied();
  }

  function end(): void {
    letGo();
    if (exchange.held) response.resume();
    response.cork(() => response.end());
    done();
  }

  /** The client is never left with a short body that looks whole. */
  function breakOff(error: Error): void {
    if (isOver) return;
    exchange.failure = error;
    response.close();
  }

  function letGo(): void {
    isOver = true;
    clearInterval(beating);
    clearTimeout(timers.late);
    clearTimeout(timers.rest);
    if (piece !== undefined) recycle?.(piece);
    source.destroy();
  }
}
