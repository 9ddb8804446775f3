import type { Logger } from 'pino';
import type { Captcha } from './captcha/captcha.ts';
import type { Config } from '../config.ts';
import type { Call } from '../../http/route.ts';
import type { AccessToken, Bearer } from '../../identity/access-tokens.ts';
import type { AccountQuery } from '../../identity/accounts.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Identity } from '../../identity/identity.ts';
import type { MfaTokens } from '../../identity/mfa-tokens.ts';
import type { Permissions } from '../../identity/permissions.ts';
import type { Passwords } from '../../identity/passwords.ts';
import type { Sealing } from '../../identity/sealing.ts';
import type { Limits } from '../../limits/limits.ts';
import type { Mail } from '../../mail/mail.ts';

import type { SignInProviders } from './providers/providers.ts';

export type AuthConfig = Pick<Config,
  'production' | 'allowedOrigins' | 'allowRegistration' | 'disableSelfRegistration' | 'allowAnonymous' | 'defaultRole' |
  'jwtRefreshExpiresIn' | 'authRequireEmailVerification' | 'authMagicLink' | 'authEmailOtp' | 'authCookie' | 'authCookieSameSite' |
  'authCookieSecure' | 'authAllowedRedirectUris' | 'webauthnRpId' | 'webauthnOrigins' | 'frontendUrl' | 'publicUrl' | 'appName' |
  'settingsFile' | 'captchaProvider' | 'captchaSiteKey' | 'captchaRoutes' | 'mcp' | 'auth' | 'basePath'>;

export type AuthOptions = {
  config: AuthConfig;
  identity: Pick<Identity, 'jwks'>;
  ask: AccountQuery;
  passwords: Passwords;
  permissions: Pick<Permissions, 'scopes' | 'held'>;
  signAccessToken: (bearer: Bearer) => Promise<AccessToken>;
  mfaTokens: MfaTokens;
  /** Encrypts the secrets of second factors. */
  sealing: Sealing;
  /** Resolves once every process of this start has dropped the account's cached tokens. */
  revoked: (uid: string) => Promise<void>;
  callerOf: (call: Call) => Caller | Promise<Caller>;
  mail: Mail;
  limits: Limits;
  captcha: Captcha;
  providers: SignInProviders;
  log: Logger;
};
