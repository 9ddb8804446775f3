import { ClientLeft } from './client-left.ts';
import type { Exchange } from './exchange.ts';

/** How many bytes of a refused body are read and dropped when nothing says where it ends; then the connection is closed. */
export const DROPPED = 64 * 1024 * 1024;

/** Milliseconds. uWebSockets.js closes a connection that sends less than 16 KB in 10 s; pause and resume restart its clock. */
const BEAT = 4000;

/** Takes the bytes of a body in the callback that brings them. Their memory is gone afterwards. */
export type Receiver = {
  take: (bytes: Uint8Array) => void;
  end: () => void;
  fail: (error: Error) => void;
};

export type BodyReader = {
  /** Asks the client to stop. uWebSockets.js still delivers what the socket holds. */
  pause: () => void;
  resume: () => void;
  /**
   * Drops the rest of the body and lets an answer through. Resolves at once when the length was announced, because uWebSockets.js
   * skips the rest; else at the end of the body, because an early answer would leave an endless stream behind it.
   */
  drop: () => Promise<void>;
  /** Closes the connection. The receiver fails with ClientLeft. */
  cut: () => void;
};

/**
 * Reads the body of a detached exchange; to be called in the callback that brought the request.
 * @param patience milliseconds in which the client has to send something; without it, the limit of uWebSockets.js holds
 */
export function readBody(exchange: Exchange, receiver: Receiver, patience?: number): BodyReader {
  const { response } = exchange;
  const isChunked = exchange.header('transfer-encoding') !== '';
  let hasEnded = false;
  let isPaused = false;
  let isDropped = false;
  let dropped = 0;
  let whenDropped: (() => void) | undefined;
  const beating = patience === undefined ? undefined : beat(patience);
  let hasMoved = false;

  response.onData((chunk, isLast) => {
    hasMoved = true;
    hasEnded ||= isLast;
    if (isDropped) return dropBytes(chunk.byteLength);
    if (chunk.byteLength > 0) receiver.take(new Uint8Array(chunk));
    if (!isLast) return;
    clearInterval(beating);
    receiver.end();
  });
  exchange.whenGone = () => {
    clearInterval(beating);
    receiver.fail(new ClientLeft());
    whenDropped?.();
  };
  return { pause, resume, drop, cut };

  function pause(): void {
    isPaused = true;
    if (!exchange.gone) response.pause();
  }

  function resume(): void {
    if (exchange.gone || !isPaused) return;
    isPaused = false;
    response.resume();
  }

  async function drop(): Promise<void> {
    isDropped = true;
    resume();
    if (isChunked && !hasEnded && !exchange.gone) await new Promise<void>(resolve => { whenDropped = resolve; });
    clearInterval(beating);
    exchange.whenGone = undefined;
  }

  function dropBytes(bytes: number): void {
    dropped += bytes;
    exchange.closes ||= dropped > DROPPED;
    if (hasEnded || exchange.closes) whenDropped?.();
  }

  function cut(): void {
    if (!exchange.gone && !isDropped) response.close();
  }

  /** Keeps a connection open as long as the client sends, or is asked to wait. */
  function beat(patience: number): NodeJS.Timeout {
    const length = Math.min(BEAT, patience);
    let silence = 0;
    return setInterval(() => {
      if (exchange.gone) return;
      response.pause();
      if (isPaused) return;
      silence = hasMoved ? 0 : silence + length;
      hasMoved = false;
      if (silence >= patience) return void response.close();
      response.resume();
    }, length);
  }
}
