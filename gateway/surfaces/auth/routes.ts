import type { Route } from '../../http/route.ts';
import type { Identity } from '../../identity/identity.ts';

export function identityRoutes(identity: Identity): Route[] {
  return [{ method: 'GET', path: '/.well-known/jwks.json', root: true, handle: () => publicKeys(identity) }];
}

/** Five minutes: the time a new signing key needs to be published before tokens are signed with it. */
function publicKeys(identity: Identity) {
  return { headers: { 'cache-control': 'public, max-age=300' }, body: JSON.stringify(identity.jwks()) };
}
