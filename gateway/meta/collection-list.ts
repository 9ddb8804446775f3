import { bySlug, type CatalogDocument, type Collection } from '../database/catalog-document.ts';

/** `{"data":[{slug, name, singularName, description?, primaryKey, schemaVersion}]}`, by slug. */
export function collectionList(catalog: CatalogDocument): object {
  return { data: bySlug(catalog).map(collection => entry(collection, catalog.schemaVersion)) };
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
