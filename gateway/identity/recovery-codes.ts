import { randomBytes } from 'node:crypto';
import { hashOf } from './opaque-token.ts';

const COUNT = 10;
const FORM = /^[0-9A-F]{5}-?[0-9A-F]{5}$/i;

/** Such as A1B2C-D3E4F, to be written down. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => randomBytes(5).toString('hex').toUpperCase().replace(/^.{5}/, '$&-'));
}

export function isRecoveryCode(text: string): boolean {
  return FORM.test(text);
}

/** However it was typed. */
export function hashOfRecoveryCode(code: string): Buffer {
  return hashOf(code.replace('-', '').toUpperCase());
}
