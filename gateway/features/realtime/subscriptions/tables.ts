import { readCollections, relatedCollections, type CatalogDocument } from '../../../catalog/document.ts';
import type { ChangeSource } from '../changes.ts';
import { ApiError } from '../../../error.ts';
import { CALLER_PARAMETERS, type ParsedRead } from '../../../grammar/read/shape.ts';

/** The tables that a read reads, by oid: it is moved by changes of the row with this key, or (null) of any row. */
export type Tables = ReadonlyMap<number, string | null>;

/**
 * Every table that the statement reads, those of policies and links included; one more where a name could be a relation and is not.
 * @throws ApiError 501 NOT_SUPPORTED when one of them does not report its changes: a subscription that is stale is worse than none.
 */
export function tablesOf(request: ParsedRead, document: CatalogDocument, sources: readonly ChangeSource[]): Tables {
  const read = readCollections(document, request.shape);
  const row = rowOf(request, document);
  const tables = new Map<number, string | null>();
  for (const { collection, joined, relation, name, keyType, told } of sources) {
    if (!read.has(collection) || (joined !== null && !read.has(joined))) continue;
    if (!told) throw new ApiError(501, 'NOT_SUPPORTED', `${collection} cannot be subscribed to: ${name} does not tell of its changes.`);
    const key = row?.collection === collection && keyType !== null ? ownText(row.id, keyType) : null;
    tables.set(relation, tables.has(relation) && tables.get(relation) !== key ? null : key);
  }
  return tables;
}

/** The row that the whole read is about, where rows of its collection are read for nothing else. */
function rowOf({ shape, values }: ParsedRead, document: CatalogDocument): { collection: string; id: string } | undefined {
  const [collection, id, ...rest] = shape.path;
  if (shape.op !== 'get' || typeof id !== 'number' || rest.length > 0) return undefined;
  if (relatedCollections(document, shape).has(String(collection))) return undefined;
  return { collection: String(collection), id: values[id - CALLER_PARAMETERS - 1] ?? '' };
}

const OWN_TEXTS = { integer: /^(?:0|-?[1-9]\d*)$/, uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, text: /^/ };

/** An id as the database writes it; null for another spelling, which is then moved by any row. */
function ownText(id: string, type: NonNullable<ChangeSource['keyType']>): string | null {
  return OWN_TEXTS[type].test(id) ? id : null;
}
