import { LRUCache } from 'lru-cache';
import { ApiError } from '../error.ts';
import type { Caller } from './caller.ts';
import { TokenNotYetValid, type VerifyToken } from './token.ts';
import { unauthorized } from './unauthorized.ts';

const mebibyte = 1024 * 1024;

/**
 * Verifies each token once and remembers the answer. The caller is returned at once when the token is known.
 * @throws ApiError 401 UNAUTHORIZED, thrown or as a rejection.
 */
export function cachedVerifier(verify: VerifyToken): (token: string) => Caller | Promise<Caller> {
  const verified = new LRUCache<string, Caller>({
    max: 20_000, maxSize: 64 * mebibyte, maxEntrySize: 64 * 1024,
    sizeCalculation: (caller, token) => token.length + caller.claims.join('').length,
  });
  // Apart from the good ones, so that a flood of bad tokens pushes out no good one.
  const refused = new LRUCache<string, string>({ max: 2_000, maxSize: 4 * mebibyte, sizeCalculation: (_, token) => token.length });
  const pending = new Map<string, Promise<Caller>>();

  function caller(token: string): Caller | Promise<Caller> {
    const known = verified.get(token);
    if (known) return unexpired(token, known);
    const reason = refused.get(token);
    if (reason !== undefined) throw unauthorized(reason);
    return pending.get(token) ?? begin(token);
  }

  function begin(token: string): Promise<Caller> {
    const answer = verifyAndRemember(token).finally(() => pending.delete(token));
    pending.set(token, answer);
    return answer;
  }

  async function verifyAndRemember(token: string): Promise<Caller> {
    try {
      const fresh = await verify(token);
      verified.set(token, fresh);
      return unexpired(token, fresh);
    } catch (error) {
      if (error instanceof ApiError && !(error instanceof TokenNotYetValid)) refused.set(token, error.message);
      throw error;
    }
  }

  function unexpired(token: string, known: Caller): Caller {
    if (Date.now() < known.expiresAt) return known;
    verified.delete(token);
    throw unauthorized('The access token has expired.');
  }

  return caller;
}
