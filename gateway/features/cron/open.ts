import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import type { Definition } from '../cron-job.ts';
import { cronRoutes } from './routes.ts';
import { CRON_JOBS, TRIGGER } from './topics.ts';

export function open({ ask, bus, requireScope }: Context): Opened {
  let jobs: readonly Definition[] = [];
  const end = bus.subscribe(CRON_JOBS, defined => { jobs = defined; });
  return {
    routes: cronRoutes(requireScope, { ask, jobs: () => jobs, trigger: id => bus.ask(TRIGGER, id) }),
    close: () => Promise.resolve(end()),
  };
}
