import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { createExplain } from './explain.ts';
import { accessRoutes } from './routes.ts';
import { createTriedCallers } from './tried-callers.ts';
import { createTry } from './try.ts';

export function open({ config, database, identity, permissions, ask, lent, requireScope, log }: Context): Opened {
  const { basePath, maxAnswerSize, production } = config;
  const { dataRoutes } = lent;
  if (dataRoutes === undefined) throw new Error('The routes of data open before this.');
  const explain = createExplain({ url: database.ownerUrl, mostBytes: maxAnswerSize, verbose: !production });
  const tryRequest = createTry({ dataRoutes, lanes: database.lanes, basePath });
  return {
    routes: accessRoutes({
      requireScope, tryRequest, explain, basePath, log, callerAs: createTriedCallers({ ask, identity, permissions }),
    }),
  };
}
