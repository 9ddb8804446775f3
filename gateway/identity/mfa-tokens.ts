import { createSecretKey } from 'node:crypto';
import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { bearerOf } from './bearer.ts';
import { purposeOf } from './token-purpose.ts';
import { unauthorized } from './unauthorized.ts';

/** A sign-in that waits for its second factor. tokensValidAfter: service_private.require_pending_sign_in. */
export type PendingSignIn = { uid: string; tokensValidAfter: string | null };

export type MfaTokens = {
  issue: (pending: PendingSignIn) => Promise<string>;
  /** The pending sign-in of the bearer; undefined where it is no such token. @throws ApiError 401 UNAUTHORIZED for an invalid one. */
  read: (authorization: string) => Promise<PendingSignIn | undefined>;
};

/** Each reader of tokens rejects other purposes, so this token is no access token anywhere. */
const PURPOSE = 'mfa-pending';
const LIFETIME = '5m';

export function createMfaTokens(jwtSecret: string): MfaTokens {
  const key = createSecretKey(jwtSecret, 'utf8');
  return {
    issue: ({ uid, tokensValidAfter }) => new SignJWT({ purpose: PURPOSE, uid, tokensValidAfter })
      .setProtectedHeader({ alg: 'HS256' }).setIssuedAt().setExpirationTime(LIFETIME).sign(key),
    async read(authorization) {
      const token = bearerOf(authorization) ?? '';
      if (purposeOf(token) !== PURPOSE) return undefined;
      return pendingOf(await verified(token));
    },
  };

  async function verified(token: string): Promise<JWTPayload> {
    try {
      return (await jwtVerify(token, key, { algorithms: ['HS256'], clockTolerance: 0, requiredClaims: ['exp'] })).payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw unauthorized('The sign-in has waited too long for its second factor; begin again.');
      if (error instanceof errors.JOSEError) throw unauthorized('The token is not valid.');
      throw error;
    }
  }
}

function pendingOf({ uid, tokensValidAfter }: JWTPayload): PendingSignIn {
  if (typeof uid !== 'string') throw unauthorized('The token has no subject.');
  return { uid, tokensValidAfter: typeof tokensValidAfter === 'string' ? tokensValidAfter : null };
}
