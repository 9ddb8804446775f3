import type { Socket } from 'node:net';

/**
 * Messages between the gateway and a process with code of the project: a length, a kind, the number of a call, and bytes. A pipe of our
 * own carries them, because the bodies of requests and answers would be copied and encoded on Node's channel between processes.
 */
export const KIND = {
  // To the worker.
  load: 1, request: 2, abort: 3, credit: 4, ping: 5, answered: 6, retire: 7,
  // Either way: bytes of a question or of its answer, by its number.
  piece: 8, last: 9, broken: 10, more: 11, stop: 12,
  // To the gateway.
  loading: 16, loaded: 17, refused: 18, ready: 19,
  head: 20, data: 21, end: 22, failed: 23, missing: 24, over: 25, log: 26, pong: 27, ask: 28,
} as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

export type Send = (kind: Kind, id: number, payload?: string | Uint8Array) => void;
export type Receive = (kind: Kind, id: number, payload: Buffer) => void;

/** Bytes of length, kind and number. */
const HEAD = 9;

export type Sender = {
  send: Send;
  /** The other side has spoken. */
  heard: () => void;
};

/**
 * Sends what one turn of the event loop has to say in one write, because a write costs more than a small call. With patience, what comes
 * before the other side has spoken again after the last write waits for that, at most so many milliseconds.
 */
export function sender(socket: Socket, patience = 0): Sender {
  let waiting: Uint8Array[] = [];
  let isDue = false;
  let isUnheard = false;
  let late: NodeJS.Timeout | undefined;
  return { send, heard };

  function send(kind: Kind, id: number, payload: string | Uint8Array = ''): void {
    waiting.push(...framed(kind, id, payload));
    if (isDue) return;
    isDue = true;
    if (isUnheard) late = setTimeout(flush, patience);
    else setImmediate(flush);
  }

  function heard(): void {
    isUnheard = false;
    if (late !== undefined) flush();
  }

  function flush(): void {
    clearTimeout(late);
    late = undefined;
    isDue = false;
    isUnheard = patience > 0;
    const frames = waiting;
    waiting = [];
    if (!socket.destroyed) socket.write(frames.length === 1 ? frames[0] as Uint8Array : Buffer.concat(frames));
  }
}

/** A number of bytes that the other side may send more. */
export function creditOf(bytes: number): Buffer {
  const granted = Buffer.allocUnsafe(4);
  granted.writeUInt32LE(bytes);
  return granted;
}

function framed(kind: Kind, id: number, payload: string | Uint8Array): Uint8Array[] {
  const size = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length;
  const isText = typeof payload === 'string';
  const head = Buffer.allocUnsafe(HEAD + (isText ? size : 0));
  head.writeUInt32LE(size, 0);
  head[4] = kind;
  head.writeUInt32LE(id, 5);
  if (!isText) return [head, payload];
  head.write(payload, HEAD);
  return [head];
}

/** Calls `receive` for each message of the socket, and `turn` after the last one of a piece. */
export function receiver(socket: Socket, receive: Receive, turn: () => void = () => undefined): void {
  let pieces: Buffer[] = [];
  let have = 0;
  let wanted = HEAD;
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece);
    have += piece.length;
    if (have < wanted) return;
    const bytes = pieces.length === 1 ? piece : Buffer.concat(pieces);
    let at = 0;
    while ((wanted = sizeOfNext(bytes, at)) <= bytes.length - at) {
      receive(bytes[at + 4] as Kind, bytes.readUInt32LE(at + 5), bytes.subarray(at + HEAD, at + wanted));
      at += wanted;
    }
    const rest = bytes.subarray(at);
    pieces = rest.length === 0 ? [] : [rest];
    have = rest.length;
    turn();
  });
}

function sizeOfNext(bytes: Buffer, at: number): number {
  return bytes.length - at < HEAD ? HEAD : HEAD + bytes.readUInt32LE(at);
}

/** A head as JSON, and the bytes after it. */
export function withJson(head: unknown, body: Uint8Array): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, body]);
}

export function readJson(payload: Buffer): { head: unknown; body: Buffer } {
  const end = 4 + payload.readUInt32LE(0);
  return { head: JSON.parse(payload.toString('utf8', 4, end)), body: payload.subarray(end) };
}
