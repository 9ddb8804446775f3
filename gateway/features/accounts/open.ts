import { createAccessTokens } from '../../identity/access-tokens.ts';
import { createMfaTokens } from '../../identity/mfa-tokens.ts';
import { DEFAULT_SOURCE } from '../../blobs/store.ts';
import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { openCaptcha } from './captcha/open.ts';
import { createFirstAdmin } from './first-admin.ts';
import { keysRoutes } from './keys/routes.ts';
import { authRoutes } from './routes.ts';
import { openSealing, warnOfSharedSecret } from './sealing-key.ts';
import { usersRoutes } from './users/routes.ts';

export async function open(context: Context): Promise<Opened> {
  const { config, secrets, ask, passwords, isFirst, log } = context;
  if (isFirst) {
    await createFirstAdmin(config, ask, passwords, log);
    warnOfSharedSecret(config, log);
  }
  return { routes: [...signIn(context), ...management(context)] };

  function signIn({ identity, permissions, callerOf, revoked, mail, limits }: Context) {
    const signing = config.signingKeys.find(({ kid }) => kid === config.activeKid);
    return authRoutes({
      config, identity, permissions, callerOf, ask, passwords, revoked, mail, limits,
      captcha: openCaptcha(config, log),
      signAccessToken: createAccessTokens(secrets.jwtSecret, signing, config.jwtAccessExpiresIn),
      mfaTokens: createMfaTokens(secrets.jwtSecret),
      sealing: openSealing(config, secrets),
    });
  }
}

function management({ config, database, permissions, callerOf, requireScope, ask, passwords, revoked, mail, lent }: Context) {
  const sources = lent.storageSources ?? [DEFAULT_SOURCE];
  const targets = () => ({ collections: database.catalog.current.document.collections, sources });
  return [
    ...usersRoutes({ requireScope, callerOf }, { ask, passwords, revoked, permissions, mail, production: config.production }),
    ...keysRoutes(requireScope, { ask, permissions, revoked, targets }),
  ];
}
