import { audienceOf, createClientTokens } from '../../identity/oauth-tokens.ts';
import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { authorizeRoutes } from './authorize.ts';
import { clientDocuments } from './client-documents.ts';
import { createClients } from './clients.ts';
import { grantRoutes } from './grants.ts';
import { metadataRoutes } from './metadata.ts';
import { openIdOf } from './open-id.ts';
import type { OAuthOptions } from './options.ts';
import { registerRoute } from './register.ts';
import { createRequestTokens } from './request-tokens.ts';
import { createScopes } from './scopes.ts';
import { tokenRoutes } from './token.ts';
import { userInfoRoutes } from './user-info.ts';

export function open({ config, secrets, ask, identity, permissions, limits, revoked, log }: Context): Opened {
  const audience = audienceOf(config.publicUrl ?? '');
  const openId = openIdOf(config, audience.issuer);
  const options: OAuthOptions = {
    config, audience, openId, scopes: createScopes(openId !== undefined), ask, identity, permissions, limits, revoked, log,
    clients: createClients(ask, clientDocuments(config.mcpClientHosts)),
    requestTokens: createRequestTokens(secrets.jwtSecret),
    signAccessToken: createClientTokens(secrets.jwtSecret, audience),
  };
  return {
    routes: [
      ...metadataRoutes(options), registerRoute(options), ...authorizeRoutes(options), ...tokenRoutes(options), ...grantRoutes(options),
      ...userInfoRoutes(options),
    ],
  };
}
