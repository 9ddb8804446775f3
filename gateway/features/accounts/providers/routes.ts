import { ApiError } from '../../../error.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import { consentCallback } from '../../oauth-server.ts';
import type { AuthOptions } from '../options.ts';
import { admitAny } from '../person.ts';
import type { Sessions } from '../sessions.ts';
import type { Welcome } from '../welcome.ts';
import { readCredential, requireRedirect } from './credential.ts';
import type { Identity } from './rows.ts';

type Resolved = { uid: string; is_new: boolean; was_proven: boolean; must_confirm: boolean; may_remind: boolean };

/** Sign-in with a provider. The client has begun it, and sends here what came back. */
export function providerRoutes(options: AuthOptions, sessions: Sessions, welcome: Welcome): Route[] {
  const { ask, config, providers, revoked, limits } = options;
  const { allowRegistration: open, disableSelfRegistration: closed, production, defaultRole = null } = config;
  const confirmFirst = config.authRequireEmailVerification;
  const callback = consentCallback(config);
  const unlinks = config.settingsFile.auth?.unlinkIdentities ?? true;
  // A route each: a parameter would answer 404 for other methods of the paths beside it.
  return providers.names.map(name => ({ method: 'POST', path: `/auth/${name}`, admit: admitAny, handle: call => signIn(call, name) }));

  async function signIn(call: Call, name: string): Promise<Reply> {
    await limits.perAddress(call, 'default');
    const { provider, identify } = providers.named(name);
    const asked = readCredential(call.json(), provider);
    requireRedirect(asked, config.authAllowedRedirectUris, callback);
    const identity = await identify(asked, call.requestId);
    const account = await resolve(provider.name, identity);
    if (account.was_proven) await revoked(account.uid);
    const mustWait = confirmFirst && account.must_confirm;
    if (account.must_confirm && (account.is_new || (mustWait && account.may_remind))) await welcome(account.uid, call.requestId);
    if (mustWait) throw new ApiError(403, 'EMAIL_NOT_CONFIRMED', 'Confirm the address first, by the link that was mailed there.');
    return sessions.begin(call, { uid: account.uid, method: provider.name });
  }

  async function resolve(provider: string, identity: Identity): Promise<Resolved> {
    const { providerId, email, emailVerified, displayName, photoUrl } = identity;
    const profile = JSON.stringify({ displayName, photoURL: photoUrl });
    const [account] = await ask(`${provider} ${providerId}`, sql => sql<Resolved[]>`
      select uid, is_new, was_proven, must_confirm, may_remind
      from service_private.resolve_identity(${provider}, ${providerId}, ${email}, ${emailVerified}, ${profile}::text::jsonb, ${defaultRole},
        ${open}, ${closed}, ${production}, ${unlinks})`);
    if (account === undefined) throw new Error('service_private.resolve_identity() returned nothing.');
    return account;
  }
}
