import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { openDestination } from './open-destination.ts';
import { backupRoutes } from './routes.ts';

export async function open({ config, ask, requireScope }: Context): Promise<Opened> {
  const destination = await openDestination(config);
  return {
    routes: backupRoutes(requireScope, { config, ask, destination }),
    close: () => Promise.resolve(destination?.close()),
  };
}
