import { ApiError } from '../../error.ts';
import { email, optional, password, readBody, text, webAddress } from '../../http/fields.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import { hashOf } from '../../identity/opaque-token.ts';
import { requireStrong } from '../../identity/password-policy.ts';
import { done } from './done.ts';
import type { AuthOptions } from './options.ts';
import { requirePerson } from './person.ts';

/** Routes of a person's own account. */
export function ownAccountRoutes({ ask, passwords, callerOf, revoked, limits }: AuthOptions): Route[] {
  const person = (call: Call) => requirePerson(call, callerOf);
  return [
    { method: 'GET', path: '/auth/me', handle: async call => shown(await person(call)) },
    { method: 'PATCH', path: '/auth/me', admit: person, handle: change },
    { method: 'GET', path: '/auth/sessions', handle: sessions },
    { method: 'DELETE', path: '/auth/sessions', handle: endOthers },
    { method: 'DELETE', path: '/auth/sessions/:id', handle: endOne },
    { method: 'POST', path: '/auth/change-password', admit: person, handle: changePassword },
    { method: 'POST', path: '/auth/find-user', admit: person, handle: findUser },
  ];

  async function shown({ uid, session }: Caller): Promise<Reply> {
    const [row] = await ask(uid, sql => sql<{ user: object }[]>`
      select service_private.account(${uid}, ${session?.id ?? null}) as user`);
    return privateReply({ user: row?.user });
  }

  async function change(call: Call): Promise<Reply> {
    const caller = await person(call);
    const body = readBody(call.json(), { displayName: optional(text(255)), photoURL: optional(webAddress) });
    await ask(caller.uid, sql => sql`
      select service_private.update_profile(${caller.uid}, ${body.displayName ?? null}, ${body.photoURL ?? null})`);
    return shown(caller);
  }

  async function sessions(call: Call): Promise<Reply> {
    const caller = await person(call);
    const current = await currentSession(call, caller);
    const [row] = await ask(caller.uid, sql => sql<{ sessions: object }[]>`
      select service_private.sessions_of(${caller.uid}, ${current}) as sessions`);
    return privateReply({ sessions: row?.sessions });
  }

  async function endOthers(call: Call): Promise<Reply> {
    const caller = await person(call);
    const current = await currentSession(call, caller);
    await ask(caller.uid, sql => sql`select service_private.end_other_sessions(${caller.uid}, ${current})`);
    await revoked(caller.uid);
    return done('Every other session was ended.');
  }

  async function endOne(call: Call): Promise<Reply> {
    const { uid } = await person(call);
    await ask(uid, sql => sql`select service_private.end_session(${uid}, ${call.params['id'] ?? ''})`);
    await revoked(uid);
    return done('The session was ended.');
  }

  /** A token that names no session may identify it by the refresh token. */
  async function currentSession(call: Call, { uid, session }: Caller): Promise<string | null> {
    const token = call.header('x-refresh-token');
    if (session !== undefined) return session.id;
    if (token === '') return null;
    const [found] = await ask(uid, sql => sql<{ session_id: string }[]>`
      select session_id from service_private.session_of_token(${hashOf(token)}) where uid = ${uid}`);
    return found?.session_id ?? null;
  }

  async function changePassword(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    const { uid } = await person(call);
    const body = readBody(call.json(), { oldPassword: password, newPassword: password });
    const [known] = await ask(uid, sql => sql<{ hash: string | null }[]>`select service_private.password_of(${uid}) as hash`);
    const stored = known?.hash ?? null;
    if (stored === null) throw new ApiError(400, 'INVALID_ACCOUNT', 'This account has no password.');
    if (!await passwords.verify(body.oldPassword, stored)) throw new ApiError(401, 'INVALID_CREDENTIALS', 'The password is wrong.');
    requireStrong(body.newPassword);
    const hash = await passwords.hash(body.newPassword);
    await ask(uid, sql => sql`select service_private.change_password(${uid}, ${stored}, ${hash})`);
    await revoked(uid);
    return done('The password was changed, and every session ended.');
  }

  async function findUser(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'default');
    const { uid } = await person(call);
    const body = readBody(call.json(), { email });
    const [row] = await ask(uid, sql => sql<{ user: object | null }[]>`select service_private.find_user(${body.email}) as user`);
    return privateReply({ user: row?.user ?? null });
  }
}
