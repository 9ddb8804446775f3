import { ApiError } from '../../error.ts';
import type { Reserved } from '../query.ts';
import type { Aggregate } from './shape.ts';

const functions: ReadonlySet<string> = new Set(['count', 'sum', 'avg', 'min', 'max'] satisfies Aggregate['fn'][]);
const isFunction = (name: string): name is Aggregate['fn'] => functions.has(name);

/**
 * Reads `select=sum(total),count()`; undefined when it asks for nothing. An entry sent twice counts once, as both would
 * have the same name in the answer. Empty entries are passed over, as in every list of names.
 * @throws ApiError 400 INVALID_AGGREGATE_SELECT, INVALID_AGGREGATE_FUNCTION.
 */
export function parseSelect(text: string | undefined): Aggregate[] | undefined {
  if (text === undefined) return undefined;
  const entries = new Map<string, Aggregate>();
  for (const entry of text.split(',').map(part => part.trim()).filter(part => part !== '')) {
    const aggregate = parseEntry(entry);
    entries.set(`${aggregate.fn}(${aggregate.field ?? ''})`, aggregate);
  }
  return entries.size === 0 ? undefined : [...entries.values()];
}

/**
 * Without groups there is one row and so nothing to page; and groups have no cursor.
 * @throws ApiError 400 MISSING_AGGREGATE_SELECT, INVALID_AGGREGATE_WINDOW.
 */
export function checkAggregate(reserved: Reserved, select: Aggregate[] | undefined, grouped: boolean): void {
  if (select === undefined) {
    throw new ApiError(400, 'MISSING_AGGREGATE_SELECT', 'An aggregate needs "select", for example select=count(),sum(total).');
  }
  const refused = (grouped ? cursorOnly : windowKeys).find(key => reserved[key] !== undefined);
  if (refused === undefined) return;
  const single = 'An aggregate without "groupBy" is one row, so it cannot be paged.';
  const message = grouped ? 'Groups are paged with "limit" and "offset".' : single;
  throw new ApiError(400, 'INVALID_AGGREGATE_WINDOW', message, { parameter: refused });
}

const cursorOnly = ['after'] as const;
const windowKeys = ['limit', 'offset', 'page', 'after'] as const;

function parseEntry(entry: string): Aggregate {
  const open = entry.indexOf('(');
  const fn = entry.slice(0, Math.max(open, 0)).trim().toLowerCase();
  const field = entry.slice(open + 1, -1).trim();
  if (!entry.endsWith(')') || !/^\w+$/.test(fn) || !/^\w*$/.test(field)) {
    throw invalidEntry(entry, 'is not fn(field), as sum(total); fields of rows are named in "fields", related rows in "include"');
  }
  if (!isFunction(fn)) {
    throw new ApiError(400, 'INVALID_AGGREGATE_FUNCTION', `"${fn}" is not one of ${[...functions].join(', ')}.`, { function: fn });
  }
  if (field !== '') return { fn, field };
  if (fn !== 'count') throw invalidEntry(entry, 'needs a field');
  return { fn };
}

function invalidEntry(entry: string, what: string): ApiError {
  return new ApiError(400, 'INVALID_AGGREGATE_SELECT', `"${entry}" in "select" ${what}.`, { entry });
}
