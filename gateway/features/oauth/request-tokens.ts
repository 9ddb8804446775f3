import { createSecretKey, randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';

/**
 * A request of a client that was found right, and that a person has yet to decide about. signedInAfter: the time, in seconds, that the
 * sign-in of the person may not be older than.
 */
export type AuthorizationRequest = {
  clientId: string; redirectUri: string; codeChallenge: string; scope: string; resource: string; state?: string | undefined;
  nonce?: string | undefined; signedInAfter?: number;
};
/** id: it is decided once. */
export type PendingRequest = AuthorizationRequest & { id: string; expiresAt: Date };

/** The request as the page carries it to the decision. */
export type RequestTokens = {
  issue: (request: AuthorizationRequest) => Promise<string>;
  /** Undefined for any other text, and for one that has expired. */
  read: (token: string) => Promise<PendingRequest | undefined>;
};

/** Each reader of tokens rejects other purposes, so this token is no access token anywhere. */
const PURPOSE = 'oauth-request';
const LIFETIME = '10m';

export function createRequestTokens(jwtSecret: string): RequestTokens {
  const key = createSecretKey(jwtSecret, 'utf8');
  return {
    issue: request => new SignJWT({ purpose: PURPOSE, request }).setProtectedHeader({ alg: 'HS256' }).setJti(randomUUID())
      .setIssuedAt().setExpirationTime(LIFETIME).sign(key),
    async read(token) {
      try {
        const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], clockTolerance: 0, requiredClaims: ['exp', 'jti'] });
        const { purpose, request, jti: id = '', exp = 0 } = payload;
        return purpose === PURPOSE ? { ...request as AuthorizationRequest, id, expiresAt: new Date(exp * 1_000) } : undefined;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}
