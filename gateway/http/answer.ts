import { isOver } from '../process/heap.ts';
import { type Exchange } from './exchange.ts';
import { headerBlock, headerLine } from './header-block.ts';
import { type Reply } from './route.ts';
import { statusText } from './status-text.ts';
import { type HttpResponse } from './uws.ts';

/** An answer as it goes to the socket. `head` is header lines, each with its CRLF. */
export type Answer = { status: number; head: string; body: string | Uint8Array | undefined };
/** Runs when the socket has the whole answer. */
export type Done = (exchange: Exchange, status: number) => void;

const jsonLine = headerLine('Content-Type', 'application/json; charset=utf-8');

/** Above this an answer is handed over piece by piece, as the client takes it. */
const onePiece = 64 * 1024;

/** @throws Error when a header of the reply would break the message. */
export function answerOf({ status = 200, headers, type, body }: Reply, commonHead: string): Answer {
  const typeLine = body === undefined ? '' : type === undefined ? jsonLine : headerLine('Content-Type', type);
  return { status, head: typeLine + commonHead + (headers === undefined ? '' : headerBlock(headers)), body };
}

/**
 * Writes inside one cork. `done` runs once the socket has all of it; not if the client leaves before.
 * A callback of uWebSockets.js is corked already, so what answers within it needs none.
 * @param patience milliseconds in which a client has to take some of what waits for it
 */
export function writeAnswer(exchange: Exchange, answer: Answer, patience: number, done: Done): void {
  if (exchange.gone) return;
  if (isLong(exchange, answer)) {
    exchange.detach();
    exchange.response.cork(() => writePieces(exchange, answer, patience, done));
  } else if (exchange.detached) {
    exchange.response.cork(() => writeWhole(exchange, answer, done));
  } else {
    writeWhole(exchange, answer, done);
  }
}

/** What is held is written whole, because the next request may not come before the last piece. */
function isLong({ method, held }: Exchange, { body }: Answer): boolean {
  return body !== undefined && body.length > onePiece && method !== 'HEAD' && !held;
}

function writeWhole(exchange: Exchange, answer: Answer, done: Done): void {
  const { response, method, closes } = exchange;
  if (exchange.held) response.resume();
  if (method === 'HEAD' || answer.body === undefined) {
    writeHead(response, answer, lengthLine(answer) + closeLine(closes));
    response.endWithoutBody();
  } else {
    writeHead(response, answer, '');
    response.end(answer.body, closes);
  }
  done(exchange, answer.status);
}

/**
 * uWebSockets.js would copy what the socket does not take, and a slow reader could pile up copies. Who takes nothing at all is not
 * waited for: the answer is memory.
 */
function writePieces(exchange: Exchange, answer: Answer, patience: number, done: Done): void {
  const { response, closes } = exchange;
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body ?? new Uint8Array();
  writeHead(response, answer, closeLine(closes));
  const start = response.getWriteOffset();
  const isAllTaken = response.tryEnd(body, body.length)[1];
  if (isAllTaken) {
    isOver(body.length);
    return done(exchange, answer.status);
  }
  const late = setTimeout(() => response.close(), patience);
  exchange.whenGone = () => {
    clearTimeout(late);
    isOver(body.length);
  };
  response.onWritable(offset => {
    late.refresh();
    const [isTaken, isEnd] = response.tryEnd(body.subarray(offset - start), body.length);
    if (isEnd) {
      exchange.whenGone?.();
      done(exchange, answer.status);
    }
    return isTaken;
  });
}

/** One call instead of one a header: each crossing into C++ costs more than joining the lines. They were checked before. */
function writeHead(response: HttpResponse, { status, head }: Answer, more: string): void {
  if (status !== 200) response.writeStatus(statusText(status));
  const lines = head + more;
  const colon = lines.indexOf(':');
  response.writeHeader(lines.slice(0, colon), lines.slice(colon + 2, -2));
}

/**
 * By hand, because `endWithoutBody(length)` goes on waiting for a body of that length. A 204 and a 304 have no length
 * (RFC 9110 section 8.6).
 */
function lengthLine({ status, body }: Answer): string {
  if (status === 204 || status === 304) return '';
  return `Content-Length: ${body === undefined ? 0 : Buffer.byteLength(body)}\r\n`;
}

/** Where uWebSockets.js takes no flag for it, the client is asked to close. */
function closeLine(closes: boolean): string {
  return closes ? 'Connection: close\r\n' : '';
}
