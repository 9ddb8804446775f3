import type { Call } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';

/** Whom a request counts against where callers share what there is: an account, a key, or without a sign-in an address. */
export function rateLimitKey(call: Call, { kind, uid }: Caller): () => string {
  return () => kind === 'anonymous' ? call.ip : `${kind} ${uid}`;
}
