const LIST = Buffer.from('{"data":[');
const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_ARRAY, CLOSE_ARRAY] = Buffer.from('"\\,{}[]') as unknown as number[];

/** How many rows an answer of the data routes has: those of its list, else one. It is read once and not parsed, since it may be large. */
export function countRows(json: Uint8Array): number {
  if (!LIST.equals(json.subarray(0, LIST.length))) return json.length === 0 ? 0 : 1;
  if (json[LIST.length] === CLOSE_ARRAY) return 0;
  let rows = 1;
  let depth = 0;
  let isText = false;
  for (let i = LIST.length; i < json.length && depth >= 0; i++) {
    const byte = json[i];
    if (isText) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE || byte === CLOSE_ARRAY) depth -= 1;
    else if (byte === COMMA && depth === 0) rows += 1;
  }
  return rows;
}
