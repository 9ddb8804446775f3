import { ApiError } from '../../error.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { mailedTokens } from '../../identity/mailed-tokens.ts';
import type { AuthOptions } from './options.ts';
import { mailedRoutes } from './mailed.ts';
import { ownAccountRoutes } from './own-account.ts';
import { createRefreshCookie } from './refresh-cookie.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { relyingParty } from './passkeys/relying-party.ts';
import { linkRoutes } from './providers/link-routes.ts';
import { providerRoutes } from './providers/routes.ts';
import { secondFactorRoutes } from './second-factors.ts';
import { createSessions } from './sessions.ts';
import { signInRoutes } from './sign-in.ts';
import type { Identity } from '../../identity/identity.ts';
import { createWelcome } from './welcome.ts';

export function authRoutes(options: AuthOptions): Route[] {
  const cookie = createRefreshCookie(options.config);
  const sessions = createSessions(options, cookie);
  const tokens = mailedTokens(options.ask);
  const welcome = createWelcome(options, tokens);
  return [
    publicKeysRoute(options.identity),
    { method: 'GET', path: '/auth/config', handle: () => capabilities(options) },
    { method: 'GET', path: '/auth/scopes', handle: call => scopes(call, options) },
    ...signInRoutes(options, { sessions, tokens, cookie, welcome }),
    ...mailedRoutes(options, sessions, tokens),
    ...ownAccountRoutes(options),
    ...secondFactorRoutes(options, sessions),
    ...providerRoutes(options, sessions, welcome),
    ...linkRoutes(options, welcome),
    ...passkeyRoutes(options, sessions),
  ];
}

/** Lists the scopes there are, and those of the caller. */
async function scopes(call: Call, { callerOf, permissions }: AuthOptions): Promise<Reply> {
  const caller = await callerOf(call);
  if (caller.kind === 'anonymous') throw new ApiError(401, 'UNAUTHORIZED', 'Sign in to use this route.');
  return privateReply({ scopes: permissions.scopes, held: permissions.held(caller) });
}

/** The options that a sign-in page can offer. */
async function capabilities({ ask, config, mail, providers }: AuthOptions): Promise<Reply> {
  const { allowRegistration, disableSelfRegistration, allowAnonymous, production } = config;
  const { captchaProvider: provider, captchaSiteKey, captchaRoutes } = config;
  const party = relyingParty(config);
  const [row] = await ask('config', sql => sql<{ people: boolean }[]>`select service_private.has_people() as people`);
  const isEmpty = row?.people === false;
  const offers = await providers.offers();
  return privateReply({
    hasBuiltInAuthRoutes: true,
    emailPasswordLogin: true,
    registrationEnabled: !disableSelfRegistration && (allowRegistration || (isEmpty && !production)),
    passwordReset: mail.configured,
    adminPasswordReset: true,
    sessionManagement: true,
    profileUpdate: true,
    emailVerification: mail.configured,
    magicLink: mail.configured && config.authMagicLink,
    emailOtp: mail.configured && config.authEmailOtp,
    anonymousLogin: allowAnonymous && !disableSelfRegistration,
    enabledProviders: offers.map(({ name }) => name),
    providers: offers,
    passkeys: party !== undefined,
    passkeyDomain: party?.id ?? null,
    captcha: provider === undefined ? null : { provider, siteKey: captchaSiteKey ?? null, routes: captchaRoutes },
    needsSetup: isEmpty && !production,
  });
}

export function publicKeysRoute({ jwks }: Pick<Identity, 'jwks'>): Route {
  return { method: 'GET', path: '/.well-known/jwks.json', root: true, isOpen: true, handle: () => publicKeys(jwks()) };
}

/** Five minutes: the time a new signing key needs to be published before tokens are signed with it. */
function publicKeys(keys: object): Reply {
  return { headers: { 'cache-control': 'public, max-age=300' }, body: JSON.stringify(keys) };
}
