import { ApiError } from '../error.ts';

/** 401 UNAUTHORIZED. The message never quotes a credential or a claim: it reaches logs and screens. */
export function unauthorized(message: string): ApiError {
  return new ApiError(401, 'UNAUTHORIZED', message);
}
