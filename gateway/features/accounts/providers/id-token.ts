import { hash } from 'node:crypto';
import { decodeJwt, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { OpenIdRow } from './rows.ts';
import type { Provider } from './read-providers.ts';

export type Issuer = { issuer: string; algorithms: readonly string[]; keys: JWTVerifyGetKey };
export type Expected = { nonce?: string | undefined; iss?: string | undefined };

/** Seconds that clocks may differ. */
const LEEWAY = 30;
/** With any other the key that verifies could sign as well. */
const ASYMMETRIC = /^(?:RS|PS|ES)(?:256|384|512)$|^EdDSA$|^Ed25519$/;

export function asymmetric(algorithms: readonly string[]): string[] {
  return algorithms.filter(algorithm => ASYMMETRIC.test(algorithm));
}

/** The claims of an ID token of this issuer for this service. Every ID token is judged here. @throws Error with the reason. */
export async function verifyIdToken(
  token: string, provider: Provider<OpenIdRow>, { issuer, algorithms, keys }: Issuer, { nonce, iss }: Expected,
): Promise<JWTPayload & { sub: string }> {
  const expected = issuerOf(token, issuer);
  const { payload } = await jwtVerify(token, keys, {
    algorithms: [...algorithms], issuer: [expected, provider.otherIssuer ?? expected], audience: provider.clientId, clockTolerance: LEEWAY,
    requiredClaims: ['sub', 'aud', 'exp', 'iat'],
  });
  const { sub, aud, azp, nonce: claimed } = payload;
  if (typeof sub !== 'string' || sub.trim() === '') throw new Error('sub is no text');
  if (azp !== undefined && azp !== provider.clientId && provider.hasAppClients !== true) throw new Error('azp is another client');
  if (Array.isArray(aud) && aud.length > 1 && azp === undefined) throw new Error('aud has several clients, and azp is missing');
  const isOmitted = claimed === undefined && provider.omitsNonce === true;
  if (nonce !== undefined && !isOmitted && claimed !== nonce && claimed !== hash('sha256', nonce, 'hex')) {
    throw new Error('nonce is another');
  }
  if (iss !== undefined && iss !== expected) throw new Error('the iss of the answer is another issuer');
  return { ...payload, sub };
}

/** A code of another issuer must not be sent to this one (RFC 9207 2.4). @throws Error with the reason. */
export function requireIssuer(iss: string | undefined, issuer: string): void {
  const [before = '', after] = issuer.split('{tenantid}');
  const isOne = after === undefined ? iss === issuer : iss?.startsWith(before) && iss.endsWith(after);
  if (iss !== undefined && !isOne) throw new Error('the iss of the answer is another issuer');
}

/** Microsoft's metadata for many tenants has a pattern instead: the token names its tenant, whose keys are the same. */
function issuerOf(token: string, issuer: string): string {
  if (!issuer.includes('{tenantid}')) return issuer;
  const { tid } = decodeJwt(token);
  if (typeof tid !== 'string' || !/^[\w-]+$/.test(tid)) throw new Error('tid is no tenant');
  return issuer.replace('{tenantid}', tid);
}
