import type { Exchange } from './exchange.ts';
import { headerBlock, headerLine } from './header-block.ts';
import { writePieces } from './write-pieces.ts';
import { writeStream } from './write-stream.ts';
import type { Reply, Streamed } from './route.ts';
import type { HttpResponse } from './uws.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

const lines = new Map(Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text ?? ''}`]));

/** The status line's text, such as `404 Not Found`. */
function statusText(status: number): string {
  return lines.get(status) ?? String(status);
}

/** An answer in the form of the socket. `head` is header lines, each with its CRLF. */
export type Answer = { status: number; head: string; body: Reply['body'] };
/** Runs when the socket has the whole answer. */
export type Done = (exchange: Exchange, status: number) => void;

const jsonLine = headerLine('Content-Type', 'application/json; charset=utf-8');

/** Milliseconds in which a client has to take some more of an answer from memory, or of a stream. */
export type Patience = Record<'memory' | 'stream', number>;

/** Above this the last answer of a connection is handed over piece by piece too, and its client asked to close. */
const lastPiece = 64 * 1024;

/** @throws Error when a header of the reply would break the message. */
export function answerOf({ status = 200, headers, type, body, asIs }: Reply, commonHead: string): Answer {
  const hasType = body !== undefined && (!asIs || type !== undefined);
  const typeLine = !hasType ? '' : type === undefined ? jsonLine : headerLine('Content-Type', type);
  return { status, head: typeLine + commonHead + (headers === undefined ? '' : headerBlock(headers)), body };
}

/**
 * Writes inside one cork. `done` runs once the socket has all of it; not if the client leaves before.
 * A callback of uWebSockets.js is corked already, so what answers within it needs none.
 */
export function writeAnswer(exchange: Exchange, answer: Answer, patience: Patience, done: Done): void {
  if (exchange.gone) return void streamed(answer.body)?.source?.destroy();
  const write = () => writeCorked(exchange, answer, patience, () => done(exchange, answer.status));
  if (exchange.detached) exchange.response.cork(write);
  else write();
}

function writeCorked(exchange: Exchange, answer: Answer, patience: Patience, done: () => void): void {
  const { response, method, closes, held } = exchange;
  const isBare = method === 'HEAD' || answer.body === undefined;
  const stream = streamed(answer.body);
  if (!isBare && stream?.source !== undefined && stream.length !== 0) {
    const { source, length, recycle } = stream;
    writeHead(response, answer, closeLine(closes));
    if (length === undefined) return writeStream(exchange, { source, recycle }, patience.stream, done);
    return writePieces(exchange, { size: length, source, recycle }, patience.stream, done);
  }
  stream?.source?.destroy();
  const whole = stream === undefined ? answer.body as string | Uint8Array : '';
  if (!isBare && !(closes && whole.length <= lastPiece)) {
    writeHead(response, answer, closeLine(closes));
    const first = typeof whole === 'string' ? Buffer.from(whole) : whole;
    return writePieces(exchange, { size: first.length, first }, patience.memory, done);
  }
  if (held) response.resume();
  if (isBare) {
    writeHead(response, answer, lengthLine(answer) + closeLine(closes));
    response.endWithoutBody();
  } else {
    writeHead(response, answer, '');
    response.end(whole, true);
  }
  done();
}

export function streamed(body: Reply['body']): Streamed | undefined {
  return typeof body === 'object' && !(body instanceof Uint8Array) ? body : undefined;
}

/** One call instead of one a header: each crossing into C++ costs more than joining the lines. They were checked before. */
function writeHead(response: HttpResponse, { status, head }: Answer, more: string): void {
  if (status !== 200) response.writeStatus(statusText(status));
  const lines = head + more;
  const colon = lines.indexOf(':');
  response.writeHeader(lines.slice(0, colon), lines.slice(colon + 2, -2));
}

/** By hand, because `endWithoutBody(length)` waits for a body of that length. A 204 and a 304 have no length (RFC 9110 section 8.6). */
function lengthLine({ status, body }: Answer): string {
  const isUnknown = streamed(body) !== undefined && streamed(body)?.length === undefined;
  if (status === 204 || status === 304 || isUnknown) return '';
  return `Content-Length: ${typeof body === 'string' ? Buffer.byteLength(body) : body?.length ?? 0}\r\n`;
}

/** Where uWebSockets.js takes no flag for it, the client is asked to close. */
function closeLine(closes: boolean): string {
  return closes ? 'Connection: close\r\n' : '';
}
