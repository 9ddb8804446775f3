import type { Database } from '../../database/database.ts';
import { ApiError } from '../../error.ts';

export function requireCollections({ catalog }: Database): void {
  if (catalog.current.slugs.size === 0) throw new ApiError(404, 'NO_COLLECTIONS', 'This project serves no collections.');
}

/** `/data/album/1` is ['album', '1']. An escaped slash stays inside its segment. */
export function segments(path: string): string[] {
  return path.slice('/data/'.length).split('/').map(decoded);
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ApiError(400, 'BAD_REQUEST', 'The path is not valid percent-encoding.');
  }
}
