import type { Call } from '../http/route.ts';
import type { Caller } from '../identity/caller.ts';

/** The key that a request counts against where callers share a resource: an account, a key, or without a sign-in an address. */
export function rateLimitKey(call: Call, { kind, uid }: Caller): () => string {
  return () => kind === 'anonymous' ? call.ip : `${kind} ${uid}`;
}
