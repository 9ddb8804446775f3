import { REVOKED } from '../../identity/revoked.ts';
import { createPermissions } from '../../identity/permissions.ts';
import { createLimits } from '../../limits/limits.ts';
import { memoryStore } from '../../limits/memory-store.ts';
import type { Lent } from '../context.ts';
import type { SharedContext } from '../feature.ts';

/** Rows for files of the project that run beside requests. The service, which they are, has no limit. */
export async function lends({ config, database, bus }: SharedContext): Promise<Partial<Lent>> {
  const { ownRoutes } = await import('./open.ts');
  const dataRoutes = ownRoutes({
    config, database, permissions: createPermissions(config), revoked: uid => bus.announce(REVOKED, uid),
    limits: createLimits({ store: memoryStore(), dataRateLimit: undefined }),
  });
  return { dataRoutes };
}
