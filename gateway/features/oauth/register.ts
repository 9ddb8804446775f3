import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { hashOf, newToken } from '../../identity/opaque-token.ts';
import { grantTypesOf, nameOf, redirectsOf, type ClientMetadata } from './client-metadata.ts';
import { OAuthError, withOAuthErrors } from './errors.ts';
import type { OAuthOptions } from './options.ts';

/** Registered clients. Those that no account lets in go after a day. */
const MOST_CLIENTS = 5_000;
const UNNAMED = 'A client without a name';

/** Registration (RFC 7591). */
export function registerRoute(options: OAuthOptions): Route {
  const { config, ask, limits, openId, scopes, log } = options;
  return {
    method: 'POST', path: '/oauth/register', isOpen: true, admit: () => undefined,
    handle: withOAuthErrors(register, log, 'invalid_client_metadata'),
  };

  async function register(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'oauthRegister');
    if (!config.mcpOpenRegistration) {
      throw new OAuthError(403, 'access_denied', 'Registration is closed (SERVICE_MCP_OPEN_REGISTRATION).');
    }
    const metadata: ClientMetadata = call.json();
    const redirectUris = redirectsOf(metadata);
    const grantTypes = grantTypesOf(metadata);
    const name = nameOf(metadata, UNNAMED);
    const scope = scopes.orDefault(typeof metadata['scope'] === 'string' ? metadata['scope'] : undefined);
    const isPublic = metadata['token_endpoint_auth_method'] === 'none';
    const [id, secret] = [`mcp_${newToken(16)}`, isPublic ? undefined : newToken(32)];
    const [row] = await ask(call.ip, sql => sql<{ kept: boolean }[]>`
      select service_private.register_client(${id}, ${secret === undefined ? null : hashOf(secret)}, ${name},
        array(select jsonb_array_elements_text(${sql.json(redirectUris)})),
        array(select jsonb_array_elements_text(${sql.json(grantTypes)})),
        ${scope}, ${MOST_CLIENTS}) as kept`);
    if (row?.kept !== true) throw new OAuthError(400, 'invalid_client_metadata', 'Too many clients are registered already.');
    return privateReply({
      client_id: id,
      ...(secret !== undefined && { client_secret: secret }),
      client_id_issued_at: Math.floor(Date.now() / 1000),
      ...(secret !== undefined && { client_secret_expires_at: 0 }),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: grantTypes,
      response_types: ['code'],
      token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_post',
      scope,
      ...(openId !== undefined && { id_token_signed_response_alg: openId.algorithm }),
    }, { status: 201, headers: { Pragma: 'no-cache' } });
  }
}
