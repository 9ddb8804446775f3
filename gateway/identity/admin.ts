import { ApiError } from '../error.ts';
import type { Caller } from './caller.ts';

/** The gate of admin routes: 501 without accounts, 401 for visitors, 403 for everybody who is no admin. */
export function requireAdmin(caller: Caller, auth: 'on' | 'off'): Caller {
  if (auth === 'off') throw new ApiError(501, 'ADMIN_SURFACE_UNAVAILABLE', 'Admin routes need authentication, which is switched off (SERVICE_AUTH).');
  if (caller.kind === 'anonymous') throw new ApiError(401, 'UNAUTHORIZED', 'Sign in to use this route.');
  if (!caller.roles.includes('admin')) throw new ApiError(403, 'FORBIDDEN', 'Only admins may use this route.');
  return caller;
}
