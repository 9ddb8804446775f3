import { randomInt } from 'node:crypto';
import type { CaptchaRoute } from './captcha/captcha.ts';
import { ApiError } from '../../error.ts';
import { email, flag, optional, password, readBody, token } from '../../http/fields.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { refuseKey } from '../../identity/api-keys.ts';
import type { MailedTokens } from '../../identity/mailed-tokens.ts';
import { hashOf } from '../../identity/opaque-token.ts';
import { requireStrong } from '../../identity/password-policy.ts';
import { LIFETIMES } from '../../mail/lifetimes.ts';
import { done } from './done.ts';
import { withConstantTime } from './constant-time.ts';
import type { AuthOptions } from './options.ts';
import { admitAny, requireDeliverable, requirePerson } from './person.ts';
import { wrongCode, type Sessions } from './sessions.ts';

const CODE: typeof token = {
  expected: 'must be a code of six digits',
  read: given => typeof given === 'string' && /^\d{6}$/.test(given) ? given : undefined,
};

const CODE_LIFETIME = { expiresInSeconds: LIFETIMES.emailOtp };

type Account = { email: string; emailVerified: boolean };
type Change = { pendingEmail: string; expiresAt: string; isTaken: boolean; email: string; displayName: string | null };
type Owner = { uid: string };

/** Routes of mailed links and codes: asking for them, and redeeming them. */
export function mailedRoutes(options: AuthOptions, sessions: Sessions, tokens: MailedTokens): Route[] {
  const { ask, config, passwords, callerOf, revoked, mail, limits, captcha } = options;
  const unlinks = config.settingsFile.auth?.unlinkIdentities ?? true;
  return [
    { method: 'POST', path: '/auth/forgot-password', admit: admitAny, handle: quietly('forgotPassword', 'recipient', forgotten) },
    { method: 'POST', path: '/auth/magic-link', admit: admitAny, handle: quietly('magicLink', 'recipient', magicLink, 'magic-link') },
    { method: 'POST', path: '/auth/otp', admit: admitAny, handle: quietly('emailOtp', 'otpSend', code, 'otp', CODE_LIFETIME) },
    { method: 'POST', path: '/auth/reset-password', admit: admitAny, handle: reset },
    { method: 'POST', path: '/auth/magic-link/verify', admit: admitAny, handle: followMagicLink },
    { method: 'POST', path: '/auth/otp/verify', admit: admitAny, handle: enterCode },
    { method: 'POST', path: '/auth/send-verification', handle: sendVerification },
    { method: 'GET', path: '/auth/verify-email', handle: openVerification },
    { method: 'POST', path: '/auth/verify-email', admit: admitAny, handle: confirmVerification },
    { method: 'POST', path: '/auth/change-email', admit: admitAny, handle: changeEmail },
    { method: 'POST', path: '/auth/confirm-email-change', admit: admitAny, handle: confirmEmailChange },
  ];

  /** Answers alike and after the same time whether there is such an account or not; the mail goes its own way. */
  function quietly(
    route: CaptchaRoute, limiter: 'recipient' | 'otpSend', send: (uid: string, address: string, requestId: string) => Promise<void>,
    signsInBy?: string, more: object = {},
  ): Route['handle'] {
    return async call => {
      await limits.perAddress(call, 'strict');
      await captcha.require(call, route);
      const { email: address } = readBody(call.json(), { email });
      await limits.perSubject(call, limiter, address);
      requireMail();
      if (signsInBy !== undefined) await ask(call.ip, sql => sql`select service_private.before_login(${address}, ${signsInBy})`);
      await withConstantTime(async () => {
        const [known] = await ask(call.ip, sql => sql<Owner[]>`select uid from service_private.reachable_account(${address})`);
        if (known !== undefined) await send(known.uid, address, call.requestId);
      });
      return privateReply({ success: true, message: 'If there is an account with this address, a mail is on its way.', ...more });
    };
  }

  async function forgotten(uid: string, _: string, requestId: string): Promise<void> {
    const { token, to } = await tokens.issue(uid, 'password-reset');
    mail.sendLater('passwordReset', to, { token }, requestId);
  }

  async function magicLink(uid: string, _: string, requestId: string): Promise<void> {
    const { token, to } = await tokens.issue(uid, 'magic-link');
    mail.sendLater('magicLink', to, { token }, requestId);
  }

  async function code(uid: string, address: string, requestId: string): Promise<void> {
    const digits = String(randomInt(1_000_000)).padStart(6, '0');
    mail.sendLater('emailOtp', await tokens.keep(uid, 'otp', hashOfCode(address, digits)), { code: digits }, requestId);
  }

  async function reset(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    const body = readBody(call.json(), { token, password });
    requireStrong(body.password);
    const hash = await passwords.hash(body.password);
    const [owner] = await ask(call.ip, sql => sql<Owner[]>`
      select service_private.reset_password(${hashOf(body.token)}, ${hash}, ${unlinks}) as uid`);
    await revoked(owner?.uid ?? '');
    return done('The password was set, and every session ended.');
  }

  async function followMagicLink(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    const body = readBody(call.json(), { token });
    return proven(call, 'magic-link', hashOf(body.token));
  }

  async function enterCode(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    const body = readBody(call.json(), { email, code: CODE });
    await limits.perSubject(call, 'otpVerify', body.email);
    return proven(call, 'otp', hashOfCode(body.email, body.code)).catch((error: unknown) => {
      const isOfToken = error instanceof ApiError && ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'TOKEN_ALREADY_USED'].includes(error.code);
      throw isOfToken ? wrongCode() : error;
    });
  }

  async function proven(call: Call, method: 'magic-link' | 'otp', hash: Buffer): Promise<Reply> {
    const [owner] = await ask(call.ip, sql => sql<Owner[]>`select service_private.prove_by_token(${hash}, ${method}, ${unlinks}) as uid`);
    const uid = owner?.uid ?? '';
    await revoked(uid);
    return sessions.begin(call, { uid, method });
  }

  async function sendVerification(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    const { uid } = await requirePerson(call, callerOf);
    await limits.perSubject(call, 'verificationMail', uid);
    requireMail();
    const [known] = await ask(uid, sql => sql<{ user: Account }[]>`
      select service_private.account(${uid}, null) as user`);
    const { email: address = '', emailVerified = false } = known?.user ?? {};
    if (emailVerified) throw new ApiError(400, 'ALREADY_VERIFIED', 'The address is verified already.');
    requireDeliverable(address);
    const { token, to } = await tokens.issue(uid, 'verification');
    await mail.send('emailVerification', to, { token }, call.requestId);
    return done('A mail with a link is on its way.');
  }

  /** A mail scanner opens links too: by itself this says only that mail arrives there. */
  async function openVerification(call: Call): Promise<Reply> {
    const { token: sent } = readBody({ token: new URLSearchParams(call.query).get('token') ?? undefined }, { token });
    const uid = await personOf(call);
    const [owner] = await ask(call.ip, sql => sql<Owner[]>`select service_private.verify_email(${hashOf(sent)}, ${uid}) as uid`);
    await revoked(owner?.uid ?? '');
    return done('The address is verified.');
  }

  async function confirmVerification(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    const body = readBody(call.json(), { token, password: optional(password), removeUnproven: optional(flag) });
    const hash = hashOf(body.token);
    const own = await personOf(call);
    const isRight = body.password !== undefined && await isPasswordOf(call, hash, body.password);
    if (body.password !== undefined && !isRight) throw new ApiError(401, 'INVALID_CREDENTIALS', 'The password is wrong.');
    const [row] = await ask(call.ip, sql => sql<{ confirmed: { uid: string; passwordRemoved: boolean } }[]>`
      select service_private.confirm_email(${hash}, ${own}, ${isRight}, ${body.removeUnproven ?? false}, ${unlinks}) as confirmed`);
    const { uid = '', passwordRemoved = false } = row?.confirmed ?? {};
    await revoked(uid);
    if (isRight) return sessions.begin(call, { uid, method: 'password' });
    return privateReply({ success: true, message: 'The address is verified.', ...(passwordRemoved && { passwordRemoved }) });
  }

  async function isPasswordOf(call: Call, hash: Buffer, sent: string): Promise<boolean> {
    const [row] = await ask(call.ip, sql => sql<{ known: string | null }[]>`
      select service_private.password_of_token(${hash}) as known`);
    return passwords.verify(sent, row?.known ?? null);
  }

  async function changeEmail(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    const { uid, session } = await requirePerson(call, callerOf);
    await limits.perSubject(call, 'verificationMail', uid);
    requireMail();
    const body = readBody(call.json(), { newEmail: email });
    requireDeliverable(body.newEmail);
    const { token: made, hash } = tokens.make();
    const [row] = await ask(uid, sql => sql<{ change: Change }[]>`
      select service_private.begin_email_change(${uid}, ${session?.id ?? null}, ${body.newEmail}, ${hash},
        ${`${LIFETIMES.emailChange} seconds`}::text::interval, ${config.authRequireEmailVerification}) as change`);
    if (row === undefined) throw new Error('service_private.begin_email_change() returned nothing.');
    const { pendingEmail, expiresAt, isTaken, email: before, displayName } = row.change;
    if (!isTaken) mail.sendLater('emailChange', { email: pendingEmail, displayName }, { token: made }, call.requestId);
    mail.sendLater('emailChangeNotice', { email: before, displayName }, { newEmail: pendingEmail }, call.requestId);
    return privateReply({ success: true, pendingEmail, expiresAt });
  }

  async function confirmEmailChange(call: Call): Promise<Reply> {
    await limits.perAddress(call, 'strict');
    const body = readBody(call.json(), { token });
    const own = await personOf(call);
    const [row] = await ask(call.ip, sql => sql<{ changed: { user: Owner } }[]>`
      select service_private.confirm_email_change(${hashOf(body.token)}, ${own}, ${unlinks}) as changed`);
    await revoked(row?.changed.user.uid ?? '');
    return privateReply({ success: true, ...row?.changed });
  }

  /** The account of a request that needs no session, if it has one. */
  async function personOf(call: Call): Promise<string | null> {
    if (call.header('authorization') === '') return null;
    const caller = await callerOf(call);
    refuseKey(caller);
    const { kind, uid } = caller;
    return kind === 'user' ? uid : null;
  }

  function requireMail(): void {
    if (!mail.configured) throw new ApiError(503, 'EMAIL_NOT_CONFIGURED', 'This deployment sends no mail (SMTP_HOST).');
  }
}

/** With the address: a million codes alone would be tried out of what is stored in no time. */
function hashOfCode(address: string, digits: string): Buffer {
  return hashOf(`otp:${address}:${digits}`);
}
