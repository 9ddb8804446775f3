import { ApiError } from '../../error.ts';
import { didYouMean } from '../../spelling.ts';
import { isObject, parseJson, type Json } from '../json.ts';
import { checkName } from '../names.ts';
import type { SortKey } from './shape.ts';

/** An include answers a malformed order with its own code. */
type Code = 'INVALID_ORDER_BY' | 'INVALID_INCLUDE';

/** Every key costs a branch in the cursor's statement. */
const maximumKeys = 32;

const members: readonly string[] = ['field', 'direction', 'nulls'] satisfies (keyof SortKey)[];

/**
 * Reads `orderBy` in either spelling: `field[:direction[:nulls]]`, or JSON; undefined when it names no key.
 * @throws ApiError 400 INVALID_ORDER_BY when it is neither.
 */
export function parseOrderBy(text: string | undefined, code: Code = 'INVALID_ORDER_BY'): SortKey[] | undefined {
  if (text === undefined) return undefined;
  if (/^\s*[[{"]/.test(text)) return orderByJson(readJson(text, code), code);
  if (/^(?:true|false|null|-?[0-9][0-9.eE+-]*)$/.test(text)) throw malformed(code, 'is neither a field nor a list of sort keys');
  return [shorthand(text, code)];
}

/** An order that is JSON already: a string is a shorthand, an array holds keys. */
export function orderByJson(json: Json, code: Code): SortKey[] | undefined {
  if (typeof json === 'string') return [shorthand(json, code)];
  if (!Array.isArray(json)) throw malformed(code, 'is neither a field nor a list of sort keys');
  if (json.length > maximumKeys) throw malformed(code, `has more than ${maximumKeys} sort keys`);
  return json.length === 0 ? undefined : json.map(key => jsonKey(key, code));
}

function readJson(text: string, code: Code): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    throw malformed(code, 'is not valid JSON', cause);
  }
}

function shorthand(text: string, code: Code): SortKey {
  if (text.includes(',')) throw malformed(code, 'is one key in this spelling; several are a JSON array');
  const [field = '', direction, nulls, ...rest] = text.split(':');
  if (rest.some(part => part !== '')) throw malformed(code, 'has more than field, direction and nulls');
  return sortKey(field, direction, nulls, code);
}

function jsonKey(json: Json, code: Code): SortKey {
  if (typeof json === 'string') return shorthand(json, code);
  if (!isObject(json)) throw malformed(code, 'holds something other than sort keys');
  const unknown = Object.keys(json).find(name => !members.includes(name));
  if (unknown !== undefined) throw unknownMember(unknown, code);
  return sortKey(json['field'], json['direction'], json['nulls'], code);
}

/** Checks the parts of one key. Placement that is the default anyway is left out, so that both share a statement. */
function sortKey(field: Json | undefined, direction: Json | undefined, nulls: Json | undefined, code: Code): SortKey {
  if (typeof field !== 'string' || field === '') throw malformed(code, 'names no field');
  const way = sortDirection(direction ?? '', code);
  const placement = nulls === undefined || nulls === null || nulls === '' ? defaultNulls[way] : nulls;
  if (placement !== 'first' && placement !== 'last') throw malformed(code, 'places nulls other than first or last');
  const key: SortKey = { field: checkName(field, 'orderBy'), direction: way };
  if (placement !== defaultNulls[way]) key.nulls = placement;
  return key;
}

function sortDirection(direction: Json, code: Code): 'asc' | 'desc' {
  const way = typeof direction === 'string' ? direction.toLowerCase() || 'asc' : undefined;
  if (way === 'asc' || way === 'desc') return way;
  throw malformed(code, 'has a direction other than asc or desc');
}

/** As PostgreSQL does when nothing is said. */
export const defaultNulls = { asc: 'last', desc: 'first' } as const;

function unknownMember(member: string, code: Code): ApiError {
  return new ApiError(400, code,
    `"${member}" is no member of a sort key: there are field, direction and nulls.${didYouMean([member], members)}`,
    { member, validMembers: members });
}

function malformed(code: Code, what: string, cause?: unknown): ApiError {
  return new ApiError(400, code, `"orderBy" ${what}.`, undefined, { cause });
}
