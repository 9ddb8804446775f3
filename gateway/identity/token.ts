import { createSecretKey, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import { ApiError } from '../error.ts';
import type { Caller } from './caller.ts';
import type { VerificationKey } from './signing-keys.ts';
import { callerOfToken, type Standing } from './token-claims.ts';
import { unauthorized } from './unauthorized.ts';

type Verification = { key: KeyObject; algorithm: string };

/**
 * Verifies an access token: its signature, `exp` and `nbf` (to the second, without any leeway), then its claims.
 * @throws ApiError 401 UNAUTHORIZED.
 */
export type VerifyToken = (token: string) => Promise<Caller>;

/**
 * Looks up the account of a token of this session and time of issue (seconds).
 * @throws ApiError 401 UNAUTHORIZED or SESSION_REVOKED, 503 ROLE_LOOKUP_FAILED.
 */
export type QueryStanding = (uid: string, sessionId: string | undefined, issuedAt: number) => Promise<Standing>;

/** Without `standing` a token is worth what it says. */
export function tokenVerifier(jwtSecret: string, keys: ReadonlyMap<string, VerificationKey>, standing?: QueryStanding): VerifyToken {
  const shared: Verification = { key: createSecretKey(jwtSecret, 'utf8'), algorithm: 'HS256' };

  /** The key id alone decides. Were `alg` asked, a public key could be passed off as an HMAC secret. */
  function verificationOf(token: string): Verification {
    const known = keys.get(keyIdOf(token));
    return known ? { key: known.publicKey, algorithm: known.algorithm } : shared;
  }

  return async token => {
    const payload = await verifiedPayload(token, verificationOf(token));
    const caller = callerOfToken(payload);
    if (standing === undefined) return caller;
    return callerOfToken(payload, await standing(caller.uid, caller.session?.id, payload.iat ?? 0));
  };
}

/** The one refusal that time heals, so it must not be remembered. */
export class TokenNotYetValid extends ApiError {
  constructor() {
    super(401, 'UNAUTHORIZED', 'The access token is not valid yet.');
  }
}

/** A rejection because of the token's account, or because it could not be looked up. */
export class AccountRefusal extends ApiError {}

async function verifiedPayload(token: string, { key, algorithm }: Verification): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: [algorithm], clockTolerance: 0 });
    return payload;
  } catch (error) {
    throw refusal(error);
  }
}

/** The refusal of a token that does not verify. */
export function refusal(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return unauthorized('The access token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf') return new TokenNotYetValid();
  if (error instanceof errors.JOSEError) return unauthorized('The access token is not valid.');
  return error;
}

/** Blank for a token without a usable id, which is then judged by the shared secret. */
function keyIdOf(token: string): string {
  try {
    return decodeProtectedHeader(token).kid ?? '';
  } catch {
    throw unauthorized('The credential is neither the service key nor a token.');
  }
}
