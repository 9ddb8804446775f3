import { ApiError } from '../../error.ts';
import { requireNames } from '../path.ts';
import { type WriteShape } from './shape.ts';

/** What a method and a path ask for, before query and body are looked at. */
export type Target = { op: WriteShape['op']; path: string[] };

const OPERATIONS: Partial<Record<string, Target['op']>> = { POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'delete' };

/**
 * `POST` goes to a collection, the others to one of its rows.
 * @param segments the percent-decoded path below `/data/`: `['artist', '1']`
 * @throws ApiError 404 NOT_FOUND for a path that names nothing; 501 NOT_IMPLEMENTED for bulk writes, batches and related rows.
 */
export function parseTarget(method: string, segments: string[]): Target {
  requireNames(segments);
  const op = OPERATIONS[method];
  if (segments[0] !== '_batch' && op !== undefined && segments.length === (op === 'create' ? 1 : 2)) return { op, path: segments };
  if (segments[0] !== '_batch' && segments.length === 1) throw new ApiError(404, 'NOT_FOUND', 'There is nothing here.');
  throw new ApiError(501, 'NOT_IMPLEMENTED', 'Bulk writes, batches and writes through related rows are not available yet.');
}
