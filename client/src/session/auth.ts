/** The account routes: each method is one request. */
import type { Options } from '../request.ts';
import { createSession, noSession, type SessionHolder, type SessionOptions } from './session.ts';
import type { Session, User } from './state.ts';

interface Captcha {
  /** The solved challenge, where the service asks for one. */
  captchaToken?: string;
}
export interface Credentials extends Captcha {
  email: string;
  password: string;
}
/** A device or a browser that is signed in. */
export interface OpenSession {
  id: string;
  userAgent: string;
  ipAddress: string;
  createdAt: string;
  isCurrentSession: boolean;
}

/** Methods that resolve with undefined in place of a session have sent a mail: the address is to be confirmed first. */
export interface Auth extends SessionHolder {
  /** POST /auth/register */
  register(body: Credentials & { displayName?: string }, options?: Options): Promise<Session | undefined>;
  /** POST /auth/login. @throws RowgateError MFA_REQUIRED, whose details `answerFactor` takes. */
  login(body: Credentials, options?: Options): Promise<Session>;
  /** POST /auth/anonymous: a guest. */
  anonymous(options?: Options): Promise<Session>;
  /** POST /auth/anonymous/link: the guest becomes an account. */
  linkAnonymous(body: Credentials, options?: Options): Promise<Session | undefined>;
  /** POST /auth/magic-link: mails a link. */
  sendMagicLink(body: { email: string } & Captcha, options?: Options): Promise<void>;
  /** POST /auth/magic-link/verify, with the token of the link. */
  verifyMagicLink(body: { token: string }, options?: Options): Promise<Session>;
  /** POST /auth/otp: mails a code of six digits. */
  sendCode(body: { email: string } & Captcha, options?: Options): Promise<void>;
  /** POST /auth/otp/verify */
  verifyCode(body: { email: string; code: string }, options?: Options): Promise<Session>;
  /**
   * POST /auth/mfa/challenge, then /auth/mfa/challenge/verify: goes on with a sign-in that was answered MFA_REQUIRED, or, without an
   * `mfaToken`, raises the session to two factors. `code`: of the app, or a recovery code.
   */
  answerFactor(answer: { factorId: string; code: string; mfaToken?: string }, options?: Options): Promise<Session>;

  /** POST /auth/forgot-password: mails a link. */
  forgotPassword(body: { email: string } & Captcha, options?: Options): Promise<void>;
  /** POST /auth/reset-password, which ends every session of the account. */
  resetPassword(body: { token: string; password: string }, options?: Options): Promise<void>;
  /** POST /auth/change-password, which ends every session, this one too. */
  changePassword(body: { oldPassword: string; newPassword: string }, options?: Options): Promise<void>;
  /** POST /auth/send-verification: mails a link. */
  sendVerification(options?: Options): Promise<void>;
  /** POST /auth/verify-email. With the password it signs in. */
  verifyEmail(body: { token: string; password?: string; removeUnproven?: boolean }, options?: Options): Promise<Session | undefined>;
  /** POST /auth/change-email: mails a link to the new address. */
  changeEmail(body: { newEmail: string }, options?: Options): Promise<{ pendingEmail: string; expiresAt: string }>;
  /** POST /auth/confirm-email-change */
  confirmEmailChange(body: { token: string }, options?: Options): Promise<void>;

  /** GET /auth/me */
  me(options?: Options): Promise<User>;
  /** PATCH /auth/me */
  updateMe(body: { displayName?: string; photoURL?: string }, options?: Options): Promise<User>;
  /** GET /auth/sessions */
  sessions(options?: Options): Promise<OpenSession[]>;
  /** DELETE /auth/sessions/:id */
  endSession(id: string, options?: Options): Promise<void>;
  /** DELETE /auth/sessions: all but this one. */
  endOtherSessions(options?: Options): Promise<void>;
}

/** Signs in and keeps the session; a client that has it as `auth` sends its token. */
export function createAuth(options: SessionOptions): Auth {
  const session = createSession(options);
  const { call, enter, token, forget } = session;
  const post = <Answer = void>(path: string, body?: object, sending?: Options): Promise<Answer> =>
    call<Answer>({ method: 'POST', path: [path], body }, sending);
  // The service answers these with a session, or refuses.
  const begin = async (path: string[], body?: object, sending?: Parameters<typeof enter>[1]): Promise<Session> =>
    await enter({ path, body }, sending) ?? noSession();

  return {
    ...session,
    register: (body, sending) => enter({ path: ['register'], body }, sending),
    login: (body, sending) => begin(['login'], body, sending),
    anonymous: sending => begin(['anonymous'], {}, sending),
    linkAnonymous: async (body, sending) => enter({ path: ['anonymous', 'link'], body }, { ...sending, bearer: await token() }),
    sendMagicLink: (body, sending) => post('magic-link', body, sending),
    verifyMagicLink: (body, sending) => begin(['magic-link', 'verify'], body, sending),
    sendCode: (body, sending) => post('otp', body, sending),
    verifyCode: (body, sending) => begin(['otp', 'verify'], body, sending),
    async answerFactor({ factorId, code, mfaToken }, sending) {
      const own = { ...sending, bearer: mfaToken ?? await token() };
      const { challengeId } = await call<{ challengeId: string }>({ method: 'POST', path: ['mfa', 'challenge'], body: { factorId } }, own);
      return begin(['mfa', 'challenge', 'verify'], { challengeId, code }, own);
    },

    forgotPassword: (body, sending) => post('forgot-password', body, sending),
    resetPassword: (body, sending) => post('reset-password', body, sending),
    async changePassword(body, sending) {
      await post('change-password', body, sending);
      forget();
    },
    sendVerification: sending => post('send-verification', undefined, sending),
    verifyEmail: async (body, sending) => enter({ path: ['verify-email'], body }, { ...sending, bearer: await token() }),
    changeEmail: (body, sending) => post('change-email', body, sending),
    confirmEmailChange: (body, sending) => post('confirm-email-change', body, sending),

    me: async sending => (await call<{ user: User }>({ method: 'GET', path: ['me'] }, sending)).user,
    updateMe: async (body, sending) => (await call<{ user: User }>({ method: 'PATCH', path: ['me'], body }, sending)).user,
    sessions: async sending => (await call<{ sessions: OpenSession[] }>({ method: 'GET', path: ['sessions'] }, sending)).sessions,
    endSession: (id, sending) => call({ method: 'DELETE', path: ['sessions', id] }, sending),
    endOtherSessions: sending => call({ method: 'DELETE', path: ['sessions'] }, sending),
  };
}
