import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { BootError } from '../error.ts';

/** A private key as configured: PEM with real newlines, with `\n` for newlines, or base64 of the PEM. */
export type SigningKey = { kid: string; privateKeyPem: string };

/** The public half that verifies a key's tokens, with the one algorithm it is used for. */
export type VerificationKey = { kid: string; algorithm: 'ES256' | 'RS256'; publicKey: KeyObject };

/**
 * Reads the asymmetric keys by key id.
 * @throws BootError naming the variable when one is unreadable, too weak, of another kind, or shares its id.
 */
export function verificationKeys(signingKeys: readonly SigningKey[]): Map<string, VerificationKey> {
  const keys = new Map<string, VerificationKey>();
  for (const { kid, privateKeyPem } of signingKeys) {
    if (kid.trim() === '') throw new BootError('JWT_KEY_ID: a key id must not be blank.');
    if (keys.has(kid)) throw new BootError(`JWT_KEY_ID: two signing keys share the id ${JSON.stringify(kid)}.`);
    const publicKey = createPublicKey(readPrivateKey({ kid, privateKeyPem }));
    keys.set(kid, { kid, algorithm: algorithmOf(kid, publicKey), publicKey });
  }
  return keys;
}

/** The public keys as a JSON Web Key Set (RFC 7517 section 5). */
export function keySet(keys: Iterable<VerificationKey>): { keys: object[] } {
  return { keys: Array.from(keys, ({ kid, algorithm, publicKey }) =>
    ({ ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' })) };
}

/** The reason is not passed on: a parser's message may quote what it was given. */
export function readPrivateKey({ kid, privateKeyPem }: SigningKey): KeyObject {
  try {
    return createPrivateKey(pemOf(privateKeyPem));
  } catch {
    throw unusable(kid, 'is not a readable private key (PEM without a passphrase, with real newlines, \\n, or as base64)');
  }
}

function pemOf(text: string): string {
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64').toString('utf8');
  return pem.replaceAll('\\n', '\n').trim();
}

/** RS256 asks for 2048 bits (RFC 7518 section 3.3), ES256 for the curve P-256 (section 3.4). */
export function algorithmOf(kid: string, { asymmetricKeyType, asymmetricKeyDetails }: KeyObject): 'ES256' | 'RS256' {
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256';
  if (asymmetricKeyType !== 'rsa') throw unusable(kid, 'must be an EC P-256 or an RSA key');
  if ((asymmetricKeyDetails?.modulusLength ?? 0) < 2048) throw unusable(kid, 'must have at least 2048 bits');
  return 'RS256';
}

function unusable(kid: string, reason: string): BootError {
  return new BootError(`JWT_PRIVATE_KEY: the signing key ${JSON.stringify(kid)} ${reason}.`);
}
