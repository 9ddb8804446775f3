import { type CatalogRows, type ValueAttributes } from '../catalog/rows.ts';
import { type CollectionFiles } from './collection-files.ts';

type Pattern = CollectionFiles['patterns'][number];

/** Every `matches` of the catalog with the place where it stands; what it means, the database knows. */
export function patternsOf({ properties, relations }: CatalogRows): Pattern[] {
  return [
    ...properties.flatMap(({ collection, name, attributes }) => within(`${collection}.properties.${name}`, attributes)),
    ...relations.flatMap(({ collection, name, pivot }) => (pivot ?? []).flatMap(property =>
      within(`${collection}.${name}.through.properties.${property.name}`, property.attributes))),
  ];
}

function within(path: string, { validation, of, properties }: ValueAttributes): Pattern[] {
  const matches = validation?.['matches'];
  return [
    ...(typeof matches === 'string' ? [{ path: `${path}.validation.matches`, pattern: matches }] : []),
    ...(of === undefined ? [] : within(`${path}.of`, of)),
    ...Object.entries(properties ?? {}).flatMap(([key, part]) => within(`${path}.properties.${key}`, part)),
  ];
}
