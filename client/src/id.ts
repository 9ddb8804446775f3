import { refuse } from './error.ts';

export type Id = string | number | bigint | readonly (string | number | bigint)[];

/** The id of a row in an address. Parts of a composite key are joined by `:::`. @throws RowgateError INVALID_INPUT */
export function idText(id: Id): string {
  return Array.isArray(id) ? id.map(part => partText(part).replace(/[%:]/g, encodeURIComponent)).join(':::') : partText(id);
}

function partText(part: unknown): string {
  const isId = typeof part === 'string' ? part !== '' : typeof part === 'bigint' || (typeof part === 'number' && Number.isFinite(part));
  return isId ? String(part) : refuse(`The id is ${part === '' ? 'empty' : String(part)}.`);
}

/** An id that the service reads as an operation in this place. @throws RowgateError INVALID_INPUT */
export function rowId(id: Id, operations: readonly string[]): string {
  const text = idText(id);
  return operations.includes(text) ? refuse(`The row "${text}" cannot be reached by its address, which is an operation.`) : text;
}
