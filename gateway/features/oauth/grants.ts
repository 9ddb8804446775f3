import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { OAuthError, withOAuthErrors } from './errors.ts';
import type { OAuthOptions } from './options.ts';

/** The clients that a person has let in: for the person alone. */
export function grantRoutes({ ask, identity, revoked, log }: OAuthOptions): Route[] {
  return [
    { method: 'GET', path: '/oauth/grants', handle: withOAuthErrors(list, log) },
    { method: 'DELETE', path: '/oauth/grants/:clientId', admit: () => undefined, handle: withOAuthErrors(withdraw, log) },
  ];

  async function list(call: Call): Promise<Reply> {
    const uid = await person(call);
    const [row] = await ask(uid, sql => sql<{ grants: object[] }[]>`select service_private.grants_of(${uid}) as grants`);
    return privateReply({ grants: row?.grants });
  }

  async function withdraw(call: Call): Promise<Reply> {
    const uid = await person(call);
    const [row] = await ask(uid, sql => sql<{ withdrawn: boolean }[]>`
      select service_private.withdraw(${uid}, ${call.params['clientId'] ?? ''}, 'The person withdrew the consent.') as withdrawn`);
    if (row?.withdrawn !== true) throw new OAuthError(404, 'not_found', 'This client was never let in.');
    await revoked(uid);
    return privateReply({ revoked: true, note: 'Its tokens are worth nothing from now on.' });
  }

  async function person(call: Call): Promise<string> {
    const { kind, uid } = await identity.caller(call.header('authorization'));
    if (kind === 'user') return uid;
    throw new OAuthError(401, 'unauthorized', 'Sign in to see the clients that you have let in.', { 'WWW-Authenticate': 'Bearer' });
  }
}
