import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../error.ts';
import { blankEnd, createReader, invalid } from './json-reader.ts';
import { createOperations, type Operation } from './batch-names.ts';
import { createNames, createRows, type Rows } from './body-names.ts';
import type { ParsedWrite } from './shape.ts';

/**
 * A JSON object as it was sent, and the names in it, each once; those that carry an operation; what the rows of a list name; what
 * the operations of a batch do.
 */
export type Body = { text: string; names: string[]; operations?: Record<string, string>; rows?: Rows; batch?: Operation[] };

/** The listener of each kind of body. */
const LISTENERS = { row: createNames, rows: createRows, batch: createOperations } satisfies Record<ParsedWrite['of'], unknown>;

/** Bytes that are looked at in one turn of the event loop: half a millisecond. */
const SLICE = 64 * 1024;

/**
 * Reads of a body no more than its names: a parser takes seconds for a few megabytes of brackets. Whether it is JSON inside is
 * said by the database, which reads it.
 *
 * The text becomes a part of a larger one, so it is proved to be exactly one object: its first character is a brace, and the
 * bracket that takes the count of open ones back to nothing is its last. Strings end where every parser ends them, so in a text
 * that is JSON no other bracket can be the brace's own.
 * @throws ApiError 400 BAD_REQUEST, thrown or, of a long body, as a rejection
 */
export function readBody(sent: Buffer, of: ParsedWrite['of'] = 'row'): Body | Promise<Body> {
  const json = sent.subarray(blankEnd(sent, sent.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0));
  if (json.length === 0) return { text: '{}', names: [] };
  if (json[0] !== BRACE) throw new ApiError(400, 'BAD_REQUEST', 'The body must be a JSON object.');
  const names = LISTENERS[of](json);
  const read = createReader(json, names);
  if (json.length > SLICE) return readInSlices(json, read, names.found);
  read(json.length);
  return { ...names.found(), text: decoded(utf8, json, false).trimEnd() };
}

async function readInSlices(json: Buffer, read: (end: number) => void, found: () => Omit<Body, 'text'>): Promise<Body> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for (let from = 0; ; from += SLICE) {
    await ownTurn();
    const end = Math.min(from + SLICE, json.length);
    read(end);
    text += decoded(decoder, json.subarray(from, end), end < json.length);
    if (end === json.length) return { ...found(), text: text.trimEnd() };
  }
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other body has, in the order of the calls: long bodies, in any number, stall no other
 * request.
 */
function ownTurn(): Promise<unknown> {
  return last = last.then(() => setImmediate());
}

/** The byte order mark. */
const MARK = Buffer.from('\ufeff');
const BRACE = 0x7b;

/** Fatal: replacing a broken byte would store something else than what was sent. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decoded(decoder: typeof utf8, bytes: Buffer, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (cause) {
    throw invalid(cause);
  }
}
