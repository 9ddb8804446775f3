import { createDownloadTokens } from '../../identity/download-tokens.ts';
import { createRenditions } from '../../images/renditions.ts';
import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { createGate, type Gate } from './gate.ts';
import { storageRoutes } from './routes.ts';
import { createSources, type SourceList } from './sources.ts';
import { openTus } from './tus/open.ts';
import { tusRoutes } from './tus/routes.ts';

/** The routes of files, and resumable uploads. */
export async function serveFiles(context: Context, sources: SourceList): Promise<Opened> {
  const { config, secrets, database, callerOf, ask, limits, isFirst, log } = context;
  const gate = openGate(context);
  const tus = await openTus({ ask, accounts: config.auth === 'on', listen: database.listen, sources, gate, sweeps: isFirst, log });
  const options = {
    gate, caller: callerOf, counted: limits.data,
    sources: createSources(sources),
    tokens: createDownloadTokens(secrets.jwtSecret),
    renditions: createRenditions({ durable: config.storageRenditionCache, log }),
    publicRead: config.storagePublicRead,
  };
  return {
    routes: [...storageRoutes(options), ...tusRoutes({ ...options, ...tus, config })],
    drain: tus.close,
  };
}

function openGate({ config, database: { lanes, reads }, log }: Context): Gate {
  const { settingsFile: { storage: rules = {} }, authRequire: authRequired, production } = config;
  return createGate({ rules, authRequired, lanes, reads, verbose: !production, log });
}
