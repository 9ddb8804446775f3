import { Readable } from 'node:stream';
import { ApiError, type ErrorCode } from '../../../error.ts';
import type { Reply } from '../../../http/route.ts';
import { overdue } from '../timeout.ts';
import { isOwnHeader } from './headers.ts';
import type { SentError, SentHead } from './call.ts';

/** The answer of a function while it arrives, message by message. */
export type Answer = {
  /** Undefined where the function has no route for the request. */
  reply: Promise<Reply | undefined>;
  head: (head: SentHead) => void;
  add: (piece: Buffer) => void;
  end: () => void;
  fail: (error: SentError) => void;
  missing: () => void;
  /** The worker has ended. */
  lose: (cause: Error) => void;
  /** The function stands still. It is 504, which its time limit says by itself where its time is over soon. */
  overrun: (isOverSoon: boolean) => void;
  /** Called when all that arrived together was told: an answer that is whole by then goes out with its length. */
  settle: () => void;
  /** Whether its client has the head already. */
  isFlowing: () => boolean;
  /** The client has left, or waited too long. */
  giveUp: () => void;
};
export type AnswerOptions = { method: string; credit: (bytes: number) => void; abort: () => void; over: () => void };

/** Statuses without a body. */
const BODILESS = new Set([204, 205, 304]);

export function createAnswer({ method, credit, abort, over }: AnswerOptions): Answer {
  const { promise: reply, resolve, reject } = Promise.withResolvers<Reply | undefined>();
  const pieces: Buffer[] = [];
  let head: SentHead | undefined;
  let source: Readable | undefined;
  let isWanted = false;
  let hasEnded = false;
  let isOver = false;
  reply.catch(() => undefined); // a client that left asks no more

  return {
    reply,
    head: given => { head = given; },
    add(piece) {
      pieces.push(piece);
      if (isWanted) push();
    },
    end() {
      hasEnded = true;
      close();
      if (isWanted) push();
    },
    fail: error => { broken(errorOf(error)); },
    missing() {
      close();
      resolve(undefined);
    },
    lose: cause => {
      broken(new ApiError(503, 'SERVICE_UNAVAILABLE', 'The function ended before its answer; try again.', undefined, { cause }));
    },
    overrun(isOverSoon) {
      if (isOverSoon && source === undefined) close();
      else broken(overdue());
    },
    settle,
    isFlowing: () => source !== undefined,
    giveUp() {
      if (isOver) return;
      close();
      abort();
    },
  };

  function close(): void {
    isOver = true;
    over();
  }

  function broken(error: Error): void {
    close();
    reject(error);
    source?.destroy(error);
  }

  function settle(): void {
    if (head === undefined || source !== undefined) return;
    const { status, headers } = head;
    const own = { status, headers: headersOf(headers), asIs: true as const };
    if (BODILESS.has(status)) resolve(own);
    else if (method === 'HEAD') resolve({ ...own, body: {} });
    else if (hasEnded) resolve({ ...own, body: pieces.length === 1 ? pieces[0] as Buffer : Buffer.concat(pieces) });
    else resolve({ ...own, body: { source: source = flowing() } });
  }

  function flowing(): Readable {
    return new Readable({
      read() {
        isWanted = true;
        push();
      },
      destroy(error, done) {
        if (!isOver) {
          close();
          abort();
        }
        done(error);
      },
    });
  }

  function push(): void {
    const piece = pieces.shift();
    if (piece !== undefined) {
      isWanted = false;
      if (!isOver) credit(piece.length);
      source?.push(piece);
    } else if (hasEnded) {
      source?.push(null);
    }
  }
}

function headersOf(given: SentHead['headers']): Record<string, string | string[]> {
  const cookies = given.flatMap(([name, value]) => name === 'set-cookie' ? [value] : []);
  const others = given.filter(([name]) => name !== 'set-cookie' && !isOwnHeader(name));
  return { ...Object.fromEntries(others), ...(cookies.length > 0 && { 'set-cookie': cookies }) };
}

/** An error without a code is a fault of the function. */
function errorOf({ status, code, message, details, name, stack }: SentError): Error {
  if (status !== undefined && code !== undefined) return new ApiError(status, code as ErrorCode, message, details);
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
