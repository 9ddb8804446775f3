import { creditOf, KIND, type Kind, type Send } from './frames.ts';
import { grant, newFlow, piecesOf, room, halt, type Flow } from './window.ts';

/** `call`: the number of the call for which they are taken, 0 for none. `end`: undefined while more may come. */
type Taken = { call: number; pieces: Buffer[]; end?: 'whole' | Error; wake?: (() => void) | undefined };

/** Bytes that go with questions of a worker and with their answers, either way, by the number of the question. */
export type ByteStreams = {
  /** Whether the message was one of these. */
  hear: (kind: Kind, id: number, payload: Buffer) => boolean;
  /** Sends them as fast as the other side takes them; ends early where it wants no more. @throws the error of the source. */
  give: (id: number, source?: AsyncIterable<Uint8Array>) => Promise<void>;
  /** Those that the other side gives. They stop when the iteration ends, by `stop`, and when the call is over. */
  take: (id: number, call?: number) => AsyncIterableIterator<Buffer>;
  stop: (id: number) => void;
  stopOf: (call: number) => void;
  /** The other side is gone. */
  close: () => void;
};

export function byteStreams(send: Send): ByteStreams {
  const given = new Map<number, Flow>();
  const taken = new Map<number, Taken>();

  return {
    hear, give, take, stop,
    stopOf(of) {
      for (const [id, { call }] of taken) if (call === of) stop(id);
    },
    close() {
      for (const to of given.values()) halt(to);
      for (const id of taken.keys()) stop(id);
    },
  };

  function hear(kind: Kind, id: number, payload: Buffer): boolean {
    const to = given.get(id);
    const from = taken.get(id);
    if (kind === KIND.more) grant(to, payload.readUInt32LE(0));
    else if (kind === KIND.stop) halt(to);
    // A copy, because the store may use the memory of a slab again, and the piece may lie in memory of that size with other messages.
    else if (kind === KIND.piece) from?.pieces.push(Buffer.from(payload));
    else if (kind === KIND.last) end(from, 'whole');
    else if (kind === KIND.broken) end(from, new Error(payload.toString()));
    else return false;
    from?.wake?.();
    return true;
  }

  async function give(id: number, source?: AsyncIterable<Uint8Array>): Promise<void> {
    if (source === undefined) return;
    const to = newFlow();
    given.set(id, to);
    try {
      for await (const bytes of source) {
        for (const piece of piecesOf(bytes)) {
          await room(to);
          if (to.isStopped) return;
          to.credit -= piece.length;
          send(KIND.piece, id, piece);
        }
      }
      send(KIND.last, id);
    } catch (error) {
      send(KIND.broken, id, error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      given.delete(id);
    }
  }

  function take(id: number, call = 0): AsyncIterableIterator<Buffer> {
    const from: Taken = { call, pieces: [] };
    taken.set(id, from);
    return {
      [Symbol.asyncIterator]() { return this; },
      next: () => next(id, from),
      return() {
        stop(id);
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async function next(id: number, from: Taken): Promise<IteratorResult<Buffer, undefined>> {
    while (from.pieces.length === 0 && from.end === undefined) await new Promise<void>(resolve => { from.wake = resolve; });
    const value = from.pieces.shift();
    if (value !== undefined) {
      if (from.end === undefined) send(KIND.more, id, creditOf(value.length));
      return { done: false, value };
    }
    taken.delete(id);
    if (from.end instanceof Error) throw from.end;
    return { done: true, value: undefined };
  }

  function stop(id: number): void {
    const from = taken.get(id);
    if (from === undefined) return;
    taken.delete(id);
    if (from.end === undefined) send(KIND.stop, id);
    if (from.end !== 'whole' || from.pieces.length > 0) from.end = new Error('The bytes were no longer wanted, or their sender has ended.');
    from.pieces = [];
    from.wake?.();
  }
}

function end(from: Taken | undefined, how: 'whole' | Error): void {
  if (from !== undefined) from.end = how;
}
