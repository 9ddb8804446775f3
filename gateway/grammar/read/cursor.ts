import { ApiError } from '../../error.ts';
import { isStorable } from '../../storable.ts';
import type { Reserved } from '../query.ts';
import { defaultNulls } from './order.ts';
import type { CursorKey, SortKey } from './shape.ts';

/** The state in a cursor: the sort keys of its page, and which values of the last row were null. */
export type Cursor = { token: string; keys: CursorKey[]; nulls: boolean[] };

/** As long as a token with long text keys gets, and far below what a URL may hold. */
const maximumLength = 8192;

/**
 * Reads `after`. Only the form is checked here: the statement itself verifies the signature.
 * @throws ApiError 400 CURSOR_WITH_OFFSET, VECTOR_CURSOR_UNSUPPORTED, INVALID_CURSOR.
 */
export function parseAfter(reserved: Reserved): Cursor | undefined {
  const { after } = reserved;
  if (after === undefined) return undefined;
  if (reserved.offset !== undefined || reserved.page !== undefined) {
    throw new ApiError(400, 'CURSOR_WITH_OFFSET', 'A cursor already says where the page starts. Leave out "offset" and "page".');
  }
  if (reserved.vector_search !== undefined) {
    throw new ApiError(400, 'VECTOR_CURSOR_UNSUPPORTED', 'A vector search cannot be continued with a cursor. Use "offset".');
  }
  return decodeCursor(after);
}

/**
 * The order of a page: the request's, or without one the cursor's.
 * @throws ApiError 400 SCORE_CURSOR_UNSUPPORTED, CURSOR_ORDER_MISMATCH.
 */
export function orderUnderCursor(orderBy: SortKey[] | undefined, cursor: Cursor): SortKey[] | undefined {
  if (orderBy?.some(key => key.field === '_score')) {
    const message = 'An order by _score has no cursor to continue from (startAfter). Use "offset".';
    throw new ApiError(400, 'SCORE_CURSOR_UNSUPPORTED', message, { field: '_score' });
  }
  const issued = cursor.keys.map(toSortKey);
  if (!orderBy) return issued.length === 0 ? undefined : issued;
  if (sameOrder(orderBy, cursor.keys)) return orderBy;
  throw new ApiError(400, 'CURSOR_ORDER_MISMATCH', 'The cursor was issued under another order.', { orderBy, cursor: issued });
}

function sameOrder(orderBy: SortKey[], keys: CursorKey[]): boolean {
  return orderBy.length === keys.length && orderBy.every(({ field, direction, nulls = defaultNulls[direction] }, i) => {
    const [keyField, keyDirection, keyNulls] = keys[i] ?? [];
    return field === keyField && direction === keyDirection && nulls === keyNulls;
  });
}

function toSortKey([field, direction, nulls]: CursorKey): SortKey {
  return nulls === defaultNulls[direction] ? { field, direction } : { field, direction, nulls };
}

function decodeCursor(token: string): Cursor {
  const payload = decodePayload(token);
  if (!isPayload(payload)) throw new ApiError(400, 'INVALID_CURSOR', 'This is not a cursor that the service issued.');
  return { token, keys: payload.k, nulls: payload.k.map((_, i) => payload.v[i] === null) };
}

function decodePayload(token: string): unknown {
  if (token.length > maximumLength || !/^[\w-]+\.[\w-]+$/.test(token)) return undefined;
  try {
    return JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** `{"k": sort keys, "v": their values in the last row, then what the sort keys leave of the row's own key}`. */
function isPayload(payload: unknown): payload is { k: CursorKey[]; v: (string | null)[] } {
  if (typeof payload !== 'object' || payload === null || !('k' in payload && 'v' in payload)) return false;
  const { k, v } = payload;
  if (!Array.isArray(k) || !Array.isArray(v) || !k.every(isCursorKey) || v.length < Math.max(k.length, 1)) return false;
  return v.every((value, i) => typeof value === 'string' || (value === null && i < k.length));
}

function isCursorKey(key: unknown): key is CursorKey {
  if (!Array.isArray(key) || key.length !== 3) return false;
  const [field, direction, nulls] = key as unknown[];
  return typeof field === 'string' && isStorable(field)
    && (direction === 'asc' || direction === 'desc') && (nulls === 'first' || nulls === 'last');
}
