import { createSecretKey } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { purposeOf } from './token-purpose.ts';
import { unauthorized } from './unauthorized.ts';

/** What may be read: a file, or with a slash at its end everything below a folder. `path` begins with the bucket. */
export type Download = { storageId: string; path: string };

export type DownloadTokens = {
  issue: (download: Download) => Promise<string>;
  /** Whether it says of itself that it is one. */
  isOne: (token: string) => boolean;
  /** @throws ApiError 401 UNAUTHORIZED of one that is not valid. */
  read: (token: string) => Promise<Download>;
};

/** Seconds. */
export const DOWNLOAD_LIFETIME = 300;

/** Whoever reads tokens refuses those of a purpose that is not his: this one is an access token nowhere. */
const PURPOSE = 'file-read';

export function createDownloadTokens(jwtSecret: string): DownloadTokens {
  const key = createSecretKey(jwtSecret, 'utf8');
  return {
    issue: ({ storageId, path }) => new SignJWT({ purpose: PURPOSE, path, storageId })
      .setProtectedHeader({ alg: 'HS256' }).setIssuedAt().setExpirationTime(`${DOWNLOAD_LIFETIME}s`).sign(key),
    isOne: token => purposeOf(token) === PURPOSE,
    async read(token) {
      try {
        const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], clockTolerance: 0, requiredClaims: ['exp'] });
        const { purpose, path, storageId } = payload;
        if (purpose === PURPOSE && typeof path === 'string' && typeof storageId === 'string') return { path, storageId };
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
      }
      throw unauthorized('The download token is not valid, or no longer.');
    },
  };
}
