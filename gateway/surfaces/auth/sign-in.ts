import { setTimeout } from 'node:timers/promises';
import { ApiError } from '../../error.ts';
import { errorReply } from '../../http/envelope.ts';
import { type Call, type Reply, type Route } from '../../http/route.ts';
import { answer } from './answer.ts';
import { email, optional, password, readBody, text } from '../../http/fields.ts';
import { type AuthOptions } from './options.ts';
import { requireStrong } from '../../identity/password-policy.ts';
import { type RefreshCookie } from './refresh-cookie.ts';
import { hashOf } from '../../identity/opaque-token.ts';
import { type Sessions } from './sessions.ts';
import { type MailedTokens } from '../../identity/mailed-tokens.ts';

type Means = { sessions: Sessions; tokens: MailedTokens; cookie: RefreshCookie };
type Registered = { uid: string };
type Credentials = { uid: string; password_hash: string | null; must_confirm: boolean; may_remind: boolean };

/** Milliseconds that registering takes at least where it must not tell whether there is such an account. */
const FLOOR = 400;

/** The refusals after which a cookie is of no more use. */
const OVER = new Set(['SESSION_REVOKED', 'TOKEN_EXPIRED', 'TOKEN_ALREADY_USED']);

/** Whoever they are, what they send is looked at: it says who they are. */
const admit = () => undefined;

/** From a password or a token to a session, and out of it. */
export function signInRoutes(options: AuthOptions, { sessions, tokens, cookie }: Means): Route[] {
  const { ask, passwords, config, callerOf, revoked, mail, limits, captcha } = options;
  const { allowRegistration: open, disableSelfRegistration: closed, production, defaultRole = null } = config;
  const confirmFirst = config.authRequireEmailVerification;
  return [
    { method: 'POST', path: '/auth/register', admit, handle: register },
    { method: 'POST', path: '/auth/login', admit, handle: login },
    { method: 'POST', path: '/auth/refresh', admit, handle: refresh },
    { method: 'POST', path: '/auth/logout', admit, handle: logout },
    { method: 'POST', path: '/auth/anonymous', handle: anonymous },
    { method: 'POST', path: '/auth/anonymous/link', admit, handle: linkGuest },
  ];

  async function register(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'default');
    await captcha.require(call, 'register');
    const body = readBody(call.json(), { email, password, displayName: optional(text(255)) });
    await ask(call.ip, sql => sql`select service.may_register(${open}, ${closed}, ${production})`);
    requireStrong(body.password);
    const hash = await passwords.hash(body.password);
    const making = ask(call.ip, sql => sql<Registered[]>`
      select service.register(${body.email}, ${hash}, ${body.displayName ?? null}, ${defaultRole},
        ${open}, ${closed}, ${production}) as uid`);
    if (!confirmFirst) {
      const uid = (await making)[0]?.uid ?? '';
      await welcome(uid, body.email, body.displayName);
      return sessions.begin(call, { uid, method: 'password', passwordHash: hash }, 201);
    }
    const floor = setTimeout(FLOOR);
    const [made] = await making.catch(ofTaken);
    if (made !== undefined) await welcome(made.uid, body.email, body.displayName);
    await floor;
    return answer({ confirmationRequired: true });
  }

  /** The address is yet to be confirmed. */
  async function welcome(uid: string, address: string, displayName: string | undefined): Promise<void> {
    if (!mail.configured) return;
    const to = { email: address.trim(), displayName: displayName ?? null };
    mail.sendLater('emailVerification', to, { token: await tokens.issue(uid, 'verification') });
    if (!confirmFirst) mail.sendLater('welcomeEmail', to, {});
  }

  async function login(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'default');
    await captcha.require(call, 'login');
    const body = readBody(call.json(), { email, password });
    const [known] = await ask(call.ip, sql => sql<Credentials[]>`
      select uid, password_hash, must_confirm, may_remind from service.credentials(${body.email})`);
    const isRight = await passwords.verify(body.password, known?.password_hash ?? null);
    if (known === undefined || !isRight) throw new ApiError(401, 'INVALID_CREDENTIALS', 'The address or the password is wrong.');
    if (confirmFirst && known.must_confirm) {
      if (known.may_remind) await welcome(known.uid, body.email, undefined);
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
      await ask(session.uid, sql => sql`select service.end_sessions(${session.uid}, ${session.session_id}::text::uuid)`);
      await revoked(session.uid);
    }
    return answer({ success: true }, cookie.clear());
  }

  async function sessionOf(call: Call, token: string) {
    const [found] = await ask(call.ip, sql => sql<{ uid: string; session_id: string }[]>`
      select uid, session_id::text from service.session_of_token(${hashOf(token)})`);
    return found;
  }

  async function sessionOfBearer(call: Call) {
    if (call.header('authorization') === '') throw noSession();
    const { kind, uid, session } = await callerOf(call);
    return kind === 'user' && session !== undefined ? { uid, session_id: session.id } : undefined;
  }

  async function anonymous(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    requireGuestsAllowed();
    const [made] = await ask(call.ip, sql => sql<Registered[]>`select service.create_guest(${defaultRole}) as uid`);
    return sessions.begin(call, { uid: made?.uid ?? '', method: 'anonymous' }, 201);
  }

  async function linkGuest(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    const caller = await callerOf(call);
    if (caller.kind === 'anonymous') throw new ApiError(401, 'UNAUTHORIZED', 'Sign in as a guest first.');
    await captcha.require(call, 'register');
    requireGuestsAllowed();
    if (closed) throw new ApiError(403, 'REGISTRATION_DISABLED', 'Registration is closed.');
    if (caller.claims[2] !== 'true') throw new ApiError(400, 'NOT_ANONYMOUS', 'Only a guest can be turned into an account.');
    const body = readBody(call.json(), { email, password });
    requireStrong(body.password);
    const hash = await passwords.hash(body.password);
    await ask(caller.uid, sql => sql`select service.link_guest(${caller.uid}, ${body.email}, ${hash})`);
    await revoked(caller.uid);
    await welcome(caller.uid, body.email, undefined);
    return sessions.begin(call, { uid: caller.uid, method: 'password', passwordHash: hash });
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

/** Whoever is told that an address is taken knows that it has an account. */
function ofTaken(error: unknown): [] {
  if (error instanceof ApiError && error.code === 'EMAIL_EXISTS') return [];
  throw error;
}

function noSession(): ApiError {
  return new ApiError(401, 'NO_SESSION', 'No refresh token was sent.');
}
