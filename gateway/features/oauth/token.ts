import { hash } from 'node:crypto';
import { formOf, type Form } from '../../http/form-body.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { CLIENT_TOKEN_LIFETIME, type ClientBearer } from '../../identity/oauth-tokens.ts';
import { hashOf, newToken } from '../../identity/opaque-token.ts';
import { requireClient, clientOf } from './client-credentials.ts';
import { OAuthError, withOAuthErrors } from './errors.ts';
import { asksForOpenId } from './open-id.ts';
import type { OAuthOptions } from './options.ts';
import { resourceIn } from './resource.ts';

/** A refresh token lives so long; each exchange gives a new one. */
const REFRESH_LIFETIME = '30 days';

/** service_private.token_parts, or service_private.oauth_refusal. */
type Outcome = ClientBearer | { error: string; description: string };

/** Exchanges codes and refresh tokens (RFC 6749 sections 4.1.3 and 6), and revokes them (RFC 7009). */
export function tokenRoutes({ ask, audience, limits, openId, revoked, scopes: { known }, signAccessToken, log }: OAuthOptions): Route[] {
  return [post('/oauth/token', token), post('/oauth/revoke', revoke)];

  function post(path: string, handle: (call: Call) => Promise<Reply>): Route {
    return { method: 'POST', path, isOpen: true, admit: () => undefined, handle: withOAuthErrors(handle, log) };
  }

  async function token(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'oauthToken');
    const form = formOf(call);
    const clientId = await requireClient(call, form, ask);
    const refreshToken = newToken(32);
    const outcome = await exchange(form, clientId, refreshToken);
    if ('error' in outcome) throw new OAuthError(400, outcome.error, outcome.description);
    const accessToken = await signAccessToken(outcome);
    return privateReply({
      access_token: accessToken, token_type: 'Bearer', expires_in: CLIENT_TOKEN_LIFETIME, refresh_token: refreshToken, scope: outcome.scope,
      ...(openId !== undefined && asksForOpenId(outcome.scope) && { id_token: await openId.signIdToken(outcome, accessToken) }),
    }, { headers: { Pragma: 'no-cache' } });
  }

  function exchange(form: Form, clientId: string, refreshToken: string): Promise<Outcome> {
    const type = form.get('grant_type');
    if (type === 'authorization_code') return redeem(form, clientId, refreshToken);
    if (type === 'refresh_token') return rotate(form, clientId, refreshToken);
    throw type === undefined ? new OAuthError(400, 'invalid_request', 'grant_type is missing.')
      : new OAuthError(400, 'unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
  }

  async function redeem(form: Form, clientId: string, refreshToken: string): Promise<Outcome> {
    const code = required(form, 'code');
    const [row] = await ask(clientId, sql => sql<{ outcome: Outcome }[]>`
      select service_private.redeem_code(${hashOf(code)}, ${clientId}, ${form.get('redirect_uri') ?? null},
        ${challengeOf(form.get('code_verifier'))}, ${resourceIn(form, audience) ?? null}, ${hashOf(refreshToken)},
        ${REFRESH_LIFETIME}::text::interval) as outcome`);
    return outcomeOf(row);
  }

  async function rotate(form: Form, clientId: string, nextToken: string): Promise<Outcome> {
    const refreshToken = required(form, 'refresh_token');
    const asked = form.get('scope');
    const scopes = asked === undefined ? null : known(asked);
    const [row] = await ask(clientId, sql => sql<{ outcome: Outcome }[]>`
      select service_private.rotate_token(${hashOf(refreshToken)}, ${clientId},
        ${scopes === null ? null : sql`array(select jsonb_array_elements_text(${sql.json(scopes)}))`}, ${hashOf(nextToken)},
        ${REFRESH_LIFETIME}::text::interval) as outcome`);
    return outcomeOf(row);
  }

  /** A token that is not there is as good as revoked: the answer differs for a wrong secret alone. */
  async function revoke(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'oauthToken');
    const form = formOf(call);
    const clientId = await clientOf(call, form, ask);
    if (clientId !== undefined) {
      const [row] = await ask(clientId, sql => sql<{ uid: string | null }[]>`
        select service_private.revoke_family(${hashOf(form.get('token') ?? '')}, ${clientId}) as uid`);
      if (row?.uid) await revoked(row.uid);
    }
    return { status: 200, headers: { 'Cache-Control': 'no-store' } };
  }
}

function required(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined || value === '') throw new OAuthError(400, 'invalid_request', `${name} is missing.`);
  return value;
}

function outcomeOf(row: { outcome: Outcome } | undefined): Outcome {
  if (row === undefined) throw new Error('The database returned no outcome.');
  return row.outcome;
}

/** S256 of a verifier (RFC 7636 section 4.6); null for what can be none. */
function challengeOf(verifier: string | undefined): string | null {
  return verifier !== undefined && /^[\w.~-]{43,128}$/.test(verifier) ? hash('sha256', verifier, 'base64url') : null;
}
