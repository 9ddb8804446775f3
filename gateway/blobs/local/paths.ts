import { join } from 'node:path';
import { ApiError } from '../../error.ts';
import type { Place } from '../store.ts';

export const SIDECAR = '.metadata.json';
/** Folders of ours beside the buckets, whose names begin with a letter or digit: incoming files, and resumable uploads. */
export const ASIDE = '.uploads';
export const RESUMABLE = '.tus-uploads';

/** A folder beside those of ours. */
const BUCKET = /^[a-z\d][\w.-]*$/i;

/** Bytes of a file's name, on nearly all disks. */
const LONGEST_NAME = 255;

/**
 * The path of a file, always below the folder of its bucket, independent of the caller's checks.
 * @throws ApiError 400 INVALID_STORAGE_KEY for a key that leads elsewhere, that no disk can hold, or with a segment that is the name of a
 * sidecar: a folder of that name would be in its way.
 */
export function pathOf(root: string, { bucket, key }: Place): string {
  const names = key.replace(/\/$/, '').split('/');
  if (!BUCKET.test(bucket) || names.some(name => name === '.' || name === '..')) throw invalidKey('The key leads out of its bucket.');
  // Some disks do not tell upper from lower case.
  const isSidecar = names.some(name => name.toLowerCase().endsWith(SIDECAR));
  if (isSidecar) throw invalidKey(`No segment of a key on a local disk may end with ${SIDECAR}.`);
  const longest = Math.max(...names.map((name, i) => Buffer.byteLength(name) + (i === names.length - 1 ? SIDECAR.length : 0)));
  if (longest > LONGEST_NAME) throw tooLong();
  return join(root, bucket, ...names);
}

export function tooLong(cause?: unknown): ApiError {
  return invalidKey('The key has a segment that is too long for the disk.', cause);
}

function invalidKey(message: string, cause?: unknown): ApiError {
  return new ApiError(400, 'INVALID_STORAGE_KEY', message, undefined, cause === undefined ? undefined : { cause });
}
