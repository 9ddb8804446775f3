import { KEY_PREFIX, type ApiKeys } from './api-keys.ts';
import { bearerOf } from './bearer.ts';
import { anonymousCaller, serviceCaller, type Caller } from './caller.ts';
import { keySet, verificationKeys, type SigningKey } from './signing-keys.ts';
import { secretTest } from './secret-test.ts';
import { cachedVerifier, type TokenCache } from './token-cache.ts';
import { tokenVerifier, type QueryStanding } from './token.ts';
import { unauthorized } from './unauthorized.ts';

export type IdentityOptions = {
  /** `auth: 'off'` mounts no account routes; it changes nothing here, because a credential that is sent is verified either way. */
  config: { authRequire: boolean; auth: 'on' | 'off' };
  /** Newest signing key first. */
  secrets: { jwtSecret: string; serviceKey: string; signingKeys: readonly SigningKey[] };
  /** Where tokens stand for accounts. Without it they are worth what they say. */
  standing?: QueryStanding;
  apiKeys: ApiKeys;
};

export type Identity = {
  /**
   * Resolves the caller of this `Authorization` header (blank: none was sent). A promise only for a token not seen before.
   * @throws ApiError 401 UNAUTHORIZED, thrown or as a rejection.
   */
  caller(authorization: string): Caller | Promise<Caller>;
  /** The public keys for outside verifiers: `{"keys":[]}` without any. */
  jwks(): object;
  /** Drops cached accounts, see TokenCache. */
  forget: TokenCache['forget'];
  trust: TokenCache['trust'];
};

const longestCredential = 8192;

/** @throws BootError naming the variable of a signing key that cannot be used. */
export function createIdentity({ config, secrets, standing, apiKeys }: IdentityOptions): Identity {
  const keys = verificationKeys(secrets.signingKeys);
  const published = keySet(keys.values());
  const ofToken = tokenVerifier(secrets.jwtSecret, keys, standing);
  const verified = cachedVerifier(credential => credential.startsWith(KEY_PREFIX) ? apiKeys.verify(credential) : ofToken(credential));
  const isServiceKey = secretTest(secrets.serviceKey);

  function caller(authorization: string): Caller | Promise<Caller> {
    if (authorization === '') return withoutCredential();
    const credential = bearerCredential(authorization);
    if (isServiceKey(credential)) return serviceCaller;
    const known = verified.caller(credential);
    return known instanceof Promise ? known.then(used) : used(known);
  }

  function used(caller: Caller): Caller {
    if (caller.key !== undefined) apiKeys.used(caller.key.id);
    return caller;
  }

  function withoutCredential(): Caller {
    if (config.authRequire) throw unauthorized('Authentication is required: send Authorization: Bearer <token>.');
    return anonymousCaller;
  }

  return { caller, jwks: () => published, forget: verified.forget, trust: verified.trust };
}

function bearerCredential(authorization: string): string {
  const credential = bearerOf(authorization);
  if (credential === undefined) throw unauthorized('Only Authorization: Bearer <token> is accepted.');
  if (credential.length > longestCredential) throw unauthorized('The access token is longer than 8 KB.');
  return credential;
}
