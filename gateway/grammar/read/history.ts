import { ApiError } from '../../error.ts';
import { requireNames } from '../path.ts';
import { splitQuery } from '../query.ts';
import { limitBucket, wholeNumber, outOfRange } from './paging.ts';
import { Parameters } from './parameters.ts';
import type { ParsedRead } from './shape.ts';

const LIMIT = 20;
const MAX_LIMIT = 100;

/**
 * Reads the parameters of a row's history: `limit`, and `offset`, which is 0 when it cannot be read.
 * @param path the slug and the id
 * @param query the raw query string
 * @throws ApiError 404 NOT_FOUND for a path that names nothing; 400 INVALID_LIMIT, INVALID_PARAM.
 */
export function parseHistory(path: [slug: string, id: string], query: string): ParsedRead {
  requireNames(path);
  const { reserved, filters } = splitQuery(query);
  const { limit = String(LIMIT), offset = '0', ...others } = reserved;
  const unknown = [...Object.keys(others), ...filters.keys()][0];
  if (unknown !== undefined) throw new ApiError(400, 'INVALID_PARAM', `A history takes no parameter ${unknown}.`, { parameter: unknown });
  const most = wholeNumber(limit, 1, MAX_LIMIT);
  if (most === undefined) throw outOfRange('INVALID_LIMIT', 'limit', limit, `from 1 to ${MAX_LIMIT}`, { maximum: MAX_LIMIT });
  const skipped = wholeNumber(offset, 0, Number.MAX_SAFE_INTEGER) ?? 0;
  const parameters = new Parameters();
  const [slug, id] = path;
  return {
    shape: {
      op: 'history',
      path: [slug, parameters.add(id, { kind: 'id' })],
      limit: { param: parameters.add(String(most), { kind: 'limit' }), bucket: limitBucket(MAX_LIMIT) },
      offset: parameters.add(String(skipped), { kind: 'limit' }),
    },
    values: parameters.values,
    sources: parameters.sources,
  };
}
