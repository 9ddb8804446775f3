import type { SharedConfig } from '../config/settings.ts';
import { ApiError } from '../error.ts';
import { DROPPED, readBody } from './body-reader.ts';
import type { Exchange } from './exchange.ts';
import { growingBuffer } from './growing-buffer.ts';
import { incomingOf } from './incoming-body.ts';
import type { Incoming } from './incoming.ts';
import type { Call } from './route.ts';

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
  /** Releases the memory at once. The garbage collector would leave it for long in an idle process. */
  free: () => void;
};

export type Bodies = {
  /**
   * Reads the whole body of a detached exchange into memory. Until `admit` has returned or resolved, nothing is kept but what arrived
   * with the head.
   * @throws ApiError 413 PAYLOAD_TOO_LARGE, 503 SERVICE_UNAVAILABLE, and the errors of `admit`.
   */
  whole: (exchange: Exchange, admit: (call: Call) => unknown) => Promise<Body>;
  /** The body of a detached exchange, piece by piece. `drop` afterwards, so that the client can read the answer. */
  incoming: (exchange: Exchange) => Incoming & { drop: () => Promise<void> };
};

type BodiesConfig = Pick<SharedConfig, 'maxBodySize' | 'bodyMemory' | 'transferTimeout'>;

/** The bodies in transit in this process. Each whole one has a limit, and so have all of them together. */
export function createBodies({ maxBodySize, bodyMemory, transferTimeout }: BodiesConfig): Bodies {
  const largest = Math.min(maxBodySize === 0 ? Infinity : maxBodySize, bodyMemory);
  const memory = { free: bodyMemory };

  return { whole, incoming: exchange => incomingOf(exchange, transferTimeout) };

  async function whole(exchange: Exchange, admit: (call: Call) => unknown): Promise<Body> {
    const announced = Number(exchange.header('content-length'));
    exchange.closes = announced > largest + DROPPED;
    if (announced > largest) throw tooLarge(largest);
    const { promise: complete, resolve, reject } = Promise.withResolvers<undefined>();
    const kept = growingBuffer(memory, announced || largest);
    let size = 0;
    let isRefused = false;
    const reader = readBody(exchange, { take, end: () => resolve(undefined), fail: refuse });
    try {
      const admission = admit(exchange);
      if (admission instanceof Promise) {
        complete.catch(() => undefined); // awaited below
        reader.pause();
        await admission;
        reader.resume();
      }
      await complete;
      exchange.whenGone = undefined;
      return { bytes: kept.whole(), free: kept.free };
    } catch (error) {
      refuse(error as Error);
      complete.catch(() => undefined);
      kept.free();
      await reader.drop();
      throw error;
    }

    function take(bytes: Uint8Array): void {
      size += bytes.length;
      if (isRefused) return;
      if (size > largest) refuse(tooLarge(largest));
      else if (!kept.append(bytes)) refuse(tooMany());
    }

    function refuse(error: Error): void {
      isRefused = true;
      reject(error);
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
