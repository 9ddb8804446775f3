import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Test } from 'tap';
import type { Caller } from '../../gateway/identity/caller.ts';
import { createApiKeys } from '../../gateway/identity/api-keys.ts';
import { createIdentity, type Identity } from '../../gateway/identity/identity.ts';
import type { SigningKey } from '../../gateway/identity/signing-keys.ts';

export const jwtSecret = 'a-secret-that-only-these-tests-know-1234567890';
export const serviceKey = 'a-service-key-that-only-these-tests-know-1234';

/** Whatever a test puts into a token, right or wrong. */
type Claims = Record<string, unknown>;

export type KeyPair = { kid: string; alg: string; privateKey: KeyObject; publicKey: KeyObject; signing: SigningKey };

export function ecKey(kid: string, namedCurve = 'P-256'): KeyPair {
  return keyPair(kid, 'ES256', generateKeyPairSync('ec', { namedCurve }));
}

export function rsaKey(kid: string, modulusLength = 2048): KeyPair {
  return keyPair(kid, 'RS256', generateKeyPairSync('rsa', { modulusLength }));
}

function keyPair(kid: string, alg: string, { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject }): KeyPair {
  return { kid, alg, privateKey, publicKey, signing: { kid, privateKeyPem: pem(privateKey) } };
}

export function pem(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Keys are looked up in a database. */
export const apiKeys = createApiKeys(noDatabase, noDatabase, () => null);

function noDatabase(): Promise<never> {
  return Promise.reject(new Error('There is no database here.'));
}

export function identityWith(
  { keys = [], authRequire = true, auth = 'on' }: { keys?: KeyPair[]; authRequire?: boolean; auth?: 'on' | 'off' } = {},
): Identity {
  return createIdentity({
    apiKeys, config: { authRequire, auth }, secrets: { jwtSecret, serviceKey, signingKeys: keys.map(key => key.signing) },
  });
}

export function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1000) + fromNow;
}

/** A token of one hour unless the claims say otherwise; `exp: undefined` leaves it without an end. */
export function hs256(
  claims: Claims = { uid: 'ada' }, secret: string | Uint8Array = jwtSecret, header: Record<string, unknown> = {},
): Promise<string> {
  const key = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
  return new SignJWT({ exp: seconds(3600), ...claims }).setProtectedHeader({ alg: 'HS256', ...header }).sign(key);
}

export function signedBy(pair: KeyPair, claims: Claims = { uid: 'ada' }, header: Record<string, unknown> = {}): Promise<string> {
  return new SignJWT({ exp: seconds(3600), ...claims }).setProtectedHeader({ alg: pair.alg, kid: pair.kid, ...header })
    .sign(pair.privateKey);
}

/** A token put together by hand, for what a signing library refuses to sign. */
export function unsignedToken(header: object, claims: object, signature = ''): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${signature}`;
}

/** The values that SQL receives. */
export function enteredAs({ claims: [uid, roles, isAnonymous, jwt] }: Caller): unknown {
  return { uid, roles, isAnonymous: JSON.parse(isAnonymous), jwt: JSON.parse(jwt) };
}

/** Requires 401 UNAUTHORIZED, whose message repeats nothing of what was sent. */
export async function refuses(t: Test, identity: Identity, authorization: string, message: RegExp): Promise<void> {
  const error: unknown = await ask(identity, authorization).then(() => undefined, (reason: unknown) => reason);
  t.match(error, { status: 401, code: 'UNAUTHORIZED', message }, `${authorization.slice(0, 24)}… is refused`);
  const credential = authorization.split(' ')[1] ?? '';
  if (credential.length > 8) t.notOk(String((error as Error).stack).includes(credential), 'the refusal does not quote the credential');
}

export async function ask(identity: Identity, authorization: string): Promise<Caller> {
  return identity.caller(authorization);
}
