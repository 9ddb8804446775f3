import { bearerOf } from '../../identity/bearer.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { OAuthError, withOAuthErrors } from './errors.ts';
import { asksForOpenId } from './open-id.ts';
import type { OAuthOptions } from './options.ts';

/** The UserInfo endpoint (OpenID Connect Core 1.0 section 5.3). */
export function userInfoRoutes({ ask, identity, limits, openId, log }: OAuthOptions): Route[] {
  if (openId === undefined) return [];
  return (['GET', 'POST'] as const).map((method): Route =>
    ({ method, path: '/oauth/userinfo', isOpen: true, handle: withOAuthErrors(userInfo, log) }));

  async function userInfo(call: Call): Promise<Reply> {
    const token = bearerOf(call.header('authorization'));
    if (token === undefined) throw refused(401, 'invalid_request', 'Send Authorization: Bearer <token>.', 'scope="openid"');
    const caller = await identity.client(token);
    if (caller?.client === undefined) throw invalidToken();
    const scope = caller.client.scopes.join(' ');
    if (!asksForOpenId(scope)) {
      throw refused(403, 'insufficient_scope', 'The token has no scope openid.', 'error="insufficient_scope", scope="openid"');
    }
    await limits.data(call, caller);
    const [row] = await ask(caller.uid, sql => sql<{ claims: object | null }[]>`
      select service_private.user_info(${caller.uid}, ${scope}) as claims`);
    if (!row?.claims) throw invalidToken();
    return privateReply(row.claims);
  }
}

function invalidToken(): OAuthError {
  return refused(401, 'invalid_token', 'The access token is not valid here.', 'error="invalid_token", scope="openid"');
}

/** RFC 6750 section 3: a request without a token is told of no error. */
function refused(status: number, error: string, description: string, challenge: string): OAuthError {
  return new OAuthError(status, error, description, { 'WWW-Authenticate': `Bearer ${challenge}` });
}
