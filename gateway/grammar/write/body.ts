import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../error.ts';

/** A JSON object as it was sent, and the names in it, each once. */
export type Body = { text: string; names: string[] };

/** Bytes that are looked at in one turn of the event loop: half a millisecond. */
const TURN = 64 * 1024;
/** A table has at most 1,600 columns, each with two names. Of more names no more are kept. */
const MOST_NAMES = 3200;

/**
 * Reads of a body no more than its names: a parser takes seconds for a few megabytes of brackets. Whether it is JSON inside is
 * said by the database, which reads it.
 *
 * The text becomes a part of a larger one, so it is proved to be exactly one object: its first character is a brace, and the
 * bracket that takes the count of open ones back to nothing is its last. Strings end where every parser ends them, so in a text
 * that is JSON no other bracket can be the brace's own.
 * @throws ApiError 400 BAD_REQUEST, thrown or, of a long body, as a rejection
 */
export function readBody(sent: Buffer): Body | Promise<Body> {
  const json = sent.subarray(blankEnd(sent, sent.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0));
  if (json.length === 0) return { text: '{}', names: [] };
  if (json[0] !== BRACE) throw new ApiError(400, 'BAD_REQUEST', 'The body must be a JSON object.');
  return json.length > TURN ? inTurns(json) : { names: createReader(json).read(json.length), text: decoded(utf8, json, false).trimEnd() };
}

async function inTurns(json: Buffer): Promise<Body> {
  const reader = createReader(json);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for (let from = 0; ; from += TURN) {
    await ownTurn();
    const end = Math.min(from + TURN, json.length);
    const names = reader.read(end);
    text += decoded(decoder, json.subarray(from, end), end < json.length);
    if (end === json.length) return { text: text.trimEnd(), names };
  }
}

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a turn of the event loop that no other body has, in the order of asking: so long ones, however many, stall nobody. */
function ownTurn(): Promise<unknown> {
  return last = last.then(() => setImmediate());
}

/** Fatal: replacing a broken byte would store something else than what was sent. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decoded(decoder: typeof utf8, bytes: Buffer, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (cause) {
    throw invalid(cause);
  }
}

type Reader = { read: (end: number) => string[] };

/** What bytes mean outside of strings. */
const [OTHER, BLANK, OPENS, CLOSES, QUOTES, NAMES] = [0, 1, 2, 3, 4, 5];
const MEANING = new Uint8Array(256).fill(OTHER);
for (const [characters, meaning] of [[' \t\n\r', BLANK], ['[{', OPENS], [']}', CLOSES], ['"', QUOTES], [':', NAMES]] as const) {
  for (const character of characters) MEANING[character.charCodeAt(0)] = meaning;
}
/** Of the byte order. */
const MARK = Buffer.from('\ufeff');
const [BRACE, QUOTE, BACKSLASH] = [0x7b, 0x22, 0x5c];
/** Bytes of a string after which it is worth a call to search for its end. */
const STEPS = 64;

function createReader(json: Buffer): Reader {
  const names = new Set<string>();
  let at = 0;
  let depth = 0;
  let isInString = false;
  let hasEscape = false;
  /** Where the last string of the object itself stands, with its quotes. */
  let begins = 0;
  let ends = 0;
  let closed: number | undefined;

  return { read };

  /** Goes on to this byte. Returns the names that were found up to it. */
  function read(end: number): string[] {
    while (at < end) {
      if (isInString) readString(end);
      else readByte();
    }
    if (end === json.length && (closed === undefined || isInString || blankEnd(json, closed) < end)) throw invalid();
    return [...names];
  }

  function readByte(): void {
    const meaning = MEANING[json[at] as number];
    at++;
    if (meaning === OPENS) depth++;
    else if (meaning === CLOSES) close();
    else if (meaning === QUOTES) open();
    else if (meaning === NAMES && depth === 1 && names.size < MOST_NAMES) names.add(name());
  }

  function close(): void {
    depth--;
    if (depth === 0) closed ??= at;
  }

  function open(): void {
    isInString = true;
    hasEscape = false;
    if (depth === 1) begins = at - 1;
  }

  function readString(end: number): void {
    for (let steps = 0; at < end && json[at] !== QUOTE; steps++) {
      if (json[at] === BACKSLASH) {
        hasEscape = true;
        at++;
      }
      at++;
      if (steps === STEPS) leap(end);
    }
    if (at >= end) return;
    at++;
    isInString = false;
    if (depth === 1) ends = at;
  }

  /** To the next byte that means something in a string. */
  function leap(end: number): void {
    const rest = json.subarray(at, end);
    const quote = rest.indexOf(QUOTE);
    const found = (quote === -1 ? rest : rest.subarray(0, quote)).indexOf(BACKSLASH);
    at += found !== -1 ? found : quote !== -1 ? quote : rest.length;
  }

  function name(): string {
    if (ends <= begins) throw invalid();
    return hasEscape ? unescaped(json.toString('utf8', begins, ends)) : json.toString('utf8', begins + 1, ends - 1);
  }
}

function unescaped(string: string): string {
  try {
    return JSON.parse(string) as string;
  } catch (cause) {
    throw invalid(cause);
  }
}

function blankEnd(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && MEANING[json[at] as number] === BLANK) at++;
  return at;
}

function invalid(cause?: unknown): ApiError {
  return new ApiError(400, 'BAD_REQUEST', 'The body is not valid JSON.', undefined, { cause });
}
