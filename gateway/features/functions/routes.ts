import type { Call, Reply, Route } from '../../http/route.ts';
import type { Gates } from './gates.ts';
import type { SqlEndpoints } from './sql/endpoints.ts';
import { within } from './timeout.ts';

/** `timeout`: milliseconds of a function; 0 is none. */
export type FunctionsOptions = { gates: Gates; endpoints: SqlEndpoints; timeout: number };

export function functionRoutes({ gates, endpoints, timeout }: FunctionsOptions): Route[] {
  const route = (path: string, handle: Route['handle']): Route => ({ method: 'ANY', path, admit: gates.caller, handle });
  return [
    route('/functions', async call => { throw gates.notFound('', await gates.caller(call), 'Say which function to call.'); }),
    route('/functions/:name', handle),
    route('/functions/:name/*', handle),
  ];

  function handle(call: Call): Promise<Reply> {
    return within(timeout, signal => answer(call, signal));
  }

  async function answer(call: Call, signal: () => AbortSignal): Promise<Reply> {
    const { name = '', '*': rest } = call.params;
    const caller = await gates.caller(call);
    await gates.admit(call, caller, name);
    const endpoint = endpoints.find(name);
    if (endpoint === undefined || rest !== undefined) throw gates.notFound(name, caller);
    await gates.require(call, caller, endpoint);
    return endpoints.answer(call, { caller, name, signal, notFound: message => gates.notFound(name, caller, message) });
  }
}
