import { hash, randomBytes } from 'node:crypto';

/** 40 random bytes, which mean nothing. */
export function newToken(): string {
  return randomBytes(40).toString('hex');
}

/** The stored form of a token. */
export function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
