import type { CatalogKeeper } from '../../catalog/catalog.ts';
import { ApiError } from '../../error.ts';
import { segmentsOf } from '../../grammar/path.ts';
import type { Call } from '../../http/route.ts';

export function requireCollections({ current }: CatalogKeeper): void {
  if (current.slugs.size === 0) throw new ApiError(404, 'NO_COLLECTIONS', 'This project serves no collections.');
}

/** Below the route: of `/data/album/1` ['album', '1']. */
export function segments({ path }: Call): string[] {
  return segmentsOf(path.slice('/data/'.length));
}
