import type { Call, Reply } from '../http/route.ts';
import { anonymousCaller, type Caller } from '../identity/caller.ts';
import type { Lent } from './context.ts';

/** Answers requests of data as REST does, for callers that are known already. */
export function dataAnswers({ dataRoutes }: Partial<Lent>): (call: Call, caller: Caller) => Reply | Promise<Reply> {
  const callers = new WeakMap<Call, Caller>();
  const routes = dataRoutes?.(call => callers.get(call) ?? anonymousCaller).filter(({ path }) => path === '/data/*') ?? [];
  const handlers = new Map(routes.map(({ method, handle }) => [method, handle]));
  return (call, caller) => {
    callers.set(call, caller);
    return handlers.get(call.method)?.(call) ?? {};
  };
}
