import { ApiError } from '../../error.ts';
import { errorReply } from '../../http/envelope.ts';
import { email, optional, password, readBody, text } from '../../http/fields.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { refuseKey } from '../../identity/api-keys.ts';
import type { Caller } from '../../identity/caller.ts';
import type { MailedTokens } from '../../identity/mailed-tokens.ts';
import { hashOf } from '../../identity/opaque-token.ts';
import { requireStrong } from '../../identity/password-policy.ts';
import { LIFETIMES } from '../../mail/lifetimes.ts';
import type { Recipient } from '../../mail/render.ts';
import { withConstantTime } from './constant-time.ts';
import type { AuthOptions } from './options.ts';
import { admitAny, requireDeliverable } from './person.ts';
import type { RefreshCookie } from './refresh-cookie.ts';
import type { Sessions } from './sessions.ts';
import type { Welcome } from './welcome.ts';

type Means = { sessions: Sessions; tokens: MailedTokens; cookie: RefreshCookie; welcome: Welcome };
type Registered = { uid: string };
type Credentials = { uid: string; password_hash: string | null; must_confirm: boolean; may_remind: boolean };

/** The refusals after which a cookie is of no more use. */
const OVER = new Set(['SESSION_REVOKED', 'TOKEN_EXPIRED', 'TOKEN_ALREADY_USED']);

/** From a password or a token to a session, and out of it. */
export function signInRoutes(options: AuthOptions, { sessions, tokens, cookie, welcome }: Means): Route[] {
  const { ask, passwords, config, callerOf, revoked, mail, limits, captcha } = options;
  const { allowRegistration: open, disableSelfRegistration: closed, production, defaultRole = null } = config;
  const confirmFirst = config.authRequireEmailVerification;
  return [
    { method: 'POST', path: '/auth/register', admit: admitAny, handle: register },
    { method: 'POST', path: '/auth/login', admit: admitAny, handle: login },
    { method: 'POST', path: '/auth/refresh', admit: admitAny, handle: refresh },
    { method: 'POST', path: '/auth/logout', admit: admitAny, handle: logout },
    { method: 'POST', path: '/auth/anonymous', handle: anonymous },
    { method: 'POST', path: '/auth/anonymous/link', admit: admitAny, handle: linkGuest },
  ];

  async function register(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'default');
    await captcha.require(call, 'register');
    const body = readBody(call.json(), { email, password, displayName: optional(text(255)) });
    requireDeliverable(body.email);
    await ask(call.ip, sql => sql`select service_private.may_register(${open}, ${closed}, ${production})`);
    requireStrong(body.password);
    const hash = await passwords.hash(body.password);
    const make = async () => {
      const [made] = await ask(call.ip, sql => sql<Registered[]>`
        select service_private.register(${body.email}, ${hash}, ${body.displayName ?? null}, ${defaultRole},
          ${open}, ${closed}, ${production}) as uid`);
      const uid = made?.uid ?? '';
      await welcome(uid, call.requestId);
      return uid;
    };
    if (!confirmFirst) return sessions.begin(call, { uid: await make(), method: 'password', passwordHash: hash }, 201);
    await withConstantTime(() => make().catch(ofTaken));
    return privateReply({ confirmationRequired: true });
  }

  async function login(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'default');
    await captcha.require(call, 'login');
    const body = readBody(call.json(), { email, password });
    const [known] = await ask(call.ip, sql => sql<Credentials[]>`
      select uid, password_hash, must_confirm, may_remind from service_private.credentials(${body.email})`);
    const isRight = await passwords.verify(body.password, known?.password_hash ?? null);
    if (known === undefined || !isRight) throw new ApiError(401, 'INVALID_CREDENTIALS', 'The address or the password is wrong.');
    if (confirmFirst && known.must_confirm) {
      if (known.may_remind) await welcome(known.uid, call.requestId);
      throw new ApiError(403, 'EMAIL_NOT_CONFIRMED', 'Confirm the address first, by the link that was mailed there.');
    }
    return sessions.begin(call, { uid: known.uid, method: 'password', passwordHash: known.password_hash });
  }

  async function refresh(call: Call): Promise<Reply> {
    const token = cookie.read(call) ?? tokenInBody(call);
    if (token === undefined) throw noSession();
    try {
      return await sessions.refresh(call, token);
    } catch (error) {
      if (!cookie.isOn || !(error instanceof ApiError) || !OVER.has(error.code)) throw error;
      const reply = errorReply(error, call.requestId);
      return { ...reply, headers: { ...reply.headers, ...cookie.clear() } };
    }
  }

  async function logout(call: Call): Promise<Reply> {
    const token = cookie.read(call) ?? tokenInBody(call);
    const session = token === undefined ? await sessionOfBearer(call) : await sessionOf(call, token);
    if (session !== undefined) {
      await ask(session.uid, sql => sql`select service_private.end_session(${session.uid}, ${session.session_id})`);
      await revoked(session.uid);
    }
    return privateReply({ success: true }, { headers: cookie.clear() });
  }

  async function sessionOf(call: Call, token: string) {
    const [found] = await ask(call.ip, sql => sql<{ uid: string; session_id: string }[]>`
      select uid, session_id from service_private.session_of_token(${hashOf(token)})`);
    return found;
  }

  async function sessionOfBearer(call: Call) {
    if (call.header('authorization') === '') throw noSession();
    const caller = await callerOf(call);
    refuseKey(caller);
    const { kind, uid, session } = caller;
    return kind === 'user' && session !== undefined ? { uid, session_id: session.id } : undefined;
  }

  async function anonymous(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    requireGuestsAllowed();
    const [made] = await ask(call.ip, sql => sql<Registered[]>`select service_private.create_guest(${defaultRole}) as uid`);
    return sessions.begin(call, { uid: made?.uid ?? '', method: 'anonymous' }, 201);
  }

  async function linkGuest(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    const caller = await callerOf(call);
    if (caller.kind === 'anonymous') throw new ApiError(401, 'UNAUTHORIZED', 'Sign in as a guest first.');
    refuseKey(caller);
    await captcha.require(call, 'register');
    requireGuestsAllowed();
    if (closed) throw new ApiError(403, 'REGISTRATION_DISABLED', 'Registration is closed.');
    if (!caller.isGuest) throw new ApiError(400, 'NOT_ANONYMOUS', 'Only a guest can be turned into an account.');
    const body = readBody(call.json(), { email, password });
    requireDeliverable(body.email);
    requireStrong(body.password);
    if (confirmFirst) await limits.perSubject(call, 'verificationMail', caller.uid);
    const hash = await passwords.hash(body.password);
    if (confirmFirst) return linkOnceConfirmed(call, caller, body.email, hash);
    await ask(caller.uid, sql => sql`select service_private.link_guest(${caller.uid}, ${body.email}, ${hash})`);
    await revoked(caller.uid);
    await welcome(caller.uid, call.requestId);
    return sessions.begin(call, { uid: caller.uid, method: 'password', passwordHash: hash });
  }

  /** Answers alike and after the same time whether the address has an account or not. */
  async function linkOnceConfirmed(
    { requestId }: Call, { uid, session }: Caller, address: string, passwordHash: string,
  ): Promise<Reply> {
    await withConstantTime(async () => {
      const { token, hash } = tokens.make();
      const [to] = await ask(uid, sql => sql<Recipient[]>`
        select email, display_name as "displayName"
        from service_private.begin_guest_link(${uid}, ${session?.id ?? null}, ${address}, ${passwordHash}, ${hash},
          ${`${LIFETIMES.emailVerification} seconds`}::text::interval)`);
      if (to !== undefined) mail.sendLater('emailVerification', to, { token }, requestId);
    });
    return privateReply({ confirmationRequired: true });
  }

  function requireGuestsAllowed(): void {
    if (config.allowAnonymous && !closed) return;
    throw new ApiError(403, 'ANONYMOUS_AUTH_DISABLED', 'This deployment has no guests (ALLOW_ANONYMOUS).');
  }
}

/** Whatever else the body may be: a client that has a cookie need not send one. */
function tokenInBody(call: Call): string | undefined {
  try {
    const { refreshToken } = call.json();
    return typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined;
  } catch {
    return undefined;
  }
}

/** A client that learns that an address is taken learns that it has an account. */
function ofTaken(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'EMAIL_EXISTS')) throw error;
}

function noSession(): ApiError {
  return new ApiError(401, 'NO_SESSION', 'No refresh token was sent.');
}
