import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { algorithmOf, readPrivateKey, type SigningKey } from './signing-keys.ts';

/** The subject of an access token. claims: added by the project; the members here go before them. */
export type Bearer = {
  uid: string; roles: readonly string[]; isAnonymous: boolean; sessionId: string; aal: string; claims?: object;
};
export type AccessToken = { token: string; expiresAt: number };

type Signer = { key: KeyObject; header: { alg: string; kid?: string } };

/** Signs access tokens: with the key, without one with the secret. `lifetime`: seconds. */
export function createAccessTokens(
  jwtSecret: string, signing: SigningKey | undefined, lifetime: number,
): (bearer: Bearer) => Promise<AccessToken> {
  const { key, header } = signing === undefined ? secretSigner(jwtSecret) : signerOf(signing);
  return async ({ uid, roles, isAnonymous, sessionId, aal, claims }) => {
    const issuedAt = Math.floor(Date.now() / 1000);
    const token = await new SignJWT({ ...claims, uid, sub: uid, roles, aal, sid: sessionId, isAnonymous })
      .setProtectedHeader(header).setIssuedAt(issuedAt).setExpirationTime(issuedAt + lifetime).sign(key);
    return { token, expiresAt: (issuedAt + lifetime) * 1000 };
  };
}

function secretSigner(jwtSecret: string): Signer {
  return { key: createSecretKey(jwtSecret, 'utf8'), header: { alg: 'HS256' } };
}

/** The key, and the header of what it signs. */
export function signerOf(signing: SigningKey): Signer {
  const key = readPrivateKey(signing);
  return { key, header: { alg: algorithmOf(signing.kid, createPublicKey(key)), kid: signing.kid } };
}
