import { ApiError } from '../../error.ts';
import { preference } from '../prefer.ts';
import { type Reserved } from '../query.ts';
import { type Parameters } from './parameters.ts';
import { type ReadShape } from './shape.ts';

/** @throws ApiError 400 INVALID_DELETED_PARAM */
export function parseDeleted({ deleted }: Reserved): 'include' | 'only' | undefined {
  if (deleted === undefined || deleted === 'include' || deleted === 'only') return deleted;
  throw new ApiError(400, 'INVALID_DELETED_PARAM', '"deleted" is neither include nor only.', { deleted });
}

/** The terms are SQL's to split. Nothing but white space is no search. */
export function parseSearch({ searchString, searchExplain }: Reserved, parameters: Parameters): ReadShape['search'] {
  if (searchString === undefined || searchString.trim() === '') return undefined;
  const param = parameters.add(searchString, { kind: 'search' });
  return searchExplain === 'true' ? { param, explain: true } : { param };
}

/** Whether the statement and its plan are asked for instead of its rows. @throws ApiError 400 INVALID_PARAM */
export function parseExplain({ explain = 'false' }: Reserved): boolean {
  if (explain === 'true' || explain === 'false') return explain === 'true';
  throw new ApiError(400, 'INVALID_PARAM', '"explain" is neither true nor false.', { parameter: 'explain', value: explain });
}

/** The `count` preference of a `Prefer` header; an unknown value is no error. */
export function countPreference(prefer: string): 'exact' | 'none' | 'estimated' | undefined {
  const count = preference(prefer, 'count');
  return count === 'none' || count === 'estimated' || count === 'exact' ? count : undefined;
}

/** Whether a read must see what was written before it, which a replica may not have yet. */
export function prefersPrimary(prefer: string): boolean {
  return preference(prefer, 'read') === 'primary';
}

/** The preferences of a read that were honoured, for its answer. */
export function appliedPreferences(prefer: string, { op }: ReadShape): { 'Preference-Applied': string } | undefined {
  const count = op === 'list' ? countPreference(prefer) : undefined;
  const applied = [...(count ? [`count=${count}`] : []), ...(prefersPrimary(prefer) ? ['read=primary'] : [])];
  return applied.length === 0 ? undefined : { 'Preference-Applied': applied.join(', ') };
}
