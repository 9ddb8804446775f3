import { ApiError } from '../error.ts';
import type { CatalogDocument } from './document.ts';

/** @throws ApiError 404 NO_COLLECTIONS where nothing is served. */
export function requireCollections({ collections }: CatalogDocument): void {
  if (collections.length === 0) throw new ApiError(404, 'NO_COLLECTIONS', 'This project serves no collections.');
}
