import { ApiError } from '../../error.ts';

/** Who is told what stands in a text, and down to which depth: that of the outermost object is 1. */
export type Listener = {
  depth: number;
  /** An object or a list begins. */
  opens: (depth: number) => void;
  /** A name, whose value follows from this byte on. */
  names: (depth: number, name: string, valueFrom: number) => void;
};

/** What bytes mean outside of strings. */
const [OTHER, BLANK, OPENS, CLOSES, QUOTES, NAMES] = [0, 1, 2, 3, 4, 5];
const MEANING = new Uint8Array(256).fill(OTHER);
for (const [characters, meaning] of [[' \t\n\r', BLANK], ['[{', OPENS], [']}', CLOSES], ['"', QUOTES], [':', NAMES]] as const) {
  for (const character of characters) MEANING[character.charCodeAt(0)] = meaning;
}
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Bytes of a string after which it is worth a call to search for its end. */
const STEPS = 64;

/**
 * Reads brackets, strings and names of a JSON text, piece by piece: the function goes on to the given byte.
 * @throws ApiError 400 BAD_REQUEST, at the latest at the end, for what is not one object.
 */
export function createReader(json: Buffer, listener: Listener): (end: number) => void {
  let at = 0;
  let depth = 0;
  let isInString = false;
  let hasEscape = false;
  /** Where the last string of a depth that is listened to stands, with its quotes. */
  let begins = 0;
  let ends = 0;
  let closed: number | undefined;

  return end => {
    while (at < end) {
      if (isInString) readString(end);
      else readByte();
    }
    if (end === json.length && (closed === undefined || isInString || blankEnd(json, closed) < end)) throw invalid();
  };

  function readByte(): void {
    const meaning = MEANING[json[at] as number];
    at++;
    if (meaning === OPENS) open();
    else if (meaning === CLOSES) close();
    else if (meaning === QUOTES) quote();
    else if (meaning === NAMES && depth <= listener.depth) listener.names(depth, name(), at);
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
    if (depth <= listener.depth) ends = at;
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

export function blankEnd(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && MEANING[json[at] as number] === BLANK) at++;
  return at;
}

export function invalid(cause?: unknown): ApiError {
  return new ApiError(400, 'BAD_REQUEST', 'The body is not valid JSON.', undefined, { cause });
}
