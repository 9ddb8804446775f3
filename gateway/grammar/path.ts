import { ApiError } from '../error.ts';
import { isStorable } from '../storable.ts';

/**
 * The segments of a percent-encoded path: `album/1` is ['album', '1']. An escaped slash stays inside its segment.
 * @throws ApiError 400 BAD_REQUEST for malformed percent-encoding.
 */
export function segmentsOf(path: string): string[] {
  return path.split('/').map(decoded);
}

/** @throws ApiError 404 NOT_FOUND for a path with a segment that names nothing. */
export function requireNames(segments: string[]): void {
  if (segments.length === 0 || !segments.every(isName)) throw new ApiError(404, 'NOT_FOUND', 'There is nothing at this path.');
}

/** `undefined` is what a client's template makes of an id it does not have. */
const isName = (segment: string): boolean => segment !== '' && segment !== 'undefined' && isStorable(segment);

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ApiError(400, 'BAD_REQUEST', 'The path is not valid percent-encoding.');
  }
}
