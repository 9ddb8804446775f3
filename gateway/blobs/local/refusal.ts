import { ApiError } from '../../error.ts';
import { tooLong } from './paths.ts';

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

/** Errors that mean that nothing is there: no such file, a file in place of a folder, a link. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO']);

/** Undefined where nothing is there. @throws ApiError of a name that is too long. */
export async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return undefined;
    throw codeOf(error) === 'ENAMETOOLONG' ? tooLong(error) : error;
  }
}

const IN_THE_WAY = new Set(['ENOTDIR', 'EEXIST', 'EISDIR', 'ENOTEMPTY', 'ELOOP']);

/** Throws the error that a failed write is answered with. */
export function refuse(error: unknown): never {
  throw error instanceof ApiError ? error : writeRefusal(error);
}

function writeRefusal(error: unknown): ApiError {
  const code = codeOf(error);
  if (code === 'ENAMETOOLONG') return tooLong(error);
  if (IN_THE_WAY.has(code)) return inTheWay(error);
  return writeFailed(error);
}

export function writeFailed(cause: unknown): ApiError {
  return new ApiError(502, 'STORAGE_WRITE_FAILED', 'The disk did not take the file.', undefined, { cause });
}

export function inTheWay(cause?: unknown): ApiError {
  const message = 'There is a folder where the file should be, or a file where one of its folders should be.';
  return new ApiError(409, 'CONFLICT', message, undefined, cause === undefined ? undefined : { cause });
}
