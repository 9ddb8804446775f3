import { createDownloadTokens } from '../../identity/download-tokens.ts';
import type { Call, Route } from '../../http/route.ts';
import type { Secrets } from '../../identity/secrets.ts';
import { createRenditions } from '../../images/renditions.ts';
import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { anonymousCaller } from '../../identity/caller.ts';
import type { RoutesFor } from '../route-answers.ts';
import { createGate, type Gate } from './gate.ts';
import type { StorageOptions } from './options.ts';
import { storageRoutes } from './routes.ts';
import { createSources, type SourceList } from './sources.ts';
import { openTus } from './tus/open.ts';
import { tusRoutes } from './tus/routes.ts';

type Own = Pick<Context, 'config' | 'database' | 'log'> & { secrets: Pick<Secrets, 'jwtSecret'> };

/** The routes of files, and resumable uploads. */
export async function serveFiles(context: Context, sources: SourceList): Promise<Opened> {
  const { config, database, callerOf, ask, limits, isFirst, log } = context;
  const own = { ...ownOptions(context, sources), counted: limits.data };
  const { gate } = own;
  const tus = await openTus({ ask, accounts: config.auth === 'on', listen: database.listen, sources, gate, sweeps: isFirst, log });
  const anyCaller = (call: Call) => call.header('authorization') === '' ? anonymousCaller : callerOf(call);
  const options = { ...own, caller: callerOf, anyCaller };
  return {
    routes: [...storageRoutes(options), ...tusRoutes({ ...options, ...tus, config })],
    lends: { storageRoutes: caller => storageRoutes({ ...own, caller, anyCaller: caller }) },
    drain: tus.close,
  };
}

/** The same routes for requests that no client makes. */
export function ownRoutes(own: Own, sources: SourceList): (...given: Parameters<RoutesFor>) => Route[] {
  return caller => storageRoutes({ ...ownOptions(own, sources), counted: () => undefined, caller, anyCaller: caller });
}

function ownOptions(own: Own, sources: SourceList): Omit<StorageOptions, 'caller' | 'anyCaller' | 'counted'> {
  const { config, secrets, log } = own;
  return {
    gate: openGate(own),
    sources: createSources(sources),
    tokens: createDownloadTokens(secrets.jwtSecret),
    renditions: createRenditions({ durable: config.storageRenditionCache, log }),
    publicRead: config.storagePublicRead,
  };
}

function openGate({ config, database: { lanes, reads }, log }: Own): Gate {
  const { settingsFile: { storage: rules = {} }, authRequire: authRequired, production } = config;
  return createGate({ rules, authRequired, lanes, reads, verbose: !production, log });
}
