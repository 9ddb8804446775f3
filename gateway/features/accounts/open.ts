import { createAccessTokens } from '../../identity/access-tokens.ts';
import { createMfaTokens } from '../../identity/mfa-tokens.ts';
import { DEFAULT_SOURCE } from '../../blobs/store.ts';
import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { isServed } from '../role.ts';
import { openProviders } from './providers/providers.ts';
import { openCaptcha } from './captcha/open.ts';
import { createFirstAdmin } from './first-admin.ts';
import { keysRoutes } from './keys/routes.ts';
import { authRoutes } from './routes.ts';
import { ownRoutes } from './users/own-routes.ts';
import { usersRoutes } from './users/routes.ts';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createSealing, type Sealing } from '../../identity/sealing.ts';
import type { Secrets } from '../../identity/secrets.ts';

export async function open(context: Context): Promise<Opened> {
  const { config, secrets, ask, passwords, isFirst, log } = context;
  const lends = { userRoutes: ownRoutes(context) };
  if (!isServed({}, config)) return { lends };
  if (isFirst) {
    await createFirstAdmin(config, ask, passwords, log);
    warnOfSharedSecret(config, log);
  }
  return { routes: [...signIn(context), ...management(context)], lends };

  function signIn({ identity, permissions, callerOf, revoked, mail, limits }: Context) {
    const signing = config.signingKeys.find(({ kid }) => kid === config.activeKid);
    return authRoutes({
      config, identity, permissions, callerOf, ask, passwords, revoked, mail, limits, log,
      captcha: openCaptcha(config, log),
      providers: openProviders(config.providers, log),
      signAccessToken: createAccessTokens(secrets.jwtSecret, signing, config.jwtAccessExpiresIn),
      mfaTokens: createMfaTokens(secrets.jwtSecret),
      sealing: openSealing(config, secrets),
    });
  }
}

function management({ config, database, permissions, callerOf, requireScope, ask, passwords, revoked, mail, lent }: Context) {
  const sources = lent.storageSources ?? [DEFAULT_SOURCE];
  const targets = () => ({
    collections: database.catalog.current.document.collections, sources, functions: lent.functionNames?.() ?? [],
  });
  return [
    ...usersRoutes({ requireScope, callerOf }, { ask, passwords, revoked, permissions, mail, production: config.production }),
    ...keysRoutes(requireScope, { ask, permissions, revoked, targets }),
  ];
}

/** The secret of tokens opens too: it sealed while there was no other key. */
function openSealing({ mfaEncryptionKey = [] }: Pick<Config, 'mfaEncryptionKey'>, { jwtSecret }: Secrets): Sealing {
  return createSealing([...mfaEncryptionKey, jwtSecret]);
}

/** Elsewhere there is nothing worth a word at every start. */
function warnOfSharedSecret({ mfaEncryptionKey, production }: Config, log: Logger): void {
  if (mfaEncryptionKey !== undefined || !production) return;
  log.warn('MFA_ENCRYPTION_KEY is not set: secrets of second factors are encrypted with JWT_SECRET. Set it before JWT_SECRET changes.');
}
