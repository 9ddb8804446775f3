/** The account routes: each method is one request. */
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
  register(body: Credentials & { displayName?: string }): Promise<Session | undefined>;
  /** POST /auth/login. @throws RowgateError MFA_REQUIRED, whose details `answerFactor` takes. */
  login(body: Credentials): Promise<Session>;
  /** POST /auth/anonymous: a guest. */
  anonymous(): Promise<Session>;
  /** POST /auth/anonymous/link: the guest becomes an account. */
  linkAnonymous(body: Credentials): Promise<Session | undefined>;
  /** POST /auth/magic-link: mails a link. */
  sendMagicLink(body: { email: string } & Captcha): Promise<void>;
  /** POST /auth/magic-link/verify, with the token of the link. */
  verifyMagicLink(body: { token: string }): Promise<Session>;
  /** POST /auth/otp: mails a code of six digits. */
  sendCode(body: { email: string } & Captcha): Promise<void>;
  /** POST /auth/otp/verify */
  verifyCode(body: { email: string; code: string }): Promise<Session>;
  /**
   * POST /auth/mfa/challenge, then /auth/mfa/challenge/verify: goes on with a sign-in that was answered MFA_REQUIRED, or, without an
   * `mfaToken`, raises the session to two factors. `code`: of the app, or a recovery code.
   */
  answerFactor(answer: { factorId: string; code: string; mfaToken?: string }): Promise<Session>;

  /** POST /auth/forgot-password: mails a link. */
  forgotPassword(body: { email: string } & Captcha): Promise<void>;
  /** POST /auth/reset-password, which ends every session of the account. */
  resetPassword(body: { token: string; password: string }): Promise<void>;
  /** POST /auth/change-password, which ends every session, this one too. */
  changePassword(body: { oldPassword: string; newPassword: string }): Promise<void>;
  /** POST /auth/send-verification: mails a link. */
  sendVerification(): Promise<void>;
  /** POST /auth/verify-email. With the password it signs in. */
  verifyEmail(body: { token: string; password?: string; removeUnproven?: boolean }): Promise<Session | undefined>;
  /** POST /auth/change-email: mails a link to the new address. */
  changeEmail(body: { newEmail: string }): Promise<{ pendingEmail: string; expiresAt: string }>;
  /** POST /auth/confirm-email-change */
  confirmEmailChange(body: { token: string }): Promise<void>;

  /** GET /auth/me */
  me(): Promise<User>;
  /** PATCH /auth/me */
  updateMe(body: { displayName?: string; photoURL?: string }): Promise<User>;
  /** GET /auth/sessions */
  sessions(): Promise<OpenSession[]>;
  /** DELETE /auth/sessions/:id */
  endSession(id: string): Promise<void>;
  /** DELETE /auth/sessions: all but this one. */
  endOtherSessions(): Promise<void>;
}

/** Signs in and keeps the session; a client that has it as `auth` sends its token. */
export function createAuth(options: SessionOptions): Auth {
  const session = createSession(options);
  const { call, enter, token, forget } = session;
  const post = async <Answer = void>(path: string, body?: object): Promise<Answer> => call<Answer>('POST', path, body);
  // The service answers these with a session, or refuses.
  const begin = async (...request: Parameters<typeof enter>): Promise<Session> => await enter(...request) ?? noSession();

  return {
    ...session,
    register: body => enter('/auth/register', body),
    login: body => begin('/auth/login', body),
    anonymous: () => begin('/auth/anonymous'),
    linkAnonymous: async body => enter('/auth/anonymous/link', body, await token()),
    sendMagicLink: body => post('/auth/magic-link', body),
    verifyMagicLink: body => begin('/auth/magic-link/verify', body),
    sendCode: body => post('/auth/otp', body),
    verifyCode: body => begin('/auth/otp/verify', body),
    async answerFactor({ factorId, code, mfaToken }) {
      const bearer = mfaToken ?? await token();
      const { challengeId } = await call<{ challengeId: string }>('POST', '/auth/mfa/challenge', { factorId }, bearer);
      return begin('/auth/mfa/challenge/verify', { challengeId, code }, bearer);
    },

    forgotPassword: body => post('/auth/forgot-password', body),
    resetPassword: body => post('/auth/reset-password', body),
    async changePassword(body) {
      await post('/auth/change-password', body);
      forget();
    },
    sendVerification: () => post('/auth/send-verification'),
    verifyEmail: async body => enter('/auth/verify-email', body, await token()),
    changeEmail: body => post('/auth/change-email', body),
    confirmEmailChange: body => post('/auth/confirm-email-change', body),

    me: async () => (await call<{ user: User }>('GET', '/auth/me')).user,
    updateMe: async body => (await call<{ user: User }>('PATCH', '/auth/me', body)).user,
    sessions: async () => (await call<{ sessions: OpenSession[] }>('GET', '/auth/sessions')).sessions,
    endSession: id => call('DELETE', `/auth/sessions/${encodeURIComponent(id)}`),
    endOtherSessions: () => call('DELETE', '/auth/sessions'),
  };
}
