import { LRUCache } from 'lru-cache';
import { ApiError } from '../error.ts';
import type { Caller } from './caller.ts';
import { AccountRefusal, TokenNotYetValid, type VerifyToken } from './token.ts';
import { unauthorized } from './unauthorized.ts';

const mebibyte = 1024 * 1024;

export type TokenCache = {
  /**
   * Verifies each token once and remembers the answer. The caller is returned at once when the token is known.
   * @throws ApiError 401 UNAUTHORIZED, thrown or as a rejection.
   */
  caller: (token: string) => Caller | Promise<Caller>;
  /** Drops the cached result of tokens of this account, or of all. */
  forget: (uid?: string) => void;
  /** While nothing is heard of accounts, nothing is remembered. */
  trust: (isHeard: boolean) => void;
};

/** `now`: the clock, in milliseconds since 1970. */
export function cachedVerifier(verify: VerifyToken, now: () => number = Date.now): TokenCache {
  const tokensOf = new Map<string, Set<string>>();
  const verified = new LRUCache<string, Caller>({
    max: 20_000, maxSize: 64 * mebibyte, maxEntrySize: 64 * 1024,
    sizeCalculation: (caller, token) => token.length + caller.claims.join('').length,
    dispose: (caller, token) => { unlist(caller.uid, token); },
  });
  // Apart from the good ones, so that a flood of bad tokens pushes out no good one.
  const refused = new LRUCache<string, string>({ max: 2_000, maxSize: 4 * mebibyte, sizeCalculation: (_, token) => token.length });
  const pending = new Map<string, Promise<Caller>>();
  /** Grows with all that is forgotten: what was asked before is not to be remembered after. */
  let forgotten = 0;
  let isTrusted = true;

  return { caller, forget, trust };

  function caller(token: string): Caller | Promise<Caller> {
    if (!isTrusted) return verify(token);
    const known = verified.get(token);
    if (known) return unexpired(token, known);
    const reason = refused.get(token);
    if (reason !== undefined) throw unauthorized(reason);
    return pending.get(token) ?? begin(token);
  }

  function begin(token: string): Promise<Caller> {
    const answer = verifyAndRemember(token).finally(() => { if (pending.get(token) === answer) pending.delete(token); });
    pending.set(token, answer);
    return answer;
  }

  async function verifyAndRemember(token: string): Promise<Caller> {
    const before = forgotten;
    try {
      const fresh = await verify(token);
      if (before === forgotten) remember(token, fresh);
      return unexpired(token, fresh);
    } catch (error) {
      if (isForGood(error)) refused.set(token, error.message);
      throw error;
    }
  }

  function unexpired(token: string, known: Caller): Caller {
    if (now() < known.expiresAt) return known;
    verified.delete(token);
    throw known.key === undefined ? unauthorized('The access token has expired.')
      : new AccountRefusal(401, 'UNAUTHORIZED', 'The API key has expired.');
  }

  function remember(token: string, caller: Caller): void {
    verified.set(token, caller);
    if (!verified.has(token)) return; // it is too large
    const tokens = tokensOf.get(caller.uid);
    if (tokens === undefined) tokensOf.set(caller.uid, new Set([token]));
    else tokens.add(token);
  }

  function unlist(uid: string, token: string): void {
    const tokens = tokensOf.get(uid);
    tokens?.delete(token);
    if (tokens?.size === 0) tokensOf.delete(uid);
  }

  /** A lookup that starts from now on does not share the answer of an earlier one. */
  function forget(uid?: string): void {
    forgotten += 1;
    pending.clear();
    if (uid === undefined) verified.clear();
    else for (const token of [...tokensOf.get(uid) ?? []]) verified.delete(token);
  }

  function trust(isHeard: boolean): void {
    isTrusted = isHeard;
    forget();
  }
}

/** Whether the failure depends on the token alone and not on its account, which may change. */
function isForGood(error: unknown): error is ApiError {
  return error instanceof ApiError && !(error instanceof TokenNotYetValid) && !(error instanceof AccountRefusal);
}
