import type { Database } from '../database/database.ts';
import { databaseDetails, isDatabaseError, toApiError, unreadableParameter } from '../database/sqlstate.ts';
import { ApiError } from '../error.ts';
import type { Parsed, ValueSource } from '../grammar/shape.ts';

/** What a client is told of a read that failed. */
export function readRefusal(error: unknown, request: Parsed, database: Database, verbose: boolean): ApiError {
  if (isDatabaseError(error) && /^22/.test(error.code)) return unreadableValue(error, request, verbose);
  const refused = toApiError(error, verbose);
  if (refused.code === 'CALLBACK_REJECTED') return new ApiError(refused.status, refused.code, refused.message, { stage: 'afterRead', ...refused.details }, { cause: error });
  // The tables changed without a notification: look again, so that the next request is right.
  if (refused.code === 'SCHEMA_DRIFT') database.catalog.refresh().catch(() => undefined);
  return refused;
}

/** An id that cannot be of the key's type names no row; a filter value that cannot be of its column's type is refused by name. */
function unreadableValue(error: Parameters<typeof databaseDetails>[0], request: Parsed, verbose: boolean): ApiError {
  const parameter = unreadableParameter(error);
  const source: ValueSource | undefined = parameter === undefined ? undefined : request.sources[parameter - 2];
  // The parts of a composite id are read inside the statement: no parameter is named then.
  const part = source === undefined && request.shape.path.length > 1 && /^22(P02|003|007|008)$/.test(error.code);
  if (source?.kind === 'id' || part) return notFound(request, verbose);
  if (source?.kind === 'vector' || (source === undefined && request.shape.vector !== undefined)) {
    return new ApiError(400, 'INVALID_VECTOR', 'The vector cannot be compared with this property: it has another length, or is none.', databaseDetails(error, verbose), { cause: error });
  }
  const field = source?.kind === 'filter' ? { field: source.field } : {};
  return new ApiError(400, 'INVALID_FILTER_VALUE', 'A filter value cannot be read as its field\'s type.', { ...field, ...databaseDetails(error, verbose) }, { cause: error });
}

export function notFound({ shape, values }: Parsed, verbose: boolean): ApiError {
  const id = shape.path.length % 2 === 0 ? shape.path.at(-1) : undefined;
  const details = verbose && typeof id === 'number' ? { collection: shape.path.at(-2), id: values[id - 2] } : undefined;
  return new ApiError(404, 'NOT_FOUND', 'No such row, or row security hides it from this caller.', details);
}
