import { createSecretKey } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { purposeOf } from './token-purpose.ts';
import { unauthorized } from './unauthorized.ts';

/**
 * The path that may be read, which begins with the bucket, and all that lies below it as a folder, unless it is `exact`. In a bucket of
 * S3 a file may have the name of a folder: the right to read the one must not open the other.
 */
export type Download = { storageId: string; path: string; exact: boolean };

export type DownloadTokens = {
  issue: (download: Download) => Promise<string>;
  /** Whether it says of itself that it is one. */
  isOne: (token: string) => boolean;
  /** @throws ApiError 401 UNAUTHORIZED of one that is not valid. */
  read: (token: string) => Promise<Download>;
};

/** Seconds. */
export const DOWNLOAD_LIFETIME = 300;

/** Each reader of tokens rejects other purposes, so this token is no access token anywhere. */
const PURPOSE = 'file-read';

export function createDownloadTokens(jwtSecret: string): DownloadTokens {
  const key = createSecretKey(jwtSecret, 'utf8');
  return {
    issue: download => new SignJWT({ purpose: PURPOSE, ...download })
      .setProtectedHeader({ alg: 'HS256' }).setIssuedAt().setExpirationTime(`${DOWNLOAD_LIFETIME}s`).sign(key),
    isOne: token => purposeOf(token) === PURPOSE,
    async read(token) {
      try {
        const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], clockTolerance: 0, requiredClaims: ['exp'] });
        const { purpose, path, storageId, exact = false } = payload;
        if (purpose === PURPOSE && typeof path === 'string' && typeof storageId === 'string') {
          return { path, storageId, exact: exact !== false };
        }
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
      }
      throw unauthorized('The download token is not valid, or no longer.');
    },
  };
}
