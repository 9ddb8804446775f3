import { toApiError } from '../../database/refusal.ts';
import { requireOfKey } from '../../identity/permissions.ts';
import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { metaRoutes } from './routes.ts';

export async function open(context: Context): Promise<Opened> {
  const { config, database, callerOf, requireScope } = context;
  const { basePath, authRequire: authRequired, production } = config;
  const { catalog } = database;
  const { defaultListLimit: defaultLimit, maxListLimit: maxLimit, defaultIncludeLimit, maxIncludeLimit } = config;
  const routes = [
    ...metaRoutes({
      catalog: () => catalog.current.document,
      served: () => catalog.current,
      readContract: () => database.contract().catch((error: unknown) => { throw toApiError(error, !production); }),
      openApi: { basePath, defaultLimit, maxLimit, defaultIncludeLimit, maxIncludeLimit, authRequired, production },
      requireReader: async call => {
        const caller = await callerOf(call);
        requireOfKey(caller, 'data:read');
        return caller;
      },
      requireScope,
    }),
  ];
  return { routes: [...routes, ...await explorer(context), ...await welcome(context)] };
}

async function explorer({ config }: Context) {
  return config.swagger ? (await import('./explorer/routes.ts')).explorerRoutes() : [];
}

/** The start page is for development. */
async function welcome({ config, database: { catalog, url } }: Context) {
  if (config.production) return [];
  return (await import('./welcome/routes.ts')).welcomeRoutes({ catalog: () => catalog.current.document, config, url });
}
