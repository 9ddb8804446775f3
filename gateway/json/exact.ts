declare global {
  // Missing from TypeScript's own declarations.
  interface JSON {
    rawJSON: (text: string) => { rawJSON: string };
    isRawJSON: (value: unknown) => value is { rawJSON: string };
  }
}

/** Text that may hold a number which a double shows with other digits. UUIDs and dates look like none: a reviver is ten times slower. */
const LONG_NUMBER = /(?:^|[\s,[]|":)(?:-0|-?(?:[\d.]{16}|\d+\.\d*0(?!\d)|[\d.]+[eE]))/;

/** JSON whose numbers keep their digits: one that a double would change is written as it was sent. @throws SyntaxError */
export function parseExact(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value !== 'number' || source === undefined || String(value) === source ? value : JSON.rawJSON(source);
}

/** The text of a plain value; undefined of any other. */
export function plainText(value: unknown): string | undefined {
  if (JSON.isRawJSON(value)) return value.rawJSON;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
