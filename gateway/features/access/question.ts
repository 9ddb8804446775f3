import { reachedBy, type CatalogDocument } from '../../catalog/document.ts';
import type { ApiError } from '../../error.ts';
import { segmentsOf } from '../../grammar/path.ts';
import type { Method } from '../../http/route.ts';
import { isObject, parseExact, plainText } from '../../json/exact.ts';
import type { Question } from './explain.ts';

const OPERATIONS: Partial<Record<Method, string>> = { POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'delete' };

/** Whether the answer to a refusal is a rule about rows or fields: what is not there by its path has none. */
function isOfRules({ status, code }: ApiError): boolean {
  return status === 403 || code === 'NOT_FOUND' || /^(?:FIELD_NOT_|TENANT_)/.test(code);
}

/**
 * What to ask service.access about a refused request; undefined where it was not refused by rules, or for no row in particular.
 * @param path below `/data/`
 */
export function questionOf(
  { method, path, body }: { method: Method; path: string; body: string }, refusal: ApiError, document: CatalogDocument,
): Question | undefined {
  if (!isOfRules(refusal)) return undefined;
  const segments = segmentsOf(path);
  const sent = body === '' ? undefined : parseExact(body);
  const index = refusal.details?.['index'];
  if (segments[0] === '_batch' || segments[1] === 'bulk') return ofMany(method, segments, sent, index);
  const [slug = '', id, third, entry] = segments;
  if (third === 'history' && id !== undefined) {
    return { collection: slug, id, operation: entry === undefined ? 'read' : 'update', proposed: null };
  }
  const operation = OPERATIONS[method] ?? 'read';
  const isOfRow = segments.length % 2 === 0;
  if (!isOfRow && operation === 'read') return undefined;
  return {
    operation, collection: reachedBy(document, segments), id: isOfRow ? segments.at(-1) ?? null : null,
    proposed: operation === 'create' || operation === 'update' ? JSON.stringify(sent ?? {}) : null,
  };
}

/** One of them, by its index. */
function ofMany(method: Method, [slug = '', , third]: string[], sent: unknown, index: unknown): Question | undefined {
  if (!isObject(sent) || typeof index !== 'number') return undefined;
  const { operations, rows, updates, ids, items } = sent;
  const list = operations ?? rows ?? updates ?? ids ?? items;
  const item: unknown = Array.isArray(list) ? list[index] : undefined;
  const { op, collection = slug, id, values, data, ...fields } = isObject(item) ? item : { id: item };
  const operation = op ?? (third === 'delete' ? 'delete' : OPERATIONS[method]);
  if (typeof collection !== 'string' || typeof operation !== 'string') return undefined;
  const proposed = operation === 'delete' ? null : JSON.stringify(values ?? data ?? fields);
  return { collection, operation, id: operation === 'create' ? null : plainText(id) ?? null, proposed };
}
