import { ApiError } from '../../error.ts';
import type { Call } from '../../http/route.ts';
import { isDeliverable } from '../../mail/address.ts';
import { refuseKey } from '../../identity/api-keys.ts';
import type { Caller } from '../../identity/caller.ts';

/**
 * The gate of what people do with their own account.
 * @throws ApiError 401 UNAUTHORIZED, 404 NOT_FOUND for the service key, 403 API_KEY_FORBIDDEN for another key.
 */
export async function requirePerson(call: Call, callerOf: (call: Call) => Caller | Promise<Caller>): Promise<Caller> {
  const caller = await callerOf(call);
  if (caller.kind === 'anonymous') throw new ApiError(401, 'UNAUTHORIZED', 'Sign in to use this route.');
  refuseKey(caller);
  if (caller.kind === 'service') throw new ApiError(404, 'NOT_FOUND', 'The service key has no account.');
  return caller;
}

/** Admits every caller: the body names the account. */
export const admitAny = () => undefined;

/** Guests have addresses that stand for none, as have people whose provider told none. @throws ApiError 409 UNDELIVERABLE_ADDRESS. */
export function requireDeliverable(address: string): void {
  if (!isDeliverable(address)) throw new ApiError(409, 'UNDELIVERABLE_ADDRESS', 'No mail reaches this address.');
}
