import { ApiError } from '../../error.ts';
import { entityTags } from '../entity-tags.ts';
import { isStorable } from '../../storable.ts';
import { preference } from '../prefer.ts';
import type { Operation } from './batch-names.ts';
import type { Body } from './body.ts';
import type { Rows } from './body-names.ts';
import { parseQuery } from './query.ts';
import type { ParsedWrite, WriteShape } from './shape.ts';
import type { Target } from './target.ts';

/** The limits of the database for a bulk write or a batch: rows or operations, and bytes of the answer. */
export type Limits = { bulk: number; batch: number; answer: number };

/** The headers that say something about a write. */
export type WriteHeaders = { prefer: string; idempotencyKey: string; ifMatch: string };

/**
 * Turns a write below `/data/` into its shape and the request that `service_private.write` takes. Which collections and fields exist,
 * and what they hold, is the database's to judge.
 * @param query the raw query string
 * @param body absent of a delete of one row
 * @throws ApiError 400 with the code of the parameter that is malformed, or has no place in this write.
 */
export function parseWrite(target: Target, query: string, headers: WriteHeaders, body: Body | undefined, limits: Limits): ParsedWrite {
  const { op, of, path } = target;
  const isMinimal = op !== 'delete' && preference(headers.prefer, 'return') === 'minimal';
  const options: Partial<WriteShape> = { ...parseQuery(query, target), ...(isMinimal && { return: 'minimal' }) };
  const collection = path[0] ?? '';
  const key = idempotencyKey(headers);
  const isKeyed = key && { key: true as const };
  if (of === 'row') {
    const operations = op === 'update' && body?.operations;
    const names = body && { body: body.names.toSorted(), ...(operations && { operations }) };
    const match = op === 'create' ? undefined : expectedTags(headers);
    const shape: WriteShape = { op, collection, ...nested(target), ...names, ...options, ...(match && { match: true }), ...isKeyed };
    return { of, shape, path, text: requestText({ op, path, ...options, ...match, ...key }, body) };
  }
  const isBatch = of === 'batch';
  const bounds = { items: isBatch ? limits.batch : limits.bulk, answer: limits.answer };
  const head = { ...(isBatch ? { op: 'batch' } : { op, path, bulk: true }), ...options, ...key, bounds };
  const shape = { op, collection, ...options, ...(!isBatch && bulkShape(op, body?.rows)), ...isKeyed };
  const operations = body?.batch?.map(operation => operationShape(operation, isMinimal));
  return { of, shape, path, text: requestText(head, body), ...(operations && { operations }) };
}

/** As service_private.many_shape has it, or its plan is not found there and made anew. */
function operationShape({ op, collection, names, operations, conflict, hasRef }: Operation, isMinimal: boolean): WriteShape {
  return {
    op: op === 'upsert' ? 'create' : op, collection, body: names, ...(operations && { operations }),
    ...(isMinimal && !hasRef && { fields: [] }), ...(op === 'upsert' && { conflict }), ...((isMinimal || hasRef) && { ref: true }),
  };
}

function nested({ op, path }: Target): Pick<WriteShape, 'path'> {
  if (path.length <= 2) return {};
  const above = op === 'create' ? path : path.slice(0, -1);
  return { path: above.map((segment, i) => i % 2 === 0 ? segment : i) };
}

/** `*` matches any row, as a write without the header does. A malformed tag matches no row. */
function expectedTags({ ifMatch }: WriteHeaders): { match: string[] } | undefined {
  const match = ifMatch === '' ? undefined : entityTags(ifMatch);
  return match && { match };
}

const LONGEST_KEY = 255;

function idempotencyKey({ idempotencyKey: key }: WriteHeaders): { key: string } | undefined {
  if (key.length > LONGEST_KEY || !isStorable(key)) {
    throw new ApiError(400, 'INVALID_PARAM', `An Idempotency-Key has at most ${LONGEST_KEY} characters.`, { parameter: 'Idempotency-Key' });
  }
  return key === '' ? undefined : { key };
}

/** The body goes on as it was sent, so that numbers keep every digit; it is proved to be one object. */
function requestText(head: object, body: Body | undefined): string {
  const text = JSON.stringify(head);
  return body === undefined ? text : `${text.slice(0, -1)},"body":${body.text}}`;
}

const LISTS = { create: 'rows', update: 'updates', delete: 'ids' } as const;

/** The shape of a valid body, as far as can be seen here. service_private.bulk_requests reports the faults of any other. */
function bulkShape(op: WriteShape['op'], rows: Rows | undefined): Partial<WriteShape> | undefined {
  if (rows === undefined || (rows.list !== LISTS[op] && rows.list !== 'items')) return undefined;
  const conflict = op === 'create' ? conflictOf(rows.beside) : rows.beside.size === 0 ? [] : undefined;
  if (conflict === undefined) return undefined;
  const isNamed = (name: string): boolean => op !== 'update' || rows.apart || name !== 'id';
  const sometimes = rows.sometimes.filter(isNamed).sort();
  const apart = op === 'update' && rows.apart;
  return {
    ...(op !== 'delete' && { body: rows.names.filter(isNamed).sort() }),
    ...(rows.beside.get('upsert') === true && { conflict }),
    bulk: { list: rows.list, ...(apart && { apart }), ...(op !== 'delete' && sometimes.length > 0 && { sometimes }) },
  };
}

/** The names of the target, none of a plain create; undefined for what has no place beside the rows. */
function conflictOf(beside: ReadonlyMap<string, unknown>): string[] | undefined {
  const { upsert = false, onConflict = [], ...others } = Object.fromEntries(beside);
  const isSound = ![...beside.values()].includes(undefined) && typeof upsert === 'boolean'
    && Array.isArray(onConflict) && onConflict.every(name => typeof name === 'string' && name !== '')
    && Object.keys(others).length === 0 && (upsert || onConflict.length === 0);
  return isSound ? (onConflict as string[]).toSorted() : undefined;
}
