import { ApiError } from '../error.ts';
import { type Exchange } from './exchange.ts';

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
  return length === '0' || bodiless.has(exchange.method) ? 'none' : 'body';
}

/** Their bodies mean nothing (RFC 9110 section 9.3.1) and are skipped. */
const bodiless = new Set<string>(['GET', 'HEAD', 'OPTIONS']);

/**
 * Reads the body of a detached exchange. A body announced as too large is refused at once, and a chunked one when it
 * has ended: an early answer would leave a stream without end running behind it.
 * @throws ApiError 413 PAYLOAD_TOO_LARGE.
 */
export function readBody(exchange: Exchange, limit: number): Promise<Buffer> {
  const largest = limit === 0 ? Infinity : limit;
  const announced = Number(exchange.header('content-length'));
  exchange.closes = announced > largest + patience;
  if (announced > largest) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const body = growingBuffer();
    let size = 0;
    exchange.response.onData((chunk, isLast) => {
      size += chunk.byteLength;
      if (size <= largest) body.append(new Uint8Array(chunk));
      else body.drop();
      exchange.closes = size > largest + patience;
      if (size > largest && (isLast || exchange.closes)) reject(tooLarge(limit));
      else if (isLast) resolve(body.whole());
    });
  });
}

/** One buffer that doubles: a list of chunks would hold a hundred bytes of object for each byte of a slow drip. */
function growingBuffer() {
  let buffer = Buffer.alloc(0);
  let size = 0;

  /** Copies: the bytes belong to the socket and are gone after the callback. */
  function append(bytes: Uint8Array): void {
    if (size + bytes.length > buffer.length) {
      const larger = Buffer.allocUnsafe(size === 0 ? bytes.length : Math.max(size + bytes.length, 2 * buffer.length));
      buffer.copy(larger, 0, 0, size);
      buffer = larger;
    }
    buffer.set(bytes, size);
    size += bytes.length;
  }

  function drop(): void {
    buffer = Buffer.alloc(0);
    size = 0;
  }

  return { append, drop, whole: () => buffer.subarray(0, size) };
}

function tooLarge(limit: number): ApiError {
  return new ApiError(413, 'PAYLOAD_TOO_LARGE', `The body is larger than the limit of ${wholeMegabytes(limit)} MB.`, { limit });
}

function wholeMegabytes(bytes: number): number {
  return Math.max(1, Math.round(bytes / megabyte));
}
