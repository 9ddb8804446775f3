import { ApiError } from '../../error.ts';
import { didYouMean } from '../../spelling.ts';
import { parseHard } from '../hard.ts';
import { nameList } from '../names.ts';
import { splitQuery, type Query } from '../query.ts';
import { type WriteShape } from './shape.ts';

/** What each kind of write takes from the query. */
const TAKEN = { create: 'fields', update: 'fields', delete: 'hard' } as const;
const UPSERT: ReadonlySet<string> = new Set(['on_conflict', 'onConflict']);

/**
 * `fields` narrows the answer, `hard` belongs to a delete; nothing else may stand in a write's query.
 * @throws ApiError 400 INVALID_PARAM, INVALID_HARD_PARAM; 501 NOT_IMPLEMENTED for an upsert.
 */
export function parseQuery(text: string, op: WriteShape['op']): Pick<WriteShape, 'fields' | 'hard'> {
  if (text === '') return {};
  const query = splitQuery(text);
  for (const name of namesIn(query)) {
    if (UPSERT.has(name)) throw new ApiError(501, 'NOT_IMPLEMENTED', 'Upserts are not available yet.', { parameter: name });
    if (name !== TAKEN[op]) throw notTaken(name, op);
  }
  const fields = nameList(query.reserved.fields, 'fields');
  return { ...(fields && { fields }), ...(parseHard(query.reserved) && { hard: true }) };
}

function notTaken(parameter: string, op: WriteShape['op']): ApiError {
  const message = `This write takes no parameter ${parameter}.${didYouMean([parameter], [TAKEN[op]])}`;
  return new ApiError(400, 'INVALID_PARAM', message, { parameter });
}

function namesIn({ reserved, filters }: Query): string[] {
  return [...Object.entries(reserved).flatMap(([name, value]) => value === undefined ? [] : [name]), ...filters.keys()];
}
