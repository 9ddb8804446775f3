import type { CatalogDocument, Collection } from '../../../catalog/document.ts';
import { printable } from '../../../process/printable.ts';

/** One read, twice: what follows the base path in a URL, and the statement that answers the same in psql. */
export type FirstRequest = { title: string; path: string; sql: string };

/** Reads that show the most in one line each, of a collection that has a relation if there is one; none where nothing is served. */
export function firstRequests({ collections }: CatalogDocument): FirstRequest[] {
  const collection = collections.find(candidate => relationOf(candidate) !== undefined) ?? collections[0];
  if (collection === undefined) return [];
  const { slug } = collection;
  const relation = relationOf(collection);
  const fields = collection.properties.filter(({ readRoles }) => readRoles === null).map(({ name }) => name).slice(0, 3);
  const key = collection.key[0] ?? '';
  return [
    {
      title: relation === undefined ? 'Three rows' : `Three rows, each with its ${relation}`,
      path: `/data/${inQuotes(slug)}?limit=3${relation === undefined ? '' : `&include=${inQuotes(relation)}`}`,
      sql: call('list', slug, { limit: 3, ...(relation !== undefined && { include: [relation] }) }),
    },
    {
      title: 'A few fields, the newest key first',
      path: `/data/${inQuotes(slug)}?orderBy=${inQuotes(`${key}:desc`)}&fields=${fields.map(inQuotes).join(',')}`,
      sql: call('list', slug, { orderBy: [{ field: key, direction: 'desc' }], fields }),
    },
    { title: 'How many there are', path: `/data/${inQuotes(slug)}/count`, sql: call('count', slug) },
  ];
}

function relationOf({ relations }: Collection): string | undefined {
  return relations.find(({ kind }) => kind === 'belongsTo')?.name;
}

/** Part of a URL between a shell's single quotes. */
function inQuotes(name: string): string {
  return encodeURIComponent(name).replaceAll("'", '%27').replaceAll('%3A', ':');
}

function call(name: 'list' | 'count', slug: string, request?: object): string {
  const values = [slug, ...(request === undefined ? [] : [JSON.stringify(request)])].map(value => `'${value.replaceAll("'", "''")}'`);
  return printable(`select service.${name}(${values.join(', ')});`);
}
