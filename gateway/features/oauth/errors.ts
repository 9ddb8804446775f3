import type { Logger } from 'pino';
import { orUnavailable } from '../../database/refusal.ts';
import { ApiError } from '../../error.ts';
import { RETRY_AFTER } from '../../http/envelope.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply } from '../../http/route.ts';

/** A refusal in the form of RFC 6749 section 5.2. */
export class OAuthError extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Record<string, string>;

  constructor(status: number, error: string, description: string, headers: Record<string, string> = {}) {
    super(description);
    this.status = status;
    this.error = error;
    this.headers = headers;
  }
}

/** Refusals that keep the service's envelope: a limit, and what the HTTP layer refuses. */
const KEPT = new Set(['RATE_LIMITED', 'PAYLOAD_TOO_LARGE']);

/** Answers failures of a handler as OAuth has them. `invalid`: the error of a request that cannot be read. */
export function withOAuthErrors(
  handle: (call: Call) => Promise<Reply>, log: Logger, invalid = 'invalid_request',
): (call: Call) => Promise<Reply> {
  return async call => {
    try {
      return await handle(call);
    } catch (error) {
      if (error instanceof ApiError && KEPT.has(error.code)) throw error;
      const { status, error: code, message, headers } = error instanceof OAuthError ? error : translated(error, invalid);
      if (status >= 500) log.error({ err: error, requestId: call.requestId }, 'a request to the OAuth server failed');
      return privateReply({ error: code, error_description: message }, { status, headers: { Pragma: 'no-cache', ...headers } });
    }
  };
}

function translated(failure: unknown, invalid: string): OAuthError {
  const error = orUnavailable(failure);
  const { status, code, message } = error instanceof ApiError ? error : { status: 500, code: '', message: '' };
  if (status === 503) return new OAuthError(503, 'temporarily_unavailable', 'The database cannot answer; try again.', RETRY_AFTER);
  if (status >= 500) return new OAuthError(500, 'server_error', 'Something went wrong on the server.');
  if (status === 401) return new OAuthError(401, 'unauthorized', message, { 'WWW-Authenticate': 'Bearer' });
  // The hook customize_claims refuses this account.
  if (code === 'FORBIDDEN') return new OAuthError(400, 'invalid_grant', message);
  return new OAuthError(400, invalid, message);
}
