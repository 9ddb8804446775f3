import { ApiError } from '../../error.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply } from '../../http/route.ts';
import type { PendingSignIn } from '../../identity/mfa-tokens.ts';
import { hashOf, newToken } from '../../identity/opaque-token.ts';
import type { AuthOptions } from './options.ts';
import type { RefreshCookie } from './refresh-cookie.ts';

/** The result of service_private.session_json. */
type Grant = { user: { uid: string; roles: string[]; isAnonymous: boolean }; session: { id: string; aal: string }; claims: object };
export type SignIn = { uid: string; method: string; passwordHash?: string | null };
/** The answer to a challenge: the time step of a code (30 seconds; undefined: no code of the factor), or a recovery code (SHA-256). */
export type CodeSignIn = { uid: string; challengeId: string; timeStep?: number | undefined; recoveryCode?: Buffer };

/** A passkey whose signature was verified, with its counter. */
export type PasskeySignIn = { uid: string; id: string; counter: number; isBackedUp: boolean };

export type Sessions = {
  /** Signs in, and answers with the session. @throws ApiError 401 MFA_REQUIRED where a second factor is required first. */
  begin: (call: Call, signIn: SignIn, status?: number) => Promise<Reply>;
  /** Signs in by a second factor. @throws ApiError 401 INVALID_CODE. */
  beginByCode: (call: Call, signIn: CodeSignIn) => Promise<Reply>;
  /** Signs in by a passkey, which is two factors. `refuse` makes the error of one whose counter went back. */
  beginByPasskey: (call: Call, signIn: PasskeySignIn, refuse: (reason: Error) => ApiError) => Promise<Reply>;
  /**
   * Rotates a refresh token: a new session token and a new refresh token.
   * @throws ApiError 401 INVALID_TOKEN, TOKEN_EXPIRED, TOKEN_ALREADY_USED, SESSION_REVOKED.
   */
  refresh: (call: Call, token: string) => Promise<Reply>;
};

/** Seconds in which a refresh token may come again, unless settings say otherwise: an answer was lost, or there are two tabs. */
const REUSE_WINDOW = 10;

export function createSessions({ ask, signAccessToken, mfaTokens, config }: AuthOptions, cookie: RefreshCookie): Sessions {
  const lifetime = `${config.jwtRefreshExpiresIn} seconds`;
  const reuseWindow = `${config.settingsFile.auth?.refreshTokenReuseIntervalSeconds ?? REUSE_WINDOW} seconds`;

  return {
    async begin(call, { uid, method, passwordHash = null }, status = 200) {
      const refreshToken = newToken();
      const [row] = await ask(uid, sql => sql<{ granted: Grant }[]>`
        select service_private.begin_session(${uid}, ${method}, ${hashOf(refreshToken)}, ${lifetime}::text::interval, ${agentOf(call)},
          ${call.ip},
          ${passwordHash}) as granted`).catch((error: unknown) => waitForSecondFactor(uid, error));
      return answer(row?.granted, refreshToken, status);
    },
    async beginByCode(call, { uid, challengeId, timeStep = null, recoveryCode = null }) {
      const refreshToken = newToken();
      const [row] = await ask(uid, sql => sql<{ granted: Grant | null }[]>`
        select service_private.begin_second_factor_session(${uid}, ${challengeId}, ${timeStep}, ${recoveryCode}, ${hashOf(refreshToken)},
          ${lifetime}::text::interval, ${agentOf(call)}, ${call.ip}) as granted`);
      if (row?.granted === null) throw wrongCode();
      return answer(row?.granted, refreshToken, 200);
    },
    async beginByPasskey(call, { uid, id, counter, isBackedUp }, refuse) {
      const refreshToken = newToken();
      const [row] = await ask(uid, sql => sql<{ granted: Grant | null }[]>`
        select service_private.begin_passkey_session(${id}, ${counter}, ${isBackedUp}, ${hashOf(refreshToken)}, ${lifetime}::text::interval,
          ${agentOf(call)}, ${call.ip}) as granted`);
      if (row?.granted === null) throw refuse(new Error('its counter went back, or it is gone'));
      return answer(row?.granted, refreshToken, 200);
    },
    async refresh(call, token) {
      const refreshToken = newToken();
      const [row] = await ask(call.ip, sql => sql<{ granted: Grant }[]>`
        select service_private.refresh_session(${hashOf(token)}, ${hashOf(refreshToken)}, ${lifetime}::text::interval,
          ${reuseWindow}::text::interval) as granted`);
      return answer(row?.granted, refreshToken, 200);
    },
  };

  /** The refusal, with a token that continues the sign-in. */
  async function waitForSecondFactor(uid: string, error: unknown): Promise<never> {
    if (!(error instanceof ApiError && error.code === 'MFA_REQUIRED')) throw error;
    const { factors, tokensValidAfter } = error.details as { factors: object[] } & Pick<PendingSignIn, 'tokensValidAfter'>;
    throw new ApiError(error.status, error.code, error.message, { mfaToken: await mfaTokens.issue({ uid, tokensValidAfter }), factors });
  }

  async function answer(granted: Grant | undefined, refreshToken: string, status: number): Promise<Reply> {
    if (granted === undefined) throw new Error('No session was returned.');
    const { user, session, claims } = granted;
    const { uid, roles, isAnonymous } = user;
    const { token, expiresAt } = await signAccessToken({ uid, roles, isAnonymous, sessionId: session.id, aal: session.aal, claims });
    const tokens = { accessToken: token, refreshToken: cookie.isOn ? '' : refreshToken, accessTokenExpiresAt: expiresAt };
    return privateReply({ user, tokens }, { status, headers: cookie.set(refreshToken) });
  }
}

/** Also of one that was used: it is not told which. */
export function wrongCode(): ApiError {
  return new ApiError(401, 'INVALID_CODE', 'The code is wrong, or no longer good.');
}

function agentOf(call: Call): string {
  return call.header('user-agent').replaceAll('\0', '') || 'unknown';
}
