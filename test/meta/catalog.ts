import type { CatalogDocument, Collection, Property, Relation } from '../../gateway/catalog/document.ts';

export const options = {
  basePath: '/api', defaultLimit: 50, maxLimit: 1000, defaultIncludeLimit: 10_000, maxIncludeLimit: 10_000, authRequired: true,
};

/** A catalog of these collections. Members that a test does not need have plain values. */
export function catalogOf(...collections: Collection[]): CatalogDocument {
  return { version: 1, schemaVersion: 'v1:0123456789abcdef', restrictingRoles: [], arrowNames: [], partNames: [], collections };
}

export function collectionOf(slug: string, given: Partial<Collection> = {}): Collection {
  return {
    slug, name: slug, singularName: slug, description: null, key: ['id'], readOnly: false, history: false, softDelete: null,
    accounts: false, bodyNames: 100, readers: null, schema: 'public', table: slug, search: null,
    properties: [idProperty], relations: [], ...given,
  };
}

export function propertyOf(name: string, given: Partial<Property> = {}): Property {
  return {
    name, type: 'string', sqlType: 'text', nullable: true, required: false, generated: false, readRoles: null, writeRoles: null,
    attributes: {}, ...given,
  };
}

export const idProperty: Property = propertyOf('id', {
  type: 'number', sqlType: 'integer', nullable: false, generated: true, attributes: { isId: 'increment' },
});

export const relationTo = (target: string, kind: Relation['kind'], name = target): Relation => ({
  name, kind, target, single: kind === 'belongsTo' || kind === 'hasOne', pivot: null, required: false, pivotProperties: null,
  foreignKey: kind === 'hasOne' || kind === 'hasMany' ? ['ownerId'] : null, through: null,
});
