import { ApiError } from '../../error.ts';
import { requireNames } from '../path.ts';
import type { ParsedWrite, WriteShape } from './shape.ts';

/** What a method and a path ask for, before query and body are looked at. */
export type Target = { op: WriteShape['op']; of: ParsedWrite['of']; path: string[] };

const OPERATIONS: Partial<Record<string, Target['op']>> = { POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'delete' };

/**
 * `POST` goes to a collection, the others to one of its rows; below `bulk` to many; a batch to any.
 * @param segments the percent-decoded path below `/data/`: `['artist', '1']`
 * @throws ApiError 404 NOT_FOUND for a path that names nothing; 501 NOT_IMPLEMENTED for writes through related rows.
 */
export function parseTarget(method: string, segments: string[]): Target {
  requireNames(segments);
  const op = OPERATIONS[method];
  const [slug = '', second, third] = segments;
  const size = segments.length;
  if (slug === '_batch') {
    if (size === 1 && method === 'POST') return { op: 'create', of: 'batch', path: [] };
  } else if (second === 'bulk' && (op === 'create' || op === 'update')) {
    if (size === 2) return { op, of: 'rows', path: [slug] };
    if (size === 3 && third === 'delete' && op === 'create') return { op: 'delete', of: 'rows', path: [slug] };
  } else if (op !== undefined && size === (op === 'create' ? 1 : 2)) {
    return { op, of: 'row', path: segments };
  }
  if (size === 1 || slug === '_batch' || second === 'bulk') throw new ApiError(404, 'NOT_FOUND', 'There is nothing here.');
  throw new ApiError(501, 'NOT_IMPLEMENTED', 'Writes through related rows are not available yet.');
}
