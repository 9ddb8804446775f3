import { alongPath, readCollections, type CatalogDocument } from './document.ts';
import { covers, type DataScope } from '../config/scopes.ts';
import type { ReadShape } from '../grammar/read/shape.ts';
import type { ParsedWrite, WriteShape } from '../grammar/write/shape.ts';
import { scopesOf, type Caller } from '../identity/caller.ts';
import { requireAllOfKey, requireOfKey } from '../identity/permissions.ts';

const SCOPES = {
  create: 'data:write', update: 'data:write', upsert: 'data:write', delete: 'data:delete',
} as const satisfies Record<string, DataScope>;

type Operation = { op?: keyof typeof SCOPES; collection?: string };

/** An API key or a client reads what each collection that the request looks into lets it. @throws ApiError 403 as requireOfKey. */
export function requireReading(caller: Caller, shape: ReadShape, document: CatalogDocument): void {
  const bound = scopesOf(caller);
  if (bound === undefined || covers(bound, 'data:read')) return;
  requireAllOfKey(caller, 'data:read', readCollections(document, shape));
}

/** It writes in the last collection of a path, and sees rows of those above. @throws ApiError 403 as requireOfKey. */
export function requireWriting(caller: Caller, { shape, of, path, text }: ParsedWrite, document: CatalogDocument): void {
  if (scopesOf(caller) === undefined) return;
  if (of === 'batch') return requireBatch(caller, text);
  requireWritingAt(caller, shape.op, path, document);
}

export function requireWritingAt(caller: Caller, op: WriteShape['op'], path: readonly string[], document: CatalogDocument): void {
  const along = alongPath(document, path);
  for (const slug of along.slice(0, -1)) requireOfKey(caller, 'data:read', slug);
  requireOfKey(caller, SCOPES[op], along.at(-1));
}

/** Whatever cannot be read as an operation is refused later as none. */
function requireBatch(caller: Caller, text: string): void {
  const { body } = JSON.parse(text) as { body?: { operations?: unknown } };
  for (const operation of Array.isArray(body?.operations) ? body.operations as (Operation | null)[] : []) {
    const { op, collection } = operation ?? {};
    if (op !== undefined && Object.hasOwn(SCOPES, op)) requireOfKey(caller, SCOPES[op], String(collection));
  }
}
