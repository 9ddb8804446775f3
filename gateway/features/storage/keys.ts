import { ApiError } from '../../error.ts';
import { isStorable } from '../../storable.ts';

/** In UTF-16 units. */
const LONGEST = 1024;
/** The prefix that the service keeps for itself: renditions, and unfinished uploads. */
export const RESERVED = '_service';
/** Files below this prefix are readable without a sign-in. */
export const PUBLIC = 'public/';

/**
 * The normal form of a key: no slash at its beginning, no double slash, no `.`; a slash at its end stays. Empty for the root.
 * @throws ApiError 400 INVALID_STORAGE_KEY for a key that leads upwards, cannot be stored, is too long, or is the service's own.
 */
export function canonicalKey(text: string): string {
  if (!isStorable(text)) throw invalidKey('A key must not hold NUL or half a character.');
  if (text.split(/[/\\]/).includes('..')) throw invalidKey('A key must not hold `..` as a segment.');
  const segments = text.split('/');
  const kept = segments.filter(isNamed);
  const key = kept.join('/') + (kept.length > 0 && !isNamed(segments.at(-1) ?? '') ? '/' : '');
  if (key.length > LONGEST) throw invalidKey(`A key is at most ${LONGEST} characters long.`);
  if (kept[0]?.toLowerCase() === RESERVED) throw invalidKey(`Keys below ${RESERVED}/ are the service's own.`);
  return key;
}

function isNamed(segment: string): boolean {
  return segment !== '' && segment !== '.';
}

/** The key of a path as it was sent, whose first segment may be the bucket `default`. @throws ApiError as canonicalKey. */
export function keyOfPath(path: string): string {
  const key = canonicalKey(decoded(path));
  return canonicalKey(/^default\/(.+)$/is.exec(key)?.[1] ?? key);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalidKey('The path is not valid percent-encoded text.');
  }
}

export function invalidKey(message: string): ApiError {
  return new ApiError(400, 'INVALID_STORAGE_KEY', message);
}

/** Undefined for none. @throws ApiError 400 INVALID_STORAGE_BUCKET. */
export function bucketName(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (text.length <= 63 && /^[a-z\d][\w.-]*$/i.test(text)) return text;
  throw new ApiError(400, 'INVALID_STORAGE_BUCKET', 'A bucket has at most 63 letters, digits, dots, dashes and underscores.');
}
