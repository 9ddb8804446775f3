import { ApiError } from '../../error.ts';
import type { Reserved } from '../query.ts';
import type { ReadShape } from './shape.ts';

/** @throws ApiError 400 INVALID_DISTINCT */
export function parseDistinct({ distinct = 'false' }: Reserved): true | undefined {
  if (distinct === 'true' || distinct === '1') return true;
  if (distinct === 'false' || distinct === '0') return undefined;
  throw new ApiError(400, 'INVALID_DISTINCT', '"distinct" is neither true nor false.', { distinct });
}

/** The clauses that accompany a distinct read. */
type Company = { fields: string[] | undefined; vector: ReadShape['vector']; after: string | undefined };

/**
 * Rows that have been collapsed have neither a distance nor a key to continue from.
 * @throws ApiError 400 DISTINCT_NOT_APPLICABLE.
 */
export function checkDistinct({ fields, vector, after }: Company): void {
  if (vector) throw notApplicable('vector_search');
  if (!fields) return;
  if (after !== undefined) throw notApplicable('after');
}

function notApplicable(parameter: string): ApiError {
  return new ApiError(400, 'DISTINCT_NOT_APPLICABLE', `"distinct" cannot be combined with "${parameter}".`, { parameter });
}
