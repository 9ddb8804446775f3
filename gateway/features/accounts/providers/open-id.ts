import { createRemoteJWKSet, customFetch, type JWTPayload } from 'jose';
import * as client from 'openid-client';
import { pausingFetch, type Fetch } from '../../../outbound/fetch.ts';
import type { Asked, Door } from './credential.ts';
import { authentication, exchange, inClear } from './exchange.ts';
import { asymmetric, requireIssuer, verifyIdToken, type Issuer } from './id-token.ts';
import type { Provider } from './read-providers.ts';
import { toldOf, type OpenIdRow, type Told } from './rows.ts';

/** Milliseconds between two questions to an issuer that fails, and between two for keys. */
const PAUSE = 5_000;
/** Milliseconds that its metadata are good for. */
const FRESH = 3_600_000;

type Known = Issuer & { configuration: client.Configuration };

/** Sign-in by OpenID Connect: an ID token as such, or for a code. */
export function openIdDoor(provider: Provider<OpenIdRow>, fetch: Fetch): Door {
  let held: { known: Promise<Known>; until: number } | undefined;

  return {
    async signIn(asked) {
      const claims = await claimsOf(asked);
      const word = provider.emailVerified === undefined ? claims['email_verified'] : provider.emailVerified(claims);
      return {
        providerId: claims.sub, email: claims['email'], emailVerified: word ?? provider.trustEmail,
        displayName: claims['name'] ?? asked.name, photoUrl: claims['picture'],
      };
    },
    authorizationUrl: async () => (await metadata()).configuration.serverMetadata().authorization_endpoint,
  };

  async function claimsOf(asked: Asked): Promise<JWTPayload & { sub: string }> {
    if (asked.accessToken !== undefined) return claimsOfAccessToken(asked.accessToken);
    const known = await metadata();
    if (asked.idToken !== undefined) return verifyIdToken(asked.idToken, provider, known, asked);
    requireIssuer(asked.iss, known.issuer);
    const { configuration } = known;
    const code = provider.refusesVerifier === true ? { ...asked.code, codeVerifier: undefined } : asked.code;
    const { id_token: idToken, access_token: accessToken } = await exchange(configuration, code);
    if (idToken === undefined) throw new Error('there is no ID token for the code');
    const claims = await verifyIdToken(idToken, provider, known, asked);
    if (claims['email'] !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...await client.fetchUserInfo(configuration, accessToken, claims.sub), ...claims };
  }

  /** Simultaneous sign-ins wait for one answer, and share a failure for as long as an issuer is not asked again. */
  function metadata(): Promise<Known> {
    if (held !== undefined && Date.now() < held.until) return held.known;
    const known = discover();
    held = { known, until: Date.now() + FRESH };
    known.catch(() => { if (held?.known === known) held.until = Date.now() + PAUSE; });
    return known;
  }

  async function discover(): Promise<Known> {
    const configuration = await client.discovery(new URL(provider.issuer), provider.clientId, undefined, authentication(provider), {
      execute: [inClear],
      [client.customFetch]: replacing,
    });
    configuration[client.customFetch] = fetch;
    const { issuer, jwks_uri: keysUrl, id_token_signing_alg_values_supported: listed = ['RS256'] } = configuration.serverMetadata();
    if (keysUrl === undefined) throw new Error('the issuer publishes no keys');
    const keys = createRemoteJWKSet(new URL(keysUrl), { cooldownDuration: PAUSE, [customFetch]: pausingFetch(fetch, PAUSE) });
    return { configuration, issuer, algorithms: asymmetric(listed), keys };
  }

  /** Metadata, with the addresses of the settings file. */
  async function replacing(...asked: Parameters<Fetch>): Promise<Response> {
    const { authorizationUrl, tokenUrl, profileUrl } = provider.replaced;
    const response = await fetch(...asked);
    if (!response.ok) return response;
    return Response.json({
      ...toldOf(await response.json()), ...(authorizationUrl !== undefined && { authorization_endpoint: authorizationUrl }),
      ...(tokenUrl !== undefined && { token_endpoint: tokenUrl }), ...(profileUrl !== undefined && { userinfo_endpoint: profileUrl }),
    });
  }

  /** An access token says nothing of its client by itself: one of another service's would sign in here. */
  async function claimsOfAccessToken(token: string): Promise<JWTPayload & { sub: string }> {
    const url = new URL(provider.tokenInfoUrl ?? '');
    url.searchParams.set('access_token', token);
    const response = await fetch(url.href);
    if (!response.ok) throw new Error(`the access token is not good: ${response.status}`);
    const claims: Told = toldOf(await response.json());
    const { aud, sub } = claims;
    if (aud !== provider.clientId) throw new Error('the access token is for another client');
    if (typeof sub !== 'string' || sub.trim() === '') throw new Error('sub is no text');
    return { ...claims, sub };
  }
}
