import { collectAfter } from '../process/heap.ts';
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

/** Above this the last answer of a connection is handed over piece by piece too, and its client asked to close. */
const lastPiece = 64 * 1024;

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
  const write = () => writeCorked(exchange, answer, patience, done);
  if (exchange.detached) exchange.response.cork(write);
  else write();
}

function writeCorked(exchange: Exchange, answer: Answer, patience: number, done: Done): void {
  const { response, method, closes, held } = exchange;
  const { status, body } = answer;
  const isBare = method === 'HEAD' || body === undefined;
  if (!isBare && !(closes && body.length <= lastPiece)) {
    return writePieces(exchange, answer, typeof body === 'string' ? Buffer.from(body) : body, patience, done);
  }
  if (held) response.resume();
  if (isBare) {
    writeHead(response, answer, lengthLine(answer) + closeLine(closes));
    response.endWithoutBody();
  } else {
    writeHead(response, answer, '');
    response.end(body, true);
  }
  done(exchange, status);
}

/**
 * uWebSockets.js would copy what the socket does not take, and who reads slowly, or asks again and again and reads nothing, could pile
 * up copies. So the rest waits here, and a request that comes meanwhile ends the connection. Who takes nothing at all is not waited
 * for: the answer is memory.
 */
function writePieces(exchange: Exchange, answer: Answer, body: Uint8Array, patience: number, done: Done): void {
  const { response, closes } = exchange;
  writeHead(response, answer, closeLine(closes));
  const start = response.getWriteOffset();
  if (take(exchange, body, body.length).isEnd) {
    collectAfter(body.length);
    return done(exchange, answer.status);
  }
  exchange.detach();
  const late = setTimeout(() => response.close(), patience);
  const letGo = () => {
    clearTimeout(late);
    collectAfter(body.length);
  };
  exchange.whenGone = letGo;
  response.onWritable(offset => {
    late.refresh();
    const { isTaken, isEnd } = take(exchange, body.subarray(offset - start), body.length);
    if (isEnd) {
      letGo();
      done(exchange, answer.status);
    }
    return isTaken;
  });
}

/** What is held back on a connection comes after the last piece. */
function take({ response, held }: Exchange, piece: Uint8Array, size: number): { isTaken: boolean; isEnd: boolean } {
  if (held) response.resume();
  const [isTaken, isEnd] = response.tryEnd(piece, size);
  if (held && !isEnd) response.pause();
  return { isTaken, isEnd };
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
