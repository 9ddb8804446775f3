import { MARK } from './json.ts';
import { mapped } from './parameters.ts';

/** The changes of a row as they are sent. `$inc` takes a number, so that its digits go as one; inside of a JSON value they are a text. */
export function changesOf(changes: Record<string, unknown>): Record<string, unknown> {
  return mapped(changes, value => {
    const digits = (value as { $inc?: unknown } | null | undefined)?.$inc;
    return typeof digits === 'string' && /^-?\d+(\.\d+)?$/.test(digits)
      ? { ...value as object, $inc: { toJSON: () => MARK + digits } } : value;
  });
}
