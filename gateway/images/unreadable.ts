import { ApiError } from '../error.ts';

export function unreadable(message: string): ApiError {
  return new ApiError(415, 'UNSUPPORTED_MEDIA_TYPE', message);
}
