import type { Call, Reply, Route } from '../../http/route.ts';
import type { Functions } from './files/functions.ts';
import type { Gates } from './gates.ts';
import type { SqlEndpoints } from './sql/endpoints.ts';
import { within } from './timeout.ts';

/** `timeout`: milliseconds of a function; 0 is none. */
export type FunctionsOptions = { gates: Gates; files: Functions; endpoints: SqlEndpoints; timeout: number };

export function functionRoutes({ gates, files, endpoints, timeout }: FunctionsOptions): Route[] {
  const route = (path: string, handle: Route['handle']): Route => ({ method: 'ANY', path, admit: gates.caller, handle });
  return [
    route('/functions', async call => { throw gates.notFound('', await gates.caller(call), 'Say which function to call.'); }),
    route('/functions/:name', call => within(timeout, ending => answer(call, ending))),
    // Below its name there are routes of a file alone.
    route('/functions/:name/', call => within(timeout, () => answer(call))),
    route('/functions/:name/*', call => within(timeout, () => answer(call))),
  ];

  async function answer(call: Call, ending?: () => AbortController): Promise<Reply> {
    const { name = '' } = call.params;
    const caller = await gates.caller(call);
    await gates.admit(call, caller, name);
    const file = files.failed(name);
    if (file !== undefined) throw gates.notFound(name, caller, `The function ${name} is not served: ${file} could not be loaded.`);
    const reply = files.has(name) ? await files.answer(call, caller, name) : undefined;
    if (reply !== undefined) return reply;
    const endpoint = endpoints.find(name);
    if (endpoint === undefined || ending === undefined) throw gates.notFound(name, caller);
    await gates.require(call, caller, endpoint);
    return endpoints.answer(call, { caller, name, ending, notFound: message => gates.notFound(name, caller, message) });
  }
}
