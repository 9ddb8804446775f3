import { bySlug, readableBy, type CatalogDocument, type Collection } from '../../catalog/document.ts';

/** `{"data":[{slug, name, singularName, description?, primaryKey, schemaVersion}]}`: what these roles may see rows of, by slug. */
export function collectionList(catalog: CatalogDocument, roles: readonly string[]): object {
  const collections = readableBy(catalog, roles);
  return { data: bySlug({ ...catalog, collections }).map(collection => entry(collection, catalog.schemaVersion)) };
}

/** `primaryKey` is a name; of a composite key the list of its names. */
function entry({ slug, name, singularName, description, key }: Collection, schemaVersion: string): object {
  return {
    slug, name, singularName,
    ...(description !== null && { description }),
    primaryKey: key.length === 1 ? key[0] : key,
    schemaVersion,
  };
}
