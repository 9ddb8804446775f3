import { privateReply } from '../../http/private-reply.ts';
import { type Call, type Reply } from '../../http/route.ts';
import { hashOf, newToken } from '../../identity/opaque-token.ts';
import { type AuthOptions } from './options.ts';
import { type RefreshCookie } from './refresh-cookie.ts';

/** What service.session_json returns. */
type Grant = { user: { uid: string; roles: string[]; isAnonymous: boolean }; session: { id: string; aal: string } };
export type SignIn = { uid: string; method: string; aal?: string; passwordHash?: string | null };

export type Sessions = {
  /** Signs in, and answers with the session. */
  begin: (call: Call, signIn: SignIn, status?: number) => Promise<Reply>;
  refresh: (call: Call, token: string) => Promise<Reply>;
};

/** Seconds in which a refresh token may come again: a client's answer was lost, or it has two tabs. */
const REUSE_WINDOW = 10;

export function createSessions({ ask, signAccessToken, config }: AuthOptions, cookie: RefreshCookie): Sessions {
  const lifetime = `${config.jwtRefreshExpiresIn} seconds`;

  return {
    async begin(call, { uid, method, aal = 'aal1', passwordHash = null }, status = 200) {
      const refreshToken = newToken();
      const [row] = await ask(uid, sql => sql<{ granted: Grant }[]>`
        select service.begin_session(${uid}, ${method}, ${hashOf(refreshToken)}, ${lifetime}::text::interval, ${agentOf(call)}, ${call.ip},
          ${passwordHash}, ${aal}) as granted`);
      return answer(row?.granted, refreshToken, status);
    },
    async refresh(call, token) {
      const refreshToken = newToken();
      const [row] = await ask(call.ip, sql => sql<{ granted: Grant }[]>`
        select service.refresh_session(${hashOf(token)}, ${hashOf(refreshToken)}, ${lifetime}::text::interval,
          ${`${REUSE_WINDOW} seconds`}::text::interval) as granted`);
      return answer(row?.granted, refreshToken, 200);
    },
  };

  async function answer(granted: Grant | undefined, refreshToken: string, status: number): Promise<Reply> {
    if (granted === undefined) throw new Error('No session was returned.');
    const { user, session } = granted;
    const { uid, roles, isAnonymous } = user;
    const { token, expiresAt } = await signAccessToken({ uid, roles, isAnonymous, sessionId: session.id, aal: session.aal });
    const tokens = { accessToken: token, refreshToken: cookie.isOn ? '' : refreshToken, accessTokenExpiresAt: expiresAt };
    return privateReply({ user, tokens }, { status, headers: cookie.set(refreshToken) });
  }
}

function agentOf(call: Call): string {
  return call.header('user-agent').replaceAll('\0', '') || 'unknown';
}
