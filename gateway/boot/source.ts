import { resolve } from 'node:path';
import { type CollectionFiles } from '../collections/collection-files.ts';
import { loadCollections } from '../collections/load.ts';
import { type Config } from '../config/config.ts';

/** What the catalog is made of: the tables as they are; collection files, which boot brings in; or what another process has brought in. */
export type Source =
  | { kind: 'tables'; schema: string; unprotected: 'skip' | 'serve' }
  | { kind: 'files'; files: CollectionFiles }
  | { kind: 'kept' };

/** Files, where there are any; they are read here and judged when the database is open. */
export function sourceOf({ collectionsDir, strictCollectionConfig, introspectSchema, unprotectedTables }: Config): Source {
  const files = loadCollections(resolve(collectionsDir), strictCollectionConfig);
  return files === undefined ? { kind: 'tables', schema: introspectSchema, unprotected: unprotectedTables } : { kind: 'files', files };
}
