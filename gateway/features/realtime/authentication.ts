import { ApiError } from '../../error.ts';
import { impersonationUnavailable } from '../../identity/impersonation.ts';

/** What AUTHENTICATE brings. @throws ApiError 400 INVALID_INPUT; 501 NOT_IMPLEMENTED for who asks to be somebody else. */
export function credentialOf({ token, impersonate }: Record<string, unknown>): string {
  if (typeof impersonate === 'string') throw impersonationUnavailable({ parameter: 'impersonate' });
  if (impersonate !== undefined) throw noText('impersonate');
  if (typeof token !== 'string' || token === '') throw noText('token');
  return token;
}

function noText(name: string): ApiError {
  return new ApiError(400, 'INVALID_INPUT', `"${name}" must be a text.`);
}
