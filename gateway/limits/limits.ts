import { hash } from 'node:crypto';
import { ApiError } from '../error.ts';
import type { Call } from '../http/route.ts';
import type { Caller } from '../identity/caller.ts';
import { LIMITERS, type LimiterName } from './limiters.ts';
import { networkOf } from './network.ts';
import type { RateStore, Verdict } from './store.ts';

type Per<Kind> = { [Name in LimiterName]: (typeof LIMITERS)[Name]['per'] extends Kind ? Name : never }[LimiterName];

export type Limits = {
  /** Counts a request against the client's address. @throws ApiError 429 RATE_LIMITED, 503 where the count cannot be had. */
  perAddress: (call: Call, limiter: Per<'address'>) => Promise<void>;
  /**
   * Counts it against what the route names, an email address in its normal form or a uid; against the client's address where there is none.
   * @throws ApiError as perAddress.
   */
  perSubject: (call: Call, limiter: Per<'subject'>, subject: string | undefined) => Promise<void>;
  /**
   * Counts a request for data against its caller: an account, a key, or without a sign-in an address. Undefined without a limit, so that no
   * request waits. The service key is not limited; an API key's own limit replaces the general one.
   * @throws ApiError as perAddress.
   */
  data: (call: Call, caller: Caller) => Promise<void> | undefined;
};
export type LimitsOptions = { store: RateStore; dataRateLimit: number | undefined; now?: () => number };

export function createLimits({ store, dataRateLimit, now = Date.now }: LimitsOptions): Limits {
  return {
    perAddress: (call, limiter) => take(call, limiter, `address ${networkOf(call.ip)}`, LIMITERS[limiter].most),
    perSubject: (call, limiter, subject) => take(call, limiter, subjectKey(call, subject), LIMITERS[limiter].most),
    data(call, caller) {
      const most = caller.key?.rateLimit ?? dataRateLimit;
      if (most === undefined || caller.kind === 'service') return undefined;
      return take(call, 'data', caller.kind === 'anonymous' ? `address ${networkOf(call.ip)}` : `${caller.kind} ${caller.uid}`, most);
    },
  };

  async function take(call: Call, limiter: string, subject: string, most: number): Promise<void> {
    const verdict = await store.take(keyOf(limiter, subject), most);
    show(call, verdict, most);
    if (!verdict.allowed) throw rateLimited(verdict);
  }

  /** The tightest of several limits is shown. */
  function show(call: Call, { allowed, remaining, retryAfter }: Verdict, most: number): void {
    const shown = call.answerHeaders['X-RateLimit-Remaining'];
    if (allowed && shown !== undefined && Number(shown) <= remaining) return;
    Object.assign(call.answerHeaders, {
      'X-RateLimit-Limit': String(most),
      'X-RateLimit-Remaining': String(remaining),
      ...(!allowed && { 'X-RateLimit-Reset': String(Math.ceil(now() / 1000) + retryAfter), 'Retry-After': String(retryAfter) }),
    });
  }
}

function subjectKey(call: Call, subject: string | undefined): string {
  return subject === undefined || subject === '' ? `address ${networkOf(call.ip)}` : `subject ${subject}`;
}

/** A hash of one length, without the email address. */
function keyOf(limiter: string, subject: string): string {
  return hash('sha256', `${limiter} ${subject}`, 'base64url');
}

function rateLimited({ retryAfter }: Verdict): ApiError {
  const wait = retryAfter < 120 ? `${retryAfter} second${retryAfter === 1 ? '' : 's'}` : `${Math.ceil(retryAfter / 60)} minutes`;
  return new ApiError(429, 'RATE_LIMITED', `Too many requests. Try again in ${wait}.`, { retryAfter });
}
