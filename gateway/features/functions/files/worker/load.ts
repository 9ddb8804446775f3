import { pathToFileURL } from 'node:url';
import type { Hono } from 'hono';
import type { ServiceClient } from '../authoring/client.ts';
import { DEFINED, type Setup } from '../authoring/index.ts';
import { honoOf } from './modules.ts';

export type App = Pick<Hono, 'fetch' | 'routes'>;
/** The part of a router by which an uncaught error is known; private in its types. */
type Handling = { errorHandler?: unknown; onError?: (handler: (error: Error) => Response) => unknown };

/** An error that nothing of the project caught. */
export const uncaught = new WeakMap<Response, unknown>();

/** @throws Error that says why the file is not served. */
export async function loadApp(path: string, rowgate: ServiceClient): Promise<App> {
  const url = pathToFileURL(path).href;
  const { default: given } = await import(url) as { default?: unknown };
  const { Hono } = await honoOf(url);
  const app = await appOf(given, () => new Hono(), rowgate);
  reportErrors(app as Handling, new Hono() as unknown as Handling);
  return app;
}

async function appOf(given: unknown, create: () => Hono, rowgate: ServiceClient): Promise<App> {
  if (given === undefined) throw new Error('it has no default export');
  if (given instanceof Promise) {
    given.catch(() => undefined);
    throw new Error('its default export is a promise; export the app itself, or defineFunction(…)');
  }
  if (isDefinition(given)) {
    const own = create();
    const returned = await given[DEFINED](own, { rowgate });
    if (returned === undefined || isApp(returned)) return returned ?? own;
    throw new Error('the function of defineFunction() returned something that is no app');
  }
  const app: unknown = !isApp(given) && typeof given === 'function' && given.length === 0 ? await (given as () => unknown)() : given;
  if (isApp(app)) return app;
  throw new Error('its default export is neither defineFunction(…), nor an app of Hono, '
    + 'nor a function without arguments that returns one');
}

function isDefinition(given: unknown): given is { [DEFINED]: Setup } {
  return typeof given === 'object' && given !== null && DEFINED in given;
}

function isApp(given: unknown): given is App {
  const app = given as Partial<App> | null;
  return typeof app === 'object' && app !== null && typeof app.fetch === 'function' && Array.isArray(app.routes);
}

/** Unless the author has an error handler of his own. An answer that an error carries (HTTPException) is the author's. */
function reportErrors(app: Handling, fresh: Handling): void {
  if (typeof app.onError !== 'function' || app.errorHandler !== fresh.errorHandler) return;
  app.onError(error => {
    if ('getResponse' in error) return (error as { getResponse: () => Response }).getResponse();
    const response = new Response(null, { status: 500 });
    uncaught.set(response, error);
    return response;
  });
}
