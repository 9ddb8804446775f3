import { isDrift, isOutdated } from '../database/sqlstate.ts';
import type { Catalog, CatalogKeeper } from './catalog.ts';

/** How often something is run whose tables change each time. */
const TIMES = 5;

/**
 * A statement may meet tables that changed after they were looked at. What fails as if they had is run again, when what was
 * announced until then has been looked at: a table that took another's place has no grants before. Of tables that are
 * not there nobody may have said a word, so they are looked at in any case.
 * @param run leaves nothing behind when it fails.
 */
export async function retryOnStaleCatalog<T>(catalog: CatalogKeeper, run: (catalog: Catalog) => Promise<T>, times = TIMES): Promise<T> {
  const known = catalog.current;
  try {
    return await run(known);
  } catch (error) {
    if (times === 1 || !isOutdated(error)) throw error;
    await catalog.catchUp().catch(() => undefined);
    if (catalog.current === known && isDrift(error)) await catalog.lookAgain().catch(() => undefined);
    if (catalog.current === known) throw error;
    return retryOnStaleCatalog(catalog, run, times - 1);
  }
}
