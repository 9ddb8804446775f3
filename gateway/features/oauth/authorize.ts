import { ApiError } from '../../error.ts';
import { anyFormOf, fieldsOf, formOf, type Form } from '../../http/form-body.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import { hashOf, newToken } from '../../identity/opaque-token.ts';
import { CONSENT_CALLBACK } from '../oauth-server.ts';
import type { Client } from './client-metadata.ts';
import { OAuthError } from './errors.ts';
import { asksForOpenId, signInAsked } from './open-id.ts';
import type { OAuthOptions } from './options.ts';
import { callbackPage, consentPage, refusalPage } from './page.ts';
import { isRedirectOf, withParameters } from './redirects.ts';
import type { AuthorizationRequest, PendingRequest } from './request-tokens.ts';
import { resourceIn } from './resource.ts';

const CODE_LIFETIME = '60 seconds';

type Refusal = { error: string; error_description: string };
/** By what service_private.open_code says. */
const REFUSALS = {
  refused: { error: 'access_denied', error_description: 'The person did not let the client in.' },
  stale: { error: 'login_required', error_description: 'The person signed in too long ago.' },
} satisfies Record<string, Refusal>;

type Destination = Pick<AuthorizationRequest, 'redirectUri' | 'state'>;

/** The consent page (RFC 6749 section 4.1.1; by POST for OpenID Connect Core 1.0 section 3.1.2.1), and its decision. */
export function authorizeRoutes(options: OAuthOptions): Route[] {
  const { ask, audience, clients, config, identity, limits, openId, requestTokens, scopes } = options;
  return [
    { method: 'GET', path: '/oauth/authorize', handle: withPage(authorize) },
    { method: 'GET', path: CONSENT_CALLBACK, handle: () => callbackPage(options) },
    ...['/oauth/authorize', CONSENT_CALLBACK].map((path): Route =>
      ({ method: 'POST', path, admit: () => undefined, handle: withPage(call => inAddress(call, path)) })),
    { method: 'POST', path: '/oauth/authorize/decision', admit: () => undefined, handle: withPage(decide) },
  ];

  async function authorize(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'oauthAuthorize');
    const asked = fieldsOf(new URLSearchParams(call.query));
    const client = await clientOf(asked.get('client_id') ?? '', asked.get('redirect_uri') ?? '');
    const destination = { redirectUri: asked.get('redirect_uri') ?? '', state: asked.get('state') };
    const request = read(asked, client, destination);
    if (request instanceof OAuthError) return sendBack(destination, { error: request.error, error_description: request.message });
    const token = await requestTokens.issue(request);
    return consentPage(options, client, request, { token, email: openId === undefined ? '' : asked.get('login_hint') ?? '' });
  }

  /** Until the address is known to be the client's, errors are shown here: it could be any other. @throws OAuthError. */
  async function clientOf(id: string, redirectUri: string): Promise<Client> {
    const client = id === '' ? undefined : await clients(id);
    if (client === undefined) throw new OAuthError(400, 'invalid_client', 'This client is not known here.');
    if (isRedirectOf(client.redirectUris, redirectUri)) return client;
    throw new OAuthError(400, 'invalid_request', 'The address to go back to is not one of this client\'s.');
  }

  function read(asked: Form, { id }: Client, destination: Destination): AuthorizationRequest | OAuthError {
    if (asked.get('response_type') !== 'code') return new OAuthError(400, 'unsupported_response_type', 'response_type must be code.');
    const codeChallenge = asked.get('code_challenge') ?? '';
    if (!/^[\w-]{43}$/.test(codeChallenge) || asked.get('code_challenge_method') !== 'S256') {
      return new OAuthError(400, 'invalid_request', 'PKCE is required: code_challenge, with code_challenge_method S256.');
    }
    const resource = resourceIn(asked, audience) ?? audience.resource;
    if (resource !== audience.resource) return new OAuthError(400, 'invalid_target', `resource must be ${audience.resource}.`);
    const scope = scopes.orDefault(asked.get('scope'));
    const signIn = asksForOpenId(scope) ? signInAsked(asked) : {};
    return signIn instanceof OAuthError ? signIn : { clientId: id, ...destination, codeChallenge, resource, scope, ...signIn };
  }

  /**
   * The pages take what they are asked from their address: so does a person who comes back from a provider. Clients may post a request,
   * and Apple posts its answer.
   */
  function inAddress(call: Call, path: string): Reply {
    const location = `${config.basePath}${path}?${new URLSearchParams([...formOf(call)]).toString()}`;
    return { status: 303, headers: { 'Location': location, 'Cache-Control': 'no-store' } };
  }

  async function decide(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'oauthAuthorize');
    refuseOtherSites(call);
    const form = await anyFormOf(call);
    const request = await requestTokens.read(form.get('request_token') ?? '');
    if (request === undefined) throw staleRequest();
    const client = await clientOf(request.clientId, request.redirectUri);
    const person = form.get('decision') === 'allow' ? await personOf(form.get('session_token') ?? '') : undefined;
    return sendBack(request, person === undefined ? await deny(request) : await allow(request, client, person));
  }

  /** The account of a session; not a guest, a key, or another client. */
  async function personOf(token: string): Promise<Caller | undefined> {
    if (!/^\S+$/.test(token)) return undefined;
    try {
      const caller = await identity.caller(`Bearer ${token}`);
      return caller.kind === 'user' && !caller.isGuest ? caller : undefined;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return undefined;
      throw error;
    }
  }

  async function deny({ id, expiresAt }: PendingRequest): Promise<Refusal> {
    const [row] = await ask('oauth requests', sql => sql<{ taken: boolean }[]>`
      select service_private.take_oauth_request(${id}, ${expiresAt}) as taken`);
    if (row?.taken !== true) throw staleRequest();
    return REFUSALS.refused;
  }

  async function allow(request: PendingRequest, client: Client, { uid, session }: Caller): Promise<{ code: string } | Refusal> {
    const code = newToken(32);
    const { id, expiresAt, ...asked } = request;
    const [row] = await ask(uid, sql => sql<{ outcome: 'opened' | 'answered' | keyof typeof REFUSALS }[]>`
      select service_private.open_code(${id}, ${expiresAt}, ${uid}, ${sql.json(session ?? {})},
        ${sql.json({ ...client, redirectUris: [...client.redirectUris] })}, ${sql.json(asked)},
        ${hashOf(code)}, ${CODE_LIFETIME}::text::interval) as outcome`);
    if (row === undefined || row.outcome === 'answered') throw staleRequest();
    return row.outcome === 'opened' ? { code } : REFUSALS[row.outcome];
  }

  function sendBack({ redirectUri, state }: Destination, answer: Record<string, string>): Reply {
    const location = withParameters(redirectUri, { ...answer, state, iss: audience.issuer });
    return { status: 302, headers: { 'Location': location, 'Cache-Control': 'no-store' } };
  }

  /** People see a page, whatever is wrong. A limit keeps its envelope. */
  function withPage(handle: (call: Call) => Reply | Promise<Reply>): (call: Call) => Promise<Reply> {
    return async call => {
      try {
        return await handle(call);
      } catch (error) {
        if (error instanceof OAuthError) return refusalPage(options, error.status, error.message);
        if (error instanceof ApiError && [400, 415].includes(error.status)) return refusalPage(options, 400, error.message);
        throw error;
      }
    };
  }
}

/** Browsers say which site sent a form; another one could make its visitors let a client in as an account of its own. */
function refuseOtherSites(call: Call): void {
  if (['', 'same-origin'].includes(call.header('sec-fetch-site'))) return;
  throw new OAuthError(400, 'invalid_request', 'This form came from another site.');
}

function staleRequest(): OAuthError {
  return new OAuthError(400, 'invalid_request', 'This page was answered already, or is too old. Begin again in the client.');
}
