import { createBacklog } from './backlog.ts';
import { readBody } from './body-reader.ts';
import type { Exchange } from './exchange.ts';
import { restAfter } from './fair-share.ts';
import type { Incoming } from './incoming.ts';

/** Bytes that wait for the consumer when the client is asked to stop. */
const ENOUGH = 2 * 1024 * 1024;

/**
 * Reads the body of a detached exchange, in the callback that brought it.
 * @param patience milliseconds in which the client has to send something
 */
export function incomingOf(exchange: Exchange, patience: number): Incoming & { drop: () => Promise<void> } {
  const backlog = createBacklog();
  const reader = readBody(exchange, { take, end, fail }, patience);
  let isOver = false;
  let isComplete = false;
  let isResting = false;
  let isWanted = false;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  reader.pause();

  return {
    length: exchange.header('transfer-encoding') === '' ? Number(exchange.header('content-length')) : undefined,
    cut: reader.cut,
    [Symbol.asyncIterator]: pieces,
    drop() {
      isOver = true;
      backlog.close();
      return reader.drop();
    },
  };

  function take(bytes: Uint8Array): void {
    if (failure !== undefined) return;
    const began = performance.now();
    try {
      backlog.add(bytes);
    } catch (error) {
      fail(error);
    }
    rest(restAfter(began));
    flow();
    wake?.();
  }

  function rest(milliseconds: number): void {
    if (milliseconds === 0 || isResting) return;
    isResting = true;
    setTimeout(() => {
      isResting = false;
      flow();
    }, milliseconds);
  }

  function flow(): void {
    if (isOver) return;
    if (isWanted && !isResting && backlog.size < ENOUGH) reader.resume();
    else reader.pause();
  }

  /** A request that changes something is either answered or not run, even when another request follows on its connection. */
  function end(): void {
    isOver = true;
    exchange.hold().then(() => {
      isComplete = true;
      wake?.();
    }, fail);
  }

  function fail(error: unknown): void {
    failure ??= error as Error;
    wake?.();
  }

  async function* pieces(): AsyncGenerator<Buffer, void> {
    isWanted = true;
    for (;;) {
      const piece = await backlog.next();
      flow();
      if (piece !== undefined) yield piece;
      else if (failure !== undefined) throw failure;
      else if (isComplete) return;
      else await new Promise<void>(resolve => { wake = resolve; });
    }
  }
}
