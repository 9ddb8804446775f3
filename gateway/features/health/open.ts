import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { healthRoutes } from './routes.ts';

export function open({ config, database: { probe, replicaTrouble }, isDraining, log }: Context): Opened {
  return { routes: healthRoutes({ config, probe, replicaTrouble, isDraining, log }) };
}
