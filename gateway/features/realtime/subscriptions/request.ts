import { ApiError } from '../../../error.ts';
import type { ParsedRead } from '../../../grammar/read/shape.ts';
import { requestOf } from '../../data-query.ts';
import type { Target } from './subscription.ts';

const LONGEST_ID = 200;

/** Chosen by the client. @throws ApiError 400 INVALID_INPUT */
export function subscriptionIdOf({ subscriptionId }: Record<string, unknown>): string {
  if (typeof subscriptionId === 'string' && subscriptionId !== '' && subscriptionId.length <= LONGEST_ID) return subscriptionId;
  throw new ApiError(400, 'INVALID_INPUT', `"subscriptionId" must be a text of 1 to ${LONGEST_ID} characters.`);
}

/** @throws ApiError as a REST query of these names. */
export function targetOf(payload: Record<string, unknown>, isOne: boolean): Target {
  return { ...requestOf(payload, isOne), prefer: preferOf(payload), isOne };
}

/** Reads the header `Prefer` of a request. @throws ApiError 400 INVALID_INPUT */
function preferOf({ count }: Record<string, unknown>): string {
  if (count === undefined || count === null) return '';
  if (count === 'exact' || count === 'estimated' || count === 'none') return `count=${count}`;
  throw new ApiError(400, 'INVALID_INPUT', '"count" must be "exact", "estimated" or "none".');
}

/** The position of an update that the client still has. @throws ApiError 400 INVALID_INPUT */
export function sinceOf({ since }: Record<string, unknown>): string | undefined {
  if (since === undefined || since === null || typeof since === 'string') return since ?? undefined;
  throw new ApiError(400, 'INVALID_INPUT', '"since" must be the position of an update.');
}

/** Checks that a read can be kept up to date: lists and single rows, with all parameters of REST but nearest neighbours. */
export function requireLive({ shape }: ParsedRead, isOne: boolean): void {
  if (shape.vector !== undefined) {
    throw new ApiError(400, 'VECTOR_SEARCH_NOT_LIVE', 'A search for nearest neighbours cannot be subscribed to; fetch it.');
  }
  if (shape.op === (isOne ? 'get' : 'list')) return;
  throw new ApiError(400, 'INVALID_INPUT', isOne ? 'The path and id must lead to one row.' : 'The path must lead to a list.');
}
