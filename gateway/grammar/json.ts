/** Parsed JSON whose numbers keep every digit that was sent. */
export type Json = null | boolean | string | JsonNumber | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** A number as the client wrote it: 12345678901234567890 would not survive a double. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** Whether it is written with a point or an exponent: 2.0 and 1e3 too, which no integer column reads. */
  get isDecimal(): boolean {
    return /[.eE]/.test(this.source);
  }

  /** As it was written. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON: (source: string) => unknown }).rawJSON(this.source);
  }
}

/** @throws the errors of JSON.parse, a RangeError on absurd nesting included: the caller names the parameter. */
export function parseJson(text: string): Json {
  return JSON.parse(text, keepDigits) as Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

/** The text of a scalar, or of the relation object that clients may send in place of its id; else undefined. */
export function scalarText(value: Json): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof JsonNumber) return value.source;
  const id = isObject(value) && value['__type'] === 'relation' ? value['id'] : undefined;
  if (typeof id === 'string') return id;
  return id instanceof JsonNumber ? id.source : undefined;
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value;
}
