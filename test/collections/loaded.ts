import type { Test } from 'tap';
import { type PropertyRow, type RelationRow } from '../../gateway/catalog/rows.ts';
import { type CollectionFiles } from '../../gateway/collections/collection-files.ts';
import { loadCollections } from '../../gateway/collections/load.ts';

/** The rows of good files; every collection has its slug as its file name. */
export function load(t: Test, collections: Record<string, object>, defaults?: object): CollectionFiles {
  const files = Object.entries(collections).map(([slug, definition]) => [`${slug}.json`, JSON.stringify({ slug, ...definition })]);
  const loaded = loadCollections(t.testdir({ ...Object.fromEntries(files), ...(defaults && { '_defaults.json': JSON.stringify(defaults) }) }), 'error');
  if (loaded === undefined) throw new Error('no files');
  t.same(loaded.problems, []);
  return loaded;
}

export function properties(t: Test, given: object, more: Record<string, object> = {}): Record<string, PropertyRow> {
  const { rows } = load(t, { things: { properties: given }, ...more });
  return Object.fromEntries(rows.properties.filter(({ collection }) => collection === 'things').map(row => [row.name, row]));
}

export function relations({ rows }: CollectionFiles): Record<string, RelationRow> {
  return Object.fromEntries(rows.relations.map(row => [`${row.collection}.${row.name}`, row]));
}

export const users = { properties: { id: { type: 'string', isId: 'uuid' } } };
