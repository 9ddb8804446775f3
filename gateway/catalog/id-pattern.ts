import { CALLER_PARAMETERS, type ReadShape } from '../grammar/read/shape.ts';
import { collectionAt, type CatalogDocument } from './document.ts';

/** Texts that PostgreSQL surely reads as the type, by its name; of other types, any. */
const PATTERNS: Readonly<Record<string, string>> = {
  smallint: '-?[0-9]{1,4}',
  integer: '-?[0-9]{1,9}',
  bigint: '-?[0-9]{1,18}',
  uuid: '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
};

/** Whether the last id of a path is surely of the type of its collection's key, by the values of the request. */
export function takesId(path: ReadShape['path'], document: Pick<CatalogDocument, 'collections'>): (values: readonly string[]) => boolean {
  const slug = collectionAt(path.slice(0, -1), document);
  const { key = [], properties = [] } = document.collections.find(collection => collection.slug === slug) ?? {};
  const parts = key.map(name => PATTERNS[properties.find(property => property.name === name)?.sqlType ?? ''] ?? '[^]*');
  const pattern = new RegExp(`^${parts.join(':::')}$`);
  const place = Number(path.at(-1)) - CALLER_PARAMETERS - 1;
  return values => pattern.test(values[place] ?? '');
}
