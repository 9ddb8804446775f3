import type { Context, MiddlewareHandler } from 'hono';
import type { SentCaller } from '../call.ts';
import { ApiError, errorResponse } from './errors.ts';
import { identityOf } from './identity.ts';
import { authMissing, hasScope } from './readers.ts';

type Refusal = (c: Context, caller: SentCaller) => ApiError | undefined;

/** Any caller but a visitor: 401 UNAUTHORIZED. */
export const requireAuth: MiddlewareHandler = guard(() => undefined);

/** 403 FORBIDDEN for others. */
export const requireAdmin: MiddlewareHandler = guard((_c, { isAdmin }) =>
  isAdmin ? undefined : new ApiError(403, 'FORBIDDEN', 'Only admins may call this function.'));

/** A session with a second factor: 403 AAL2_REQUIRED for others, keys among them. */
export const requireAal2: MiddlewareHandler = guard((_c, { aal }) =>
  aal === 'aal2' ? undefined : new ApiError(403, 'AAL2_REQUIRED', 'This function needs a sign-in with a second factor.'));

/** One of these roles: 403 FORBIDDEN for others. @throws Error without a role. */
export function requireRole(...names: string[]): MiddlewareHandler {
  if (names.length === 0) throw new Error('requireRole() needs a role.');
  return guard((_c, { roles }) => roles.some(role => names.includes(role))
    ? undefined
    : new ApiError(403, 'FORBIDDEN', `This function needs one of the roles ${names.join(', ')}.`));
}

/** 403 SCOPE_MISSING, with `details.requiredScope`, for others. */
export function requireScope(scope: string, target?: string): MiddlewareHandler {
  const requiredScope = target === undefined ? scope : `${scope}:${target}`;
  return guard(c => hasScope(c, scope, target)
    ? undefined
    : new ApiError(403, 'SCOPE_MISSING', `This function needs the scope ${requiredScope}.`, { requiredScope }));
}

/** A guard answers by itself: an error handler of the author's cannot turn a refusal into something else. */
function guard(refuse: Refusal): MiddlewareHandler {
  return async (c, next) => {
    const identity = identityOf(c);
    if (identity === undefined) return errorResponse(authMissing());
    const { caller, requestId } = identity;
    const refusal = caller.kind === 'anonymous' ? new ApiError(401, 'UNAUTHORIZED', 'Sign in to call this function.') : refuse(c, caller);
    if (refusal !== undefined) return errorResponse(refusal, requestId);
    await next();
    return undefined;
  };
}
