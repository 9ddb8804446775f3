import { ApiError } from '../../error.ts';

/** Receives the content of a text, down to a depth; that of the outermost object is 1. */
export type Listener = {
  depth: number;
  /** An object or a list begins. */
  opens: (depth: number) => void;
  /** A name, whose value follows from this byte on. */
  names: (depth: number, name: string, valueFrom: number) => void;
};

/** Classes of bytes outside of strings. */
const [OTHER, BLANK, OPENS, CLOSES, QUOTES, NAMES] = [0, 1, 2, 3, 4, 5];
const MEANING = new Uint8Array(256).fill(OTHER);
for (const [characters, meaning] of [[' \t\n\r', BLANK], ['[{', OPENS], [']}', CLOSES], ['"', QUOTES], [':', NAMES]] as const) {
  for (const character of characters) MEANING[character.charCodeAt(0)] = meaning;
}
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Bytes of a string after which it is worth a call to search for its end. */
const STEPS = 64;
/** Names that are kept to be found again. */
const MOST_SEEN = 64;

/**
 * Reads brackets, strings and names of a JSON text, piece by piece: the function goes on to the given byte.
 * @throws ApiError 400 BAD_REQUEST, at the latest at the end, for what is not one object.
 */
export function createReader(json: Buffer, listener: Listener): (end: number) => void {
  let at = 0;
  let depth = 0;
  let isInString = false;
  let hasEscape = false;
  /** The start of the last string of a watched depth, with its quotes. */
  let begins = 0;
  let ends = 0;
  let closed: number | undefined;
  const seen = createSeen(json);

  return end => {
    while (at < end) {
      if (isInString) readString(end);
      else readOthers(end);
    }
    if (end === json.length && (closed === undefined || isInString || blankEnd(json, closed) < end)) throw invalid();
  };

  /** Up to and with the next byte that means something, which is looked for in a variable of its own: twice as fast. */
  function readOthers(end: number): void {
    let byte = at;
    let meaning = OTHER;
    while (byte < end && (meaning = MEANING[json[byte] as number] as number) <= BLANK) byte++;
    if (byte === end) {
      at = end;
      return;
    }
    at = byte + 1;
    if (meaning === OPENS) open();
    else if (meaning === CLOSES) close();
    else if (meaning === QUOTES) quote();
    else if (depth <= listener.depth) listener.names(depth, name(), at);
  }

  function open(): void {
    depth++;
    if (depth <= listener.depth) listener.opens(depth);
  }

  function close(): void {
    depth--;
    if (depth === 0) closed ??= at;
  }

  function quote(): void {
    isInString = true;
    hasEscape = false;
    if (depth <= listener.depth) begins = at - 1;
  }

  function readString(end: number): void {
    let byte = at;
    const near = Math.min(end, at + STEPS);
    while (byte < near && json[byte] !== QUOTE && json[byte] !== BACKSLASH) byte++;
    at = byte === near ? leap(near, end) : byte;
    if (at >= end) return;
    if (json[at] === BACKSLASH) {
      hasEscape = true;
      at += 2;
      return;
    }
    at++;
    isInString = false;
    if (depth <= listener.depth) ends = at;
  }

  /** To the next byte that means something in a string, or the end. */
  function leap(from: number, end: number): number {
    const rest = json.subarray(from, end);
    const quote = rest.indexOf(QUOTE);
    const found = (quote === -1 ? rest : rest.subarray(0, quote)).indexOf(BACKSLASH);
    return from + (found !== -1 ? found : quote !== -1 ? quote : rest.length);
  }

  function name(): string {
    if (ends <= begins) throw invalid();
    return hasEscape ? unescaped(json.toString('utf8', begins, ends)) : seen.read(begins + 1, ends - 1);
  }
}

/** Rows name the same in the same order: a name that comes again is found by its bytes, and no text is made of them. */
function createSeen(json: Buffer): { read: (begin: number, end: number) => string } {
  const names: { text: string; begin: number; size: number }[] = [];
  let next = 0;

  return { read };

  function read(begin: number, end: number): string {
    const expected = names[next];
    if (expected?.size === end - begin && isAgain(expected.begin, begin, expected.size)) {
      next = (next + 1) % names.length;
      return expected.text;
    }
    const text = json.toString('utf8', begin, end);
    const known = names.findIndex(name => name.text === text);
    if (known === -1 && names.length < MOST_SEEN) names.push({ text, begin, size: end - begin });
    next = known === -1 ? 0 : (known + 1) % names.length;
    return text;
  }

  function isAgain(before: number, now: number, size: number): boolean {
    for (let i = 0; i < size; i++) if (json[before + i] !== json[now + i]) return false;
    return true;
  }
}

function unescaped(string: string): string {
  try {
    return JSON.parse(string) as string;
  } catch (cause) {
    throw invalid(cause);
  }
}

export function blankEnd(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && MEANING[json[at] as number] === BLANK) at++;
  return at;
}

export function invalid(cause?: unknown): ApiError {
  return new ApiError(400, 'BAD_REQUEST', 'The body is not valid JSON.', undefined, { cause });
}
