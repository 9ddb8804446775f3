import { type Config } from '../config/config.ts';
import { ApiError } from '../error.ts';
import { collectAfter } from '../process/heap.ts';
import { type Exchange } from './exchange.ts';
import { type Call } from './route.ts';

const megabyte = 1024 * 1024;
/** How much of a refused body is still taken in, so that a client that writes before it reads gets its answer. Past it, it ends. */
const patience = 64 * megabyte;

export type Framing = 'none' | 'body' | 'ambiguous';

/**
 * Whether a body follows (RFC 9112 section 6.3). Ambiguous is one that two readers could see end in two places, as far
 * as uWebSockets.js lets it through: a proxy in front may have seen the other end.
 */
export function bodyFraming(exchange: Exchange): Framing {
  const length = exchange.header('content-length');
  const encoding = exchange.header('transfer-encoding');
  if (length === '' && encoding === '') return 'none';
  if (exchange.isFramedTwice() || !/^(?:chunked)?$/i.test(encoding)) return 'ambiguous';
  return length === '0' || isBodiless(exchange) ? 'none' : 'body';
}

/** Their bodies mean nothing (RFC 9110 section 9.3.1) and are skipped. */
const bodiless = new Set<string>(['GET', 'HEAD', 'OPTIONS']);

export function isBodiless({ method }: Exchange): boolean {
  return bodiless.has(method);
}

export type Body = {
  bytes: Buffer;
  /** Gives its memory back at once. The garbage collector would leave it for long to a process that has nothing to do. */
  free: () => void;
};

export type Bodies = {
  /**
   * Reads the body of a detached exchange. Until `admit` has said yes, by not throwing or rejecting, nothing is kept but what came
   * with the head. A refusal is told at once, but of a chunked body when it has ended: an early answer would leave a stream
   * without end running behind it.
   * @throws ApiError 413 PAYLOAD_TOO_LARGE, 503 SERVICE_UNAVAILABLE, and what `admit` throws.
   */
  read: (exchange: Exchange, admit: (call: Call) => unknown) => Promise<Body>;
};

/** The bodies under way in this process: one may have so many bytes, and all together. */
export function createBodies({ maxBodySize, bodyMemory }: Pick<Config, 'maxBodySize' | 'bodyMemory'>): Bodies {
  const largest = Math.min(maxBodySize === 0 ? Infinity : maxBodySize, bodyMemory);
  const memory = { free: bodyMemory };

  return {
    read(exchange, admit) {
      const announced = Number(exchange.header('content-length'));
      exchange.closes = announced > largest + patience;
      return announced > largest ? Promise.reject(tooLarge(largest)) : receive(exchange, admit, { memory, largest });
    },
  };
}

function receive(
  exchange: Exchange, admit: (call: Call) => unknown, { memory, largest }: { memory: { free: number }; largest: number },
): Promise<Body> {
  const { promise, resolve, reject } = Promise.withResolvers<Body>();
  const announced = Number(exchange.header('content-length'));
  const isChunked = announced === 0;
  const kept = growingBuffer(memory, isChunked ? largest : announced);
  let size = 0;
  let isHere = false;
  let isAdmitted = false;
  let refusal: unknown;

  exchange.response.onData((chunk, isLast) => {
    size += chunk.byteLength;
    exchange.closes = size > largest + patience;
    isHere = isLast || exchange.closes;
    if (size > largest) refuse(tooLarge(largest));
    else if (refusal === undefined && !kept.append(new Uint8Array(chunk))) refuse(tooMany());
    else settle();
  });
  exchange.whenGone = () => refuse(new Error('The client left.'));
  ask();
  return promise;

  function ask(): void {
    try {
      const answer = admit(exchange);
      if (!(answer instanceof Promise)) return accept();
      exchange.response.pause();
      answer.finally(() => exchange.gone || exchange.response.resume()).then(accept, refuse);
    } catch (error) {
      refuse(error);
    }
  }

  function accept(): void {
    isAdmitted = true;
    settle();
  }

  function refuse(error: unknown): void {
    refusal ??= error;
    kept.free();
    settle();
  }

  function settle(): void {
    if (refusal !== undefined) {
      if (isHere || !isChunked || exchange.gone) reject(refusal);
    } else if (isHere && isAdmitted) {
      exchange.whenGone = undefined;
      resolve({ bytes: kept.whole(), free: kept.free });
    }
  }
}

/** From here on memory comes from the system and can be given back; smaller pieces are cheaper from the process's own. */
const pooled = 4096;

/** One buffer that doubles, up to `most`: a list of chunks would hold a hundred bytes of object for each byte of a slow drip. */
function growingBuffer(memory: { free: number }, most: number) {
  let buffer = Buffer.alloc(0);
  let size = 0;

  /** Copies: the bytes belong to the socket and are gone after the callback. False when there is no memory for them. */
  function append(bytes: Uint8Array): boolean {
    const needed = size + bytes.length;
    if (needed > buffer.length && !grow(Math.max(needed, Math.min(2 * buffer.length, most)))) return false;
    buffer.set(bytes, size);
    size += bytes.length;
    return true;
  }

  function grow(capacity: number): boolean {
    if (capacity - buffer.length > memory.free) return false;
    const larger = capacity < pooled ? Buffer.allocUnsafe(capacity) : Buffer.allocUnsafeSlow(capacity);
    larger.set(buffer.subarray(0, size));
    memory.free -= capacity - buffer.length;
    giveBack(buffer);
    buffer = larger;
    return true;
  }

  function free(): void {
    memory.free += buffer.length;
    collectAfter(buffer.length);
    giveBack(buffer);
    buffer = Buffer.alloc(0);
    size = 0;
  }

  return { append, free, whole: () => buffer.subarray(0, size) };
}

function giveBack({ buffer, length }: Buffer): void {
  if (length >= pooled) (buffer as ArrayBuffer).transfer(0);
}

function tooLarge(limit: number): ApiError {
  return new ApiError(413, 'PAYLOAD_TOO_LARGE', `The body is larger than the limit of ${wholeMegabytes(limit)} MB.`, { limit });
}

function wholeMegabytes(bytes: number): number {
  return Math.max(1, Math.round(bytes / megabyte));
}

function tooMany(): ApiError {
  return new ApiError(503, 'SERVICE_UNAVAILABLE', 'Too many request bodies are under way; try again.');
}
