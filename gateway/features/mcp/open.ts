import { originTest } from '../../http/cors.ts';
import { version } from '../../version.ts';
import type { Context } from '../context.ts';
import { dataAnswers } from '../data-answers.ts';
import type { Opened } from '../feature.ts';
import { hasOAuthServer } from '../oauth-server.ts';
import { createBearers } from './bearers.ts';
import { createMethods } from './methods.ts';
import { mcpRoutes } from './routes.ts';
import { createToolCalls } from './tool-calls.ts';
import { createToolLists } from './tool-lists.ts';

export function open(context: Context): Opened {
  const { config, database, identity, lent, log } = context;
  if (!hasOAuthServer(config)) return {};
  const { origin } = new URL(config.publicUrl);
  const document = () => database.catalog.current.document;
  const lists = createToolLists(document);
  const call = createToolCalls({ answer: dataAnswers(lent), document, collections: lists.collections, log });
  const isListed = originTest(config);
  return {
    routes: mcpRoutes({
      bearers: createBearers(identity, origin),
      mayCall: asking => asking === origin || isListed(asking),
      methods: createMethods({ server: { name: 'rowgate', version: version() }, list: lists.tools, call }),
    }),
  };
}
