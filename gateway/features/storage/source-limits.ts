import { ApiError } from '../../error.ts';
import type { Source, Sources } from './sources.ts';

/** Bytes of a form's file, where the source sets none. */
const UPLOAD_LIMIT = 50 * 1024 * 1024;
/** Bytes of a resumable upload, for every source. */
const RESUMABLE_LIMIT = 5 * 1024 ** 3;

/** The largest file that a form may bring. */
export function uploadLimit({ maxFileSize = UPLOAD_LIMIT }: Source): number {
  return maxFileSize;
}

/** The largest file that a form may bring to any source: one of its fields may name the source. */
export function largestLimit({ served }: Sources): number {
  return Math.max(...served.map(uploadLimit));
}

/** The largest file that a resumable upload may bring; undefined for a source that is not there, which is no error yet. */
export function resumableLimit(source: Source | undefined): number {
  return Math.min(RESUMABLE_LIMIT, source?.maxFileSize ?? RESUMABLE_LIMIT);
}

/** Bytes of a form beside its file. */
const OVERHEAD = 2 * 1024 * 1024;

/** `announced`: bytes of the whole form, undefined where they come in chunks. @throws ApiError 413 PAYLOAD_TOO_LARGE. */
export function requireAnnounced(announced: number | undefined, limit: number): void {
  if (announced !== undefined && announced - OVERHEAD > limit) throw tooLarge(limit);
}

export function tooLarge(limit: number): ApiError {
  return new ApiError(413, 'PAYLOAD_TOO_LARGE', `The file is larger than the limit of ${limit} bytes.`, { limit });
}

/**
 * Requires that the type is one of the accepted ones; `image/*` matches every type of its kind. @throws ApiError 415
 * UNSUPPORTED_MEDIA_TYPE.
 */
export function requireType({ key, allowedMimeTypes: allowed }: Source, contentType: string): void {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (allowed === undefined || allowed.some(entry => isOfType(entry, type))) return;
  throw new ApiError(415, 'UNSUPPORTED_MEDIA_TYPE', `The storage source ${key} takes ${allowed.join(', ')}.`, { allowed, contentType });
}

function isOfType(entry: string, type: string): boolean {
  return entry === '*' || entry === '*/*' || entry === type || (entry.endsWith('/*') && type.startsWith(entry.slice(0, -1)));
}
