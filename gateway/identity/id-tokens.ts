import { hash } from 'node:crypto';
import { SignJWT } from 'jose';
import { signerOf } from './access-tokens.ts';
import type { SigningKey } from './signing-keys.ts';

/** A sign-in that an OAuth client is told of. authTime: seconds, null where it is not known; nonce: as the client sent it. */
export type SignIn = { uid: string; clientId: string; authTime: number | null; nonce?: string | null };

/** Signs the ID token (OpenID Connect Core 1.0 section 2) of a sign-in, which came with this access token. */
export type SignIdToken = (signIn: SignIn, accessToken: string) => Promise<string>;

/** Every reader of access tokens refuses a purpose; without it an ID token would be a session of its `sub`. */
const PURPOSE = 'id';
const LIFETIME = '1h';

export function createIdTokens(signing: SigningKey, issuer: string): { algorithm: string; sign: SignIdToken } {
  const { key, header } = signerOf(signing);
  return {
    algorithm: header.alg,
    sign: ({ uid, clientId, authTime, nonce }, accessToken) =>
      new SignJWT({
        purpose: PURPOSE, at_hash: halfHash(accessToken), ...(authTime !== null && { auth_time: authTime }), ...(nonce && { nonce }),
      }).setProtectedHeader(header).setIssuer(issuer).setSubject(uid).setAudience(clientId).setIssuedAt().setExpirationTime(LIFETIME)
        .sign(key),
  };
}

/** The left half of SHA-256, which is the hash of both ES256 and RS256 (Core section 3.1.3.6). */
function halfHash(token: string): string {
  return hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url');
}
