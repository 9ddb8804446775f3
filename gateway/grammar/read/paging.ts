import { ApiError, type ErrorCode } from '../../error.ts';
import type { Reserved } from '../query.ts';

/** The effective limit and offset. */
export type Window = { limit: number; offset: number };

/**
 * Reads `limit`, `offset` and `page`. A page strides by the effective limit and has priority over an offset.
 * @throws ApiError 400 INVALID_LIMIT, INVALID_OFFSET, INVALID_PAGE. Nothing is clamped.
 */
export function parseWindow(reserved: Reserved, defaultLimit: number, maxLimit: number): Window {
  const limit = reserved.limit === undefined ? defaultLimit : wholeNumber(reserved.limit, 1, maxLimit);
  if (limit === undefined) throw outOfRange('INVALID_LIMIT', 'limit', reserved.limit, `from 1 to ${maxLimit}`, { maximum: maxLimit });
  const offset = reserved.offset === undefined ? 0 : wholeNumber(reserved.offset, 0, Number.MAX_SAFE_INTEGER);
  if (offset === undefined) throw outOfRange('INVALID_OFFSET', 'offset', reserved.offset, `from 0 to ${Number.MAX_SAFE_INTEGER}`);
  const lastPage = Math.floor(Number.MAX_SAFE_INTEGER / limit);
  const page = reserved.page === undefined ? 1 : wholeNumber(reserved.page, 1, lastPage);
  if (page === undefined) throw outOfRange('INVALID_PAGE', 'page', reserved.page, `from 1 to ${lastPage}`);
  return { limit, offset: reserved.page === undefined ? offset : (page - 1) * limit };
}

/** The smallest power of two above the limit: room for the row that tells whether there is more. */
export const limitBucket = (limit: number): number => 2 ** (32 - Math.clz32(limit));

export function wholeNumber(text: string, least: number, most: number): number | undefined {
  const value = /^[0-9]+$/.test(text) ? Number(text) : NaN;
  return value >= least && value <= most ? value : undefined;
}

export function outOfRange(code: ErrorCode, parameter: string, value: string | undefined, range: string, details?: object): ApiError {
  return new ApiError(400, code, `"${parameter}" is not a whole number ${range}.`, { parameter, value, ...details });
}
