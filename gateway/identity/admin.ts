import { ApiError } from '../error.ts';
import type { Caller } from './caller.ts';

/** What admin routes answer where there are no accounts. */
export const adminUnavailable = {
  status: 501,
  code: 'ADMIN_SURFACE_UNAVAILABLE',
  message: 'Admin routes need authentication, which is switched off (SERVICE_AUTH).',
};

/** The gate of admin routes: 501 without accounts, 401 for visitors, 403 for everybody who is no admin. */
export function requireAdmin(caller: Caller, auth: 'on' | 'off'): Caller {
  if (auth === 'off') throw new ApiError(adminUnavailable.status, adminUnavailable.code, adminUnavailable.message);
  if (caller.kind === 'anonymous') throw new ApiError(401, 'UNAUTHORIZED', 'Sign in to use this route.');
  if (!caller.roles.includes('admin')) throw new ApiError(403, 'FORBIDDEN', 'Only admins may use this route.');
  return caller;
}
