import { refuse } from './error.ts';

export type Id = string | number | bigint | readonly (string | number | bigint)[];

/**
 * The id of a row in an address. Parts of a composite key are joined by `:::`.
 * @param operations words that the service reads as an operation in this place
 * @throws RowgateError INVALID_INPUT
 */
export function idText(id: Id, ...operations: string[]): string {
  const text = Array.isArray(id) ? id.map(part => idText(part as Id).replace(/[%:]/g, encodeURIComponent)).join(':::') : String(id);
  const isId = id === text || typeof id === 'bigint' || Array.isArray(id) || Number.isFinite(id);
  return isId && text && !operations.includes(text) ? text : refuse(`"${text}" is no id of a row here.`);
}
