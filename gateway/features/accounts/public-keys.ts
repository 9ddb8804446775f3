import type { Reply, Route } from '../../http/route.ts';
import type { Identity } from '../../identity/identity.ts';

export function publicKeysRoute({ jwks }: Pick<Identity, 'jwks'>): Route {
  return { method: 'GET', path: '/.well-known/jwks.json', root: true, handle: () => publicKeys(jwks()) };
}

/** Five minutes: the time a new signing key needs to be published before tokens are signed with it. */
function publicKeys(keys: object): Reply {
  return { headers: { 'cache-control': 'public, max-age=300' }, body: JSON.stringify(keys) };
}
