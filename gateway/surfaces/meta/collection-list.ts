import { bySlug, type CatalogDocument, type Collection } from '../../catalog/document.ts';

/** `{"data":[{slug, name, singularName, description?, primaryKey, schemaVersion}]}`: what these roles may see rows of, by slug. */
export function collectionList(catalog: CatalogDocument, roles: readonly string[]): object {
  const visible = bySlug(catalog).filter(({ readers }) => readers?.some(role => roles.includes(role)) ?? true);
  return { data: visible.map(collection => entry(collection, catalog.schemaVersion)) };
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
