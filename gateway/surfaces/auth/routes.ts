import type { Reply, Route } from '../../http/route.ts';
import type { AuthOptions } from './options.ts';

export function authRoutes({ identity }: AuthOptions): Route[] {
  return [{ method: 'GET', path: '/.well-known/jwks.json', root: true, handle: () => publicKeys(identity.jwks()) }];
}

/** Five minutes: the time a new signing key needs to be published before tokens are signed with it. */
function publicKeys(keys: object): Reply {
  return { headers: { 'cache-control': 'public, max-age=300' }, body: JSON.stringify(keys) };
}
