import type { Call, Reply, Route } from '../http/route.ts';
import { createRouter, type Router } from '../http/router.ts';
import { anonymousCaller, type Caller } from '../identity/caller.ts';

/** Routes for callers that are known already. */
export type RoutesFor = (caller: (call: Call) => Caller) => Route[] | Promise<Route[]>;

/** Answers requests that no client makes as these routes do, which are made for the first one. */
export function routeAnswers(routesFor: RoutesFor): (call: Call, caller: Caller) => Promise<Reply> {
  const callers = new WeakMap<Call, Caller>();
  let opening: Promise<Router> | undefined;
  return async (call, caller) => {
    callers.set(call, caller);
    const router = await (opening ??= open());
    const { route, params } = router.match(call.method, call.path) ?? {};
    if (route === undefined) throw new Error(`No route answers ${call.method} ${call.path}.`);
    Object.assign(call.params, params);
    return route.handle(call);
  };

  async function open(): Promise<Router> {
    try {
      return createRouter(await routesFor(call => callers.get(call) ?? anonymousCaller), '');
    } catch (error) {
      opening = undefined;
      throw error;
    }
  }
}
