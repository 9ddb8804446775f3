import { ApiError } from '../error.ts';

const impersonationHeaders = ['x-service-impersonate', 'x-rowgate-impersonate', 'x-impersonate', 'x-impersonate-user'];

/**
 * Rejects a request that asks to run as another account: ignored, it would run as its sender, who believes otherwise.
 * @throws ApiError 501 NOT_IMPLEMENTED.
 */
export function refuseImpersonation(call: { header(name: string): string }): void {
  const header = impersonationHeaders.find(name => call.header(name) !== '');
  if (header) throw impersonationUnavailable({ header });
}

/** @returns the 501 NOT_IMPLEMENTED to throw. */
export function impersonationUnavailable(where: { header: string } | { parameter: string }): ApiError {
  const [[kind, name] = []] = Object.entries(where);
  return new ApiError(501, 'NOT_IMPLEMENTED', `Impersonation is not available: remove the ${kind} ${name}.`, where);
}
