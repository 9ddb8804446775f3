import { importPKCS8, SignJWT } from 'jose';
import * as client from 'openid-client';
import type { Fetch } from '../../../outbound/fetch.ts';
import type { AppleKey, Provider } from './read-providers.ts';

export type Code = { code: string; redirectUri: string; codeVerifier: string | undefined };
/** Seconds. Apple takes half a year; one is made for each code. */
const SECRET_LIFETIME = 300;
const APPLE = 'https://appleid.apple.com';

/** The service as a client of a server whose addresses are known. */
export function clientAt(server: client.ServerMetadata, provider: Provider, fetch: Fetch): client.Configuration {
  const configuration = new client.Configuration(server, provider.clientId, {}, authentication(provider));
  inClear(configuration);
  configuration[client.customFetch] = fetch;
  return configuration;
}

/** Has it ask servers by http, too, on loopback: `fetch` refuses others. Discovery knows it by its identity. */
// eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so to make it stand out
export const inClear: (configuration: client.Configuration) => void = client.allowInsecureRequests;

/** The answer of the token endpoint. Its ID token is not judged yet. */
export function exchange(configuration: client.Configuration, { code, redirectUri, codeVerifier }: Code) {
  return client.genericGrantRequest(configuration, 'authorization_code', {
    code, redirect_uri: redirectUri, ...(codeVerifier !== undefined && { code_verifier: codeVerifier }),
  });
}

/** Authenticates the service where a code is exchanged. */
export function authentication(provider: Provider): client.ClientAuth {
  const { clientId, appleKey, clientSecret } = provider;
  // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the library waits for it
  return async (server, ...request) => {
    const secret = appleKey === undefined ? clientSecret : await appleSecret(clientId, appleKey);
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    const takesBody = (provider.secretIn ?? (methods.includes('client_secret_post') ? 'body' : 'header')) === 'body';
    const authenticate = secret === undefined ? client.None() : takesBody ? client.ClientSecretPost(secret) : basic(clientId, secret);
    return authenticate(server, ...request);
  };
}

/** Servers that do not decode it, against RFC 6749 2.3.1, read the usual characters as they are: so fewer are encoded than may be. */
function basic(clientId: string, secret: string): client.ClientAuth {
  const pair = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString('base64');
  return (_server, _client, _body, headers) => { headers.set('authorization', `Basic ${pair}`); };
}

async function appleSecret(clientId: string, { teamId, keyId, privateKeyPem }: AppleKey): Promise<string> {
  return new SignJWT().setProtectedHeader({ alg: 'ES256', kid: keyId }).setIssuer(teamId).setSubject(clientId).setAudience(APPLE)
    .setIssuedAt().setExpirationTime(`${SECRET_LIFETIME}s`).sign(await importPKCS8(privateKeyPem, 'ES256'));
}
