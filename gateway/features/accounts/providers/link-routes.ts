import { ApiError } from '../../../error.ts';
import { privateReply } from '../../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import { done } from '../done.ts';
import type { AuthOptions } from '../options.ts';
import { requirePerson } from '../person.ts';
import type { Welcome } from '../welcome.ts';
import { readCredential, requireRedirect } from './credential.ts';

type Linked = { already_linked: boolean; photo_url: string | null };

/** The identities of the caller's own account. */
export function linkRoutes({ ask, config, callerOf, providers, revoked, limits }: AuthOptions, welcome: Welcome): Route[] {
  const person = (call: Call) => requirePerson(call, callerOf);
  return [
    ...providers.names.map((name): Route => ({
      method: 'POST', path: `/auth/link/${name}`, admit: person, handle: call => link(call, name),
    })),
    { method: 'GET', path: '/auth/identities', handle: list },
    { method: 'DELETE', path: '/auth/identities/:provider', handle: remove },
  ];

  async function link(call: Call, name: string): Promise<Reply> {
    await limits.perAddress(call, 'default');
    const { uid, session, isGuest } = await person(call);
    const { provider, identify } = providers.named(name);
    const asked = readCredential(call.json(), provider);
    requireRedirect(asked, config.authAllowedRedirectUris);
    if (isGuest && config.disableSelfRegistration) throw new ApiError(403, 'REGISTRATION_DISABLED', 'Registration is closed.');
    const { providerId, email, emailVerified, displayName, photoUrl } = await identify(asked, call.requestId);
    const profile = JSON.stringify({ displayName, photoURL: photoUrl });
    const [linked] = await ask(uid, sql => sql<Linked[]>`
      select already_linked, photo_url from service_private.link_identity(${uid}, ${session?.id ?? null}, ${name}, ${providerId}, ${email},
        ${emailVerified}, ${profile}::text::jsonb)`);
    if (isGuest) {
      await revoked(uid); // it is none any more
      if (email !== null && !emailVerified) await welcome(uid, call.requestId);
    }
    return privateReply({ success: true, provider: name, alreadyLinked: linked?.already_linked, photoURL: linked?.photo_url });
  }

  async function list(call: Call): Promise<Reply> {
    const { uid } = await person(call);
    const [row] = await ask(uid, sql => sql<{ identities: object }[]>`select service_private.identities_of(${uid}) as identities`);
    return privateReply({ identities: row?.identities });
  }

  async function remove(call: Call): Promise<Reply> {
    const { uid, session } = await person(call);
    const id = new URLSearchParams(call.query).get('providerId');
    await ask(uid, sql => sql`
      select service_private.remove_identity(${uid}, ${session?.id ?? null}, ${call.params['provider'] ?? ''}, ${id})`);
    return done('The identity was removed.');
  }
}
