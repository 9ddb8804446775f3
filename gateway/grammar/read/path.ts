import { requireNames } from '../path.ts';
import type { Parameters } from './parameters.ts';
import type { PathShape } from './shape.ts';

/**
 * Reads the path by the number of its segments: odd is a list, even one row. A trailing `count` or `aggregate` in
 * the place of an id is an operation, so a row with such an id cannot be reached.
 * @throws ApiError 404 NOT_FOUND
 */
export function parsePath(segments: string[], parameters: Parameters): Pick<PathShape, 'op' | 'path'> {
  requireNames(segments);
  const op = operation(segments);
  const names = op === 'count' || op === 'aggregate' ? segments.slice(0, -1) : segments;
  return { op, path: names.map((segment, i) => i % 2 === 0 ? segment : parameters.add(segment, { kind: 'id' })) };
}

function operation(segments: string[]): PathShape['op'] {
  if (segments.length % 2 === 1) return 'list';
  const last = segments.at(-1);
  return last === 'count' || last === 'aggregate' ? last : 'get';
}
