import { hash, randomBytes } from 'node:crypto';

/** So many random bytes, which mean nothing. */
export function newToken(bytes = 40): string {
  return randomBytes(bytes).toString('hex');
}

/** The stored form of a token. */
export function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
