import type { Logger } from 'pino';
import type { AccountQuery } from '../../identity/accounts.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Audience, ClientBearer } from '../../identity/oauth-tokens.ts';
import type { Permissions } from '../../identity/permissions.ts';
import type { Limits } from '../../limits/limits.ts';
import type { Config } from '../config.ts';
import type { Clients } from './clients.ts';
import type { OpenId } from './open-id.ts';
import type { RequestTokens } from './request-tokens.ts';
import type { Scopes } from './scopes.ts';

export type OAuthOptions = {
  config: Pick<Config,
    'basePath' | 'appName' | 'mcpOpenRegistration' | 'authCookie' | 'captchaProvider' | 'captchaSiteKey' | 'captchaRoutes'>;
  audience: Audience;
  ask: AccountQuery;
  identity: Pick<Identity, 'caller' | 'client'>;
  permissions: Pick<Permissions, 'scopes'>;
  limits: Limits;
  clients: Clients;
  scopes: Scopes;
  requestTokens: RequestTokens;
  signAccessToken: (bearer: ClientBearer) => Promise<string>;
  /** Undefined without a private key. */
  openId: OpenId | undefined;
  /** Resolves once every process of this start has dropped the account's cached tokens. */
  revoked: (uid: string) => Promise<void>;
  log: Logger;
};
