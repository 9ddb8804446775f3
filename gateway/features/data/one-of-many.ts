import { isDatabaseError } from '../../database/sqlstate.ts';
import { ApiError } from '../../error.ts';
import type { ParsedWrite, WriteShape } from '../../grammar/write/shape.ts';

/** The index of the write that failed: service_private.write_many numbers its statements, and the outermost is last. */
export function indexOf(error: unknown, { of }: ParsedWrite): number | undefined {
  if (of === 'row' || !isDatabaseError(error)) return undefined;
  const number = error.where?.match(/(?<="\/\* write )\d+(?= \*\/)/g)?.at(-1);
  return number === undefined ? undefined : Number(number);
}

type Lists = 'operations' | 'rows' | 'updates' | 'items';
type Item = { op?: string; collection?: string; values?: object; data?: object };

/**
 * One of them as a request of its own: what service_private.bulk_requests and service_private.batch_requests make of it, as far as an
 * error needs it.
 */
export function single({ shape, text, of }: ParsedWrite, index: number): ParsedWrite {
  const { body } = JSON.parse(text) as { body: Partial<Record<Lists, Item[]>> };
  const item = (body.operations ?? body.rows ?? body.updates ?? body.items)?.[index] ?? {};
  return of === 'batch' ? rowWrite(operationOf(item), item.collection ?? '', item.values)
    : rowWrite(shape.op, shape.collection, shape.op === 'update' && isApart(item) ? item.data : item);
}

function operationOf({ op }: Item): WriteShape['op'] {
  return op === 'update' || op === 'delete' ? op : 'create';
}

function isApart(item: Item): boolean {
  return Object.keys(item).toSorted().join() === 'data,id';
}

function rowWrite(op: WriteShape['op'], collection: string, body: object | undefined): ParsedWrite {
  return { of: 'row', shape: { op, collection }, path: [collection], text: JSON.stringify({ op, path: [collection], body }) };
}

/** In words too, because the row that is meant may be one of a thousand. */
export function withIndex(refused: ApiError, index: unknown, { of }: ParsedWrite): ApiError {
  if (of === 'row' || typeof index !== 'number') return refused;
  const message = `${of === 'batch' ? 'Operation' : 'Row'} ${index}: ${refused.message}`;
  return new ApiError(refused.status, refused.code, message, { ...refused.details, index }, { cause: refused.cause });
}
