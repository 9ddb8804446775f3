import { isDatabaseError } from '../../database/sqlstate.ts';
import { ApiError } from '../../error.ts';
import type { ParsedWrite, WriteShape } from '../../grammar/write/shape.ts';

/** The index of the write that failed: service_private.write_many numbers its statements, and the outermost is last. */
export function indexOf(error: unknown, { of }: ParsedWrite): number | undefined {
  if (of === 'row' || !isDatabaseError(error)) return undefined;
  const number = error.where?.match(/(?<="\/\* write )\d+(?= \*\/)/g)?.at(-1);
  return number === undefined ? undefined : Number(number);
}

type Lists = 'operations' | 'rows' | 'updates' | 'ids' | 'items';
type Item = { op?: string; collection?: string; id?: unknown; values?: object; data?: object };

/**
 * One of them as a request of its own: what service_private.bulk_requests and service_private.batch_requests make of it, as far as an
 * error needs it.
 */
export function single({ shape, text, of }: ParsedWrite, index: number): ParsedWrite {
  const { body } = JSON.parse(text) as { body: Partial<Record<Lists, Item[]>> };
  const item = (body.operations ?? body.rows ?? body.updates ?? body.ids ?? body.items)?.[index] ?? {};
  if (of === 'batch') return rowWrite(operationOf(item), item.collection ?? '', idOf(item), item.values);
  const id = shape.op === 'create' ? undefined : idOf(item);
  if (shape.op === 'delete') return rowWrite(shape.op, shape.collection, id);
  return rowWrite(shape.op, shape.collection, id, shape.op === 'update' && isApart(item) ? item.data : item);
}

function operationOf({ op }: Item): WriteShape['op'] {
  return op === 'update' || op === 'delete' ? op : 'create';
}

/** An id that another operation will have is not known here. A delete may name its row by the id alone. */
function idOf(item: Item | string | number): string | undefined {
  const id: unknown = typeof item === 'object' ? item.id : item;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

function isApart(item: Item): boolean {
  return Object.keys(item).toSorted().join() === 'data,id';
}

function rowWrite(op: WriteShape['op'], collection: string, id: string | undefined, body?: object): ParsedWrite {
  const path = [collection, ...(id === undefined ? [] : [id])];
  return { of: 'row', shape: { op, collection }, path, text: JSON.stringify({ op, path, body }) };
}

/** In words too, because the row that is meant may be one of a thousand. */
export function withIndex(refused: ApiError, index: unknown, { of }: ParsedWrite): ApiError {
  if (of === 'row' || typeof index !== 'number') return refused;
  const message = `${of === 'batch' ? 'Operation' : 'Row'} ${index}: ${refused.message}`;
  return new ApiError(refused.status, refused.code, message, { ...refused.details, index }, { cause: refused.cause });
}
