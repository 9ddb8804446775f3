import { ApiError } from '../../error.ts';
import { impersonationUnavailable } from '../../identity/impersonation.ts';

/** The credential of an AUTHENTICATE frame. @throws ApiError 400 INVALID_INPUT; 501 NOT_IMPLEMENTED for an impersonation. */
export function credentialOf({ token, impersonate }: Record<string, unknown>): string {
  if (typeof impersonate === 'string') throw impersonationUnavailable({ parameter: 'impersonate' });
  if (impersonate !== undefined) throw noText('impersonate');
  if (typeof token !== 'string' || token === '') throw noText('token');
  return token;
}

function noText(name: string): ApiError {
  return new ApiError(400, 'INVALID_INPUT', `"${name}" must be a text.`);
}
