import { ApiError } from '../error.ts';

const impersonationHeaders = ['x-service-impersonate', 'x-rowgate-impersonate', 'x-impersonate', 'x-impersonate-user'];

/**
 * Refuses a request that asks to run as somebody else: ignored, it would run as its sender, who believes otherwise.
 * @throws ApiError 501 NOT_IMPLEMENTED.
 */
export function refuseImpersonation(call: { header(name: string): string }): void {
  const header = impersonationHeaders.find(name => call.header(name) !== '');
  if (header) throw new ApiError(501, 'NOT_IMPLEMENTED', `Impersonation is not available: remove the header ${header}.`, { header });
}
