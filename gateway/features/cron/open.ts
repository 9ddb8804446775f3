import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { cronRoutes } from './routes.ts';
import { CRON_JOBS, TRIGGER, type Defined } from './topics.ts';

export function open({ ask, bus, requireScope }: Context): Opened {
  let defined: Defined = { jobs: [], rejected: [], skipped: 0 };
  const end = bus.subscribe(CRON_JOBS, told => { defined = told; });
  return {
    routes: cronRoutes(requireScope, { ask, defined: () => defined, trigger: id => bus.ask(TRIGGER, id) }),
    close: () => Promise.resolve(end()),
  };
}
