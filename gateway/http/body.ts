import { type Config } from '../config/config.ts';
import { ApiError } from '../error.ts';
import { ClientLeft } from './client-left.ts';
import { type Exchange } from './exchange.ts';
import { growingBuffer, type Memory } from './growing-buffer.ts';
import { type Incoming } from './incoming.ts';
import { incomingOf, PATIENCE } from './receive.ts';
import { type Call } from './route.ts';

const megabyte = 1024 * 1024;

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
  /** The body of a detached exchange for who takes it as it comes. `rest` afterwards, so that the answer can be read. */
  incoming: (exchange: Exchange) => Incoming & { rest: () => Promise<void> };
};

type BodiesConfig = Pick<Config, 'maxBodySize' | 'bodyMemory' | 'transferTimeout'>;

/** The bodies under way in this process: one may have so many bytes, and all together. */
export function createBodies({ maxBodySize, bodyMemory, transferTimeout }: BodiesConfig): Bodies {
  const largest = Math.min(maxBodySize === 0 ? Infinity : maxBodySize, bodyMemory);
  const memory = { free: bodyMemory };

  return {
    read(exchange, admit) {
      const announced = Number(exchange.header('content-length'));
      exchange.closes = announced > largest + PATIENCE;
      return announced > largest ? Promise.reject(tooLarge(largest)) : receive(exchange, admit, { memory, largest });
    },
    incoming: exchange => incomingOf(exchange, { memory, patience: transferTimeout, tooMany }),
  };
}

function receive(
  exchange: Exchange, admit: (call: Call) => unknown, { memory, largest }: { memory: Memory; largest: number },
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
    exchange.closes = size > largest + PATIENCE;
    isHere = isLast || exchange.closes;
    if (size > largest) refuse(tooLarge(largest));
    else if (refusal === undefined && !kept.append(new Uint8Array(chunk))) refuse(tooMany());
    else settle();
  });
  exchange.whenGone = () => refuse(new ClientLeft());
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

function tooLarge(limit: number): ApiError {
  return new ApiError(413, 'PAYLOAD_TOO_LARGE', `The body is larger than the limit of ${wholeMegabytes(limit)} MB.`, { limit });
}

function wholeMegabytes(bytes: number): number {
  return Math.max(1, Math.round(bytes / megabyte));
}

function tooMany(): ApiError {
  return new ApiError(503, 'SERVICE_UNAVAILABLE', 'Too many request bodies are under way; try again.');
}
