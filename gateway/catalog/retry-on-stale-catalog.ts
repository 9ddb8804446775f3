import { unavailable } from '../database/refusal.ts';
import { isDrift, isOutdated } from '../database/sqlstate.ts';
import type { Catalog, CatalogKeeper } from './catalog.ts';

/** How often a statement is run whose tables change each time. */
const TIMES = 5;

/**
 * A statement may use tables that changed after they were looked at. A statement that fails as if they had is run again, once every change
 * announced by then has been looked at: a table that replaced another has no grants before. A missing table may not have been announced, so
 * the tables are looked at in any case; where they cannot be, the table may exist all the same.
 * @param run leaves nothing behind when it fails.
 */
export async function retryOnStaleCatalog<T>(catalog: CatalogKeeper, run: (catalog: Catalog) => Promise<T>, times = TIMES): Promise<T> {
  const known = catalog.current;
  try {
    return await run(known);
  } catch (error) {
    if (times === 1 || !isOutdated(error)) throw error;
    await catalog.catchUp().catch(() => undefined);
    if (catalog.current === known && isDrift(error)) await catalog.lookAgain().catch(refuse);
    if (catalog.current === known) throw error;
    return retryOnStaleCatalog(catalog, run, times - 1);
  }
}

function refuse(cause: unknown): never {
  throw unavailable(cause);
}
