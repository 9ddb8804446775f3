import { ApiError } from '../error.ts';
import { KEY_PREFIX, type ApiKeys } from './api-keys.ts';
import { bearerOf } from './bearer.ts';
import { anonymousCaller, serviceCaller, type Caller } from './caller.ts';
import { keySet, verificationKeys, type SigningKey } from './signing-keys.ts';
import { secretTest } from './secret-test.ts';
import { cachedVerifier, type TokenCache } from './token-cache.ts';
import { tokenVerifier, type QueryStanding, type VerifyToken } from './token.ts';
import { unauthorized } from './unauthorized.ts';

export type IdentityOptions = {
  /** `auth: 'off'` mounts no account routes; it changes nothing here, because a credential that is sent is verified either way. */
  config: { authRequire: boolean; auth: 'on' | 'off' };
  /** Newest signing key first. */
  secrets: { jwtSecret: string; serviceKey: string; signingKeys: readonly SigningKey[] };
  /** Where tokens stand for accounts. Without it they are worth what they say. */
  standing?: QueryStanding;
  apiKeys: ApiKeys;
  /** Verifies access tokens of OAuth clients, where there is a server for them. */
  ofClients?: VerifyToken;
};

export type Identity = {
  /**
   * Resolves the caller of this `Authorization` header (blank: none was sent). A promise only for a token not seen before.
   * @throws ApiError 401 UNAUTHORIZED, thrown or as a rejection.
   */
  caller(authorization: string): Caller | Promise<Caller>;
  /**
   * Resolves the caller of an OAuth client's access token, who acts within `client.scopes`; undefined for any other text, and for a token
   * that no longer counts. A promise only for a token not seen before.
   * @throws ApiError 503 ROLE_LOOKUP_FAILED, thrown or as a rejection.
   */
  client(token: string): Caller | undefined | Promise<Caller | undefined>;
  /** The public keys for outside verifiers: `{"keys":[]}` without any. */
  jwks(): object;
  /** Drops cached accounts, see TokenCache. */
  forget: TokenCache['forget'];
  trust: TokenCache['trust'];
};

const longestCredential = 8192;

/** @throws BootError naming the variable of a signing key that cannot be used. */
export function createIdentity({ config, secrets, standing, apiKeys, ofClients }: IdentityOptions): Identity {
  const keys = verificationKeys(secrets.signingKeys);
  const published = keySet(keys.values());
  const ofToken = tokenVerifier(secrets.jwtSecret, keys, standing);
  const verified = cachedVerifier(credential => credential.startsWith(KEY_PREFIX) ? apiKeys.verify(credential) : ofToken(credential));
  const clients = ofClients && cachedVerifier(ofClients);
  const caches = clients === undefined ? [verified] : [verified, clients];
  const isServiceKey = secretTest(secrets.serviceKey);

  function caller(authorization: string): Caller | Promise<Caller> {
    if (authorization === '') return withoutCredential();
    const credential = bearerCredential(authorization);
    if (isServiceKey(credential)) return serviceCaller;
    const known = verified.caller(credential);
    return known instanceof Promise ? known.then(used) : used(known);
  }

  function client(token: string): ReturnType<Identity['client']> {
    if (clients === undefined || token === '' || token.length > longestCredential) return undefined;
    try {
      const known = clients.caller(token);
      return known instanceof Promise ? known.catch(noClient) : known;
    } catch (error) {
      return noClient(error);
    }
  }

  function used(caller: Caller): Caller {
    if (caller.key !== undefined) apiKeys.used(caller.key.id);
    return caller;
  }

  function withoutCredential(): Caller {
    if (config.authRequire) throw unauthorized('Authentication is required: send Authorization: Bearer <token>.');
    return anonymousCaller;
  }

  return {
    caller, client,
    jwks: () => published,
    forget: uid => { for (const { forget } of caches) forget(uid); },
    trust: isHeard => { for (const { trust } of caches) trust(isHeard); },
  };
}

function noClient(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 401)) throw error;
}

function bearerCredential(authorization: string): string {
  const credential = bearerOf(authorization);
  if (credential === undefined) throw unauthorized('Only Authorization: Bearer <token> is accepted.');
  if (credential.length > longestCredential) throw unauthorized('The access token is longer than 8 KB.');
  return credential;
}
