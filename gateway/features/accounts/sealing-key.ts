import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createSealing, type Sealing } from '../../identity/sealing.ts';
import type { Secrets } from '../../identity/secrets.ts';

/** The secret of tokens opens too: it sealed while there was no other key. */
export function openSealing({ mfaEncryptionKey = [] }: Pick<Config, 'mfaEncryptionKey'>, { jwtSecret }: Secrets): Sealing {
  return createSealing([...mfaEncryptionKey, jwtSecret]);
}

/** Elsewhere there is nothing worth a word at every start. */
export function warnOfSharedSecret({ mfaEncryptionKey, production }: Config, log: Logger): void {
  if (mfaEncryptionKey !== undefined || !production) return;
  log.warn('MFA_ENCRYPTION_KEY is not set: secrets of second factors are encrypted with JWT_SECRET. Set it before JWT_SECRET changes.');
}
