import { isDatabaseError } from '../../database/sqlstate.ts';
import { ApiError } from '../../error.ts';
import type { ParsedWrite } from '../../grammar/write/shape.ts';

/** Which write of many an error is about: service.write_many numbers its statements, and the outermost stands last. */
export function indexOf(error: unknown, { of }: ParsedWrite): number | undefined {
  if (of === 'row' || !isDatabaseError(error)) return undefined;
  const number = error.where?.match(/(?<="\/\* write )\d+(?= \*\/)/g)?.at(-1);
  return number === undefined ? undefined : Number(number);
}

type Sent = { body: Record<string, Record<string, unknown>[] | undefined> };

/** One of them as a request of its own. */
export function single({ shape, text, of }: ParsedWrite, index: number): ParsedWrite {
  const { body } = JSON.parse(text) as Sent;
  const list = of === 'batch' ? 'operations' : shape.bulk?.list ?? 'items';
  const item = body[list]?.[index] ?? {};
  const collection = of === 'batch' ? String(item['collection']) : shape.collection;
  const op = of === 'batch' ? item['op'] === 'update' || item['op'] === 'delete' ? item['op'] : 'create' : shape.op;
  const fields = item[of === 'batch' ? 'values' : 'data'];
  const sent = typeof fields === 'object' ? fields : item;
  return { of: 'row', shape: { op, collection }, path: [collection], text: JSON.stringify({ op, path: [collection], body: sent }) };
}

/** In words too, because the row that is meant may be one of a thousand. */
export function withIndex(refused: ApiError, index: unknown, { of }: ParsedWrite): ApiError {
  if (of === 'row' || typeof index !== 'number') return refused;
  const message = `${of === 'batch' ? 'Operation' : 'Row'} ${index}: ${refused.message}`;
  return new ApiError(refused.status, refused.code, message, { ...refused.details, index }, { cause: refused.cause });
}
