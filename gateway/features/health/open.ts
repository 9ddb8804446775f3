import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { healthRoutes } from './routes.ts';

export function open({ config, database: { probe, accountFaults, replicaTrouble }, isDraining, log }: Context): Opened {
  return {
    routes: healthRoutes({ config, probe, replicaTrouble, isDraining, log, ...(config.auth === 'on' && { accountFaults }) }),
  };
}
