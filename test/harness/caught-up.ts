import type { CatalogKeeper } from '../../gateway/catalog/catalog.ts';
import { until } from './until.ts';

/** Resolves when the catalog has looked at all that was announced. The keeper gives up after two seconds, which a busy machine may need. */
export async function caughtUp(catalog: CatalogKeeper): Promise<void> {
  await until('the catalog to catch up', () => catalog.catchUp().then(() => true, () => false));
}
