import type { Reserved } from '../query.ts';
import type { Parameters } from './parameters.ts';
import type { ReadShape } from './shape.ts';

/** The terms are SQL's to split. Nothing but white space is no search. */
export function parseSearch({ searchString, searchExplain }: Reserved, parameters: Parameters): ReadShape['search'] {
  if (searchString === undefined || searchString.trim() === '') return undefined;
  const param = parameters.add(searchString, { kind: 'search' });
  return searchExplain === 'true' ? { param, explain: true } : { param };
}
