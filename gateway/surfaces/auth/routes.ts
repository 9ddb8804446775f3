import { type Reply, type Route } from '../../http/route.ts';
import { answer } from './answer.ts';
import { type AuthOptions } from './options.ts';
import { ownAccountRoutes } from './own-account.ts';
import { publicKeysRoute } from './public-keys.ts';
import { createRefreshCookie } from './refresh-cookie.ts';
import { createSessions } from './sessions.ts';
import { signInRoutes } from './sign-in.ts';

export function authRoutes(options: AuthOptions): Route[] {
  const cookie = createRefreshCookie(options.config);
  const sessions = createSessions(options, cookie);
  return [
    publicKeysRoute(options.identity),
    { method: 'GET', path: '/auth/config', handle: () => capabilities(options) },
    ...signInRoutes(options, sessions, cookie),
    ...ownAccountRoutes(options),
  ];
}

/** What a sign-in page is to offer. */
async function capabilities({ ask, config }: AuthOptions): Promise<Reply> {
  const { allowRegistration, disableSelfRegistration, allowAnonymous, production } = config;
  const [row] = await ask('config', sql => sql<{ people: boolean }[]>`select service.has_people() as people`);
  const isEmpty = row?.people === false;
  return answer({
    hasBuiltInAuthRoutes: true,
    emailPasswordLogin: true,
    registrationEnabled: !disableSelfRegistration && (allowRegistration || (isEmpty && !production)),
    passwordReset: false,
    adminPasswordReset: false,
    sessionManagement: true,
    profileUpdate: true,
    emailVerification: false,
    magicLink: false,
    emailOtp: false,
    anonymousLogin: allowAnonymous && !disableSelfRegistration,
    enabledProviders: [],
    needsSetup: isEmpty && !production,
  });
}
