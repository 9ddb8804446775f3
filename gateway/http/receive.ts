import { setTimeout } from 'node:timers/promises';
import { ClientLeft } from './client-left.ts';
import { type Exchange } from './exchange.ts';
import { restAfter } from './fair-share.ts';
import { type Incoming, type Sink } from './incoming.ts';
import { growingBuffer, type Memory } from './growing-buffer.ts';

/** How much of a body that nobody wants is still taken in when nothing says where it ends; past it, the connection ends. */
export const PATIENCE = 64 * 1024 * 1024;

/** Milliseconds. uWebSockets.js ends the connection of who sends less than 16 KB in 10 s; to pause and resume begins that anew. */
const BEAT = 4000;

export type IncomingOptions = {
  memory: Memory;
  /** Milliseconds in which the client has to send something. */
  patience: number;
  /** What is answered when more came than was asked for and there is no memory for it. */
  tooMany: () => Error;
};

/** Of a detached exchange, in the callback that brought it. `rest` sees to it that an answer can be read. */
export function incomingOf(exchange: Exchange, { memory, patience, tooMany }: IncomingOptions): Incoming & { rest: () => Promise<void> } {
  const { response } = exchange;
  const announced = Number(exchange.header('content-length'));
  const isChunked = exchange.header('transfer-encoding') !== '';
  const early = growingBuffer(memory, Infinity);
  const { promise: taken, resolve: allTaken, reject } = Promise.withResolvers<undefined>();
  const { promise: over, resolve: isOver } = Promise.withResolvers<undefined>();
  taken.catch(() => undefined); // whoever asks is told
  let sink: Sink | undefined;
  let hasEnded = false;
  let isPaused = true;
  let hasRoom = true;
  let isFull = false;
  let isUnwanted = false;
  let failure: Error | undefined;
  let passedOver = 0;
  let hasMoved = false;
  let silence = 0;
  const beatLength = Math.min(BEAT, patience);
  const beating = setInterval(beat, beatLength);

  response.onData((chunk, isLast) => {
    hasMoved = true;
    hasEnded ||= isLast;
    if (isUnwanted) return passOver(chunk.byteLength);
    if (chunk.byteLength > 0 && failure === undefined) take(new Uint8Array(chunk));
    if (isLast) end();
  });
  exchange.whenGone = () => {
    fail(new ClientLeft());
    isOver(undefined);
  };
  response.pause();

  function take(bytes: Uint8Array): void {
    if (sink !== undefined) give(sink, bytes);
    else if (!early.append(bytes)) fail(tooMany());
  }

  function give(sink: Sink, bytes: Uint8Array): void {
    try {
      const began = performance.now();
      hasRoom = sink.push(bytes);
      const rest = restAfter(began);
      if (isFull || (hasRoom && rest === 0)) return;
      isFull = true;
      pause();
      untilFree(sink, rest).then(isReady, fail);
    } catch (error) {
      fail(error);
    }
  }

  /** More comes after `pause`, so it is asked again whether there is room. */
  async function untilFree(sink: Sink, rest: number): Promise<void> {
    if (rest > 0) await setTimeout(rest);
    while (!hasRoom) {
      hasRoom = true;
      await sink.ready();
    }
  }

  function isReady(): void {
    isFull = false;
    if (!isUnwanted) flow();
  }

  function pause(): void {
    isPaused = true;
    if (!exchange.gone) response.pause();
  }

  function flow(): void {
    if (exchange.gone || hasEnded || isFull) return;
    isPaused = false;
    response.resume();
  }

  function fail(error: unknown): void {
    failure ??= error as Error;
    reject(failure);
  }

  /** What may change something is answered, whatever comes after it on its connection, or not done. */
  function end(): void {
    clearInterval(beating);
    exchange.hold().then(() => { if (sink !== undefined) allTaken(undefined); }, fail);
  }

  function into(wanted: Sink): Promise<void> {
    sink = wanted;
    if (early.whole().length > 0) give(sink, early.whole());
    early.free();
    if (hasEnded) end();
    else flow();
    return taken;
  }

  function passOver(bytes: number): void {
    passedOver += bytes;
    exchange.closes ||= passedOver > PATIENCE;
    if (hasEnded || exchange.closes) isOver(undefined);
  }

  /** Who said how much comes is answered at once: uWebSockets.js passes over the rest. Else a stream without end would run on. */
  async function rest(): Promise<void> {
    isUnwanted = true;
    isFull = false;
    early.free();
    flow();
    if (isChunked && !hasEnded && !exchange.gone) await over;
    clearInterval(beating);
    exchange.whenGone = undefined;
  }

  function beat(): void {
    if (exchange.gone) return;
    if (isPaused) { // what came after it, as it does, began its time anew
      response.pause();
      return;
    }
    silence = hasMoved ? 0 : silence + beatLength;
    hasMoved = false;
    if (silence >= patience) return void response.close();
    response.pause();
    response.resume();
  }

  function cut(): void {
    if (!exchange.gone && !isUnwanted) response.close();
  }

  return { length: isChunked ? undefined : announced, into, cut, rest };
}
