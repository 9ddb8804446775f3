import { ApiError } from '../error.ts';
import type { Reserved } from './query.ts';

/** Whether a delete is to leave nothing; a malformed one is refused wherever it is sent. @throws ApiError 400 INVALID_HARD_PARAM */
export function parseHard({ hard = 'false' }: Reserved): boolean {
  if (hard === 'true' || hard === 'false') return hard === 'true';
  throw new ApiError(400, 'INVALID_HARD_PARAM', '"hard" is neither true nor false.', { hard });
}
