import { ApiError } from '../error.ts';
import type { Reserved } from './query.ts';

/** Reads whether a delete is permanent; a malformed value is refused on every route. @throws ApiError 400 INVALID_HARD_PARAM */
export function parseHard({ hard = 'false' }: Reserved): boolean {
  if (hard === 'true' || hard === 'false') return hard === 'true';
  throw new ApiError(400, 'INVALID_HARD_PARAM', '"hard" is neither true nor false.', { hard });
}
