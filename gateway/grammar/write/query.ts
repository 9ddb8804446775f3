import { ApiError } from '../../error.ts';
import { didYouMean } from '../../spelling.ts';
import { parseHard } from '../hard.ts';
import { nameList } from '../names.ts';
import { splitQuery, type Query } from '../query.ts';
import type { WriteShape } from './shape.ts';
import type { Target } from './target.ts';

/** The parameters that each kind of write takes from the query. */
const TAKEN = {
  row: { create: ['fields', 'on_conflict', 'onConflict'], update: ['fields'], delete: ['hard'] },
  rows: { create: ['fields'], update: ['fields'], delete: ['hard'] },
  batch: { create: [], update: [], delete: [] },
} as const satisfies Record<Target['of'], Record<Target['op'], string[]>>;

/**
 * `fields` narrows the answer, `on_conflict` makes a create an upsert, `hard` belongs to a delete; nothing else may stand in a
 * write's query.
 * @throws ApiError 400 INVALID_PARAM, INVALID_HARD_PARAM
 */
export function parseQuery(text: string, { op, of }: Target): Pick<WriteShape, 'fields' | 'hard' | 'conflict'> {
  if (text === '') return {};
  const query = splitQuery(text);
  const taken: readonly string[] = TAKEN[of][op];
  for (const name of namesIn(query)) {
    if (!taken.includes(name)) throw notTaken(name, taken);
  }
  const { reserved } = query;
  const fields = nameList(reserved.fields, 'fields');
  const conflict = nameList(reserved.on_conflict ?? reserved.onConflict, 'on_conflict')?.sort();
  return { ...(fields && { fields }), ...(conflict && { conflict }), ...(parseHard(reserved) && { hard: true }) };
}

function notTaken(parameter: string, taken: readonly string[]): ApiError {
  const message = `This write takes no parameter ${parameter}.${didYouMean([parameter], [...taken])}`;
  return new ApiError(400, 'INVALID_PARAM', message, { parameter });
}

function namesIn({ reserved, filters }: Query): string[] {
  return [...Object.entries(reserved).flatMap(([name, value]) => value === undefined ? [] : [name]), ...filters.keys()];
}
