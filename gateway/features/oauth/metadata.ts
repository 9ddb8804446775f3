import type { Reply, Route } from '../../http/route.ts';
import type { OAuthOptions } from './options.ts';
import { SCOPES } from './scopes.ts';

const CLAIMS = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'email', 'email_verified', 'name', 'picture'];
const METHODS = ['client_secret_post', 'client_secret_basic', 'none'];

type Own = Pick<OAuthOptions, 'audience' | 'config' | 'openId' | 'scopes'>;

/**
 * RFC 9728, RFC 8414 and OpenID Connect Discovery 1.0. The resource names no scopes of OpenID Connect: an agent asks for all that it
 * names, and rows need none of them.
 */
export function metadataRoutes({ audience: { issuer, resource }, config, openId, scopes }: Own): Route[] {
  const base = `${issuer}${config.basePath}/oauth`;
  const ofResource = document({
    resource, authorization_servers: [issuer], scopes_supported: SCOPES, bearer_methods_supported: ['header'],
  });
  const ofServer = document({
    issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    ...(config.mcpOpenRegistration && { registration_endpoint: `${base}/register` }),
    revocation_endpoint: `${base}/revoke`,
    revocation_endpoint_auth_methods_supported: METHODS,
    scopes_supported: scopes.supported,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: METHODS,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    ...(openId !== undefined && {
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      userinfo_endpoint: `${base}/userinfo`,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [openId.algorithm],
      claims_supported: CLAIMS,
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    }),
  });
  return [
    route('/.well-known/oauth-protected-resource', ofResource),
    route('/.well-known/oauth-protected-resource/mcp', ofResource),
    route('/.well-known/oauth-authorization-server', ofServer),
    ...(openId === undefined ? [] : [route('/.well-known/openid-configuration', ofServer)]),
  ];
}

function route(path: string, reply: Reply): Route {
  return { method: 'GET', path, root: true, isOpen: true, handle: () => reply };
}

function document(content: object): Reply {
  return { headers: { 'Cache-Control': 'public, max-age=300' }, body: JSON.stringify(content) };
}
