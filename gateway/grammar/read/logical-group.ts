import { ApiError } from '../../error.ts';

/** In the order in which they stand for the one slot of a request. */
export const groupTypes = ['or', 'and', 'not'] as const;
export const maximumDepth = 32;

export function malformed(what: string): ApiError {
  return new ApiError(400, 'INVALID_LOGICAL_GROUP', `The logical group ${what}.`);
}
