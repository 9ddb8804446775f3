import { refuse } from './error.ts';

type Part = string | number | bigint | boolean | Date;
export type Id = Part | readonly Part[];

/**
 * The id of a row in an address. Parts of a composite key are joined by `:::`.
 * @param operations words that the service reads as an operation in this place
 * @throws RowgateError INVALID_INPUT
 */
export function idText(id: Id, ...operations: string[]): string {
  if (id instanceof Date) id = id.toJSON();
  const text = Array.isArray(id) ? id.map(part => idText(part as Part).replace(/[%:]/g, encodeURIComponent)).join(':::') : String(id);
  const isId = id === text || /^b/.test(typeof id) || Array.isArray(id) || Number.isFinite(id);
  return isId && text && !operations.includes(text) ? text : refuse(`"${text}" is no id.`);
}
