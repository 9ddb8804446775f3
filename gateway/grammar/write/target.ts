import { ApiError } from '../../error.ts';
import { requireNames } from '../path.ts';
import type { ParsedWrite, WriteShape } from './shape.ts';

/** The meaning of a method and a path, before query and body are read. */
export type Target = { op: WriteShape['op']; of: ParsedWrite['of']; path: string[] };

const OPERATIONS: Partial<Record<string, Target['op']>> = { POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'delete' };

/**
 * `POST` goes to a collection, or to a relation of a row, the others to a row in one of them; below `bulk` to many; a batch to any.
 * @param segments the percent-decoded path below `/data/`: `['artist', '1', 'albums']`
 * @throws ApiError 404 NOT_FOUND for a path that names nothing.
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
  } else if (op !== undefined && size % 2 === (op === 'create' ? 1 : 0)) {
    return { op, of: 'row', path: segments };
  }
  throw new ApiError(404, 'NOT_FOUND', 'There is nothing here.');
}
