import { ApiError } from '../../error.ts';
import type { Reserved } from '../query.ts';

/** @throws ApiError 400 INVALID_DELETED_PARAM */
export function parseDeleted({ deleted }: Reserved): 'include' | 'only' | undefined {
  if (deleted === undefined || deleted === 'include' || deleted === 'only') return deleted;
  throw new ApiError(400, 'INVALID_DELETED_PARAM', '"deleted" is neither include nor only.', { deleted });
}

/** Whether the statement and its plan are asked for instead of its rows. @throws ApiError 400 INVALID_PARAM */
export function parseExplain({ explain = 'false' }: Reserved): boolean {
  if (explain === 'true' || explain === 'false') return explain === 'true';
  throw new ApiError(400, 'INVALID_PARAM', '"explain" is neither true nor false.', { parameter: 'explain', value: explain });
}
