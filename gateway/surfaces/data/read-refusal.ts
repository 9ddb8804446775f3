import type { Database } from '../../database/database.ts';
import { databaseDetails, isDatabaseError, toApiError, unreadableParameter, type DatabaseError } from '../../database/sqlstate.ts';
import { ApiError } from '../../error.ts';
import type { Parsed, Shape, ValueSource } from '../../grammar/read/shape.ts';

/** What a client is told of a read that failed. */
export function readRefusal(error: unknown, request: Parsed, database: Database, verbose: boolean): ApiError {
  if (isDatabaseError(error)) {
    const parameter = unreadableParameter(error);
    if (parameter !== undefined) return unreadableValue(error, parameter, request, database, verbose);
    if (error.code.startsWith('22')) return dataException(error, request, database, verbose);
  }
  const refused = toApiError(error, verbose);
  if (refused.code === 'CALLBACK_REJECTED') return new ApiError(refused.status, refused.code, refused.message, { stage: 'afterRead', ...refused.details }, { cause: error });
  // The tables changed without a notification: look again, so that the next request is right.
  if (refused.code === 'SCHEMA_DRIFT') database.catalog.refresh().catch(() => undefined);
  return refused;
}

/** An id that cannot be of the key's type names no row; a filter value that cannot be of its column's type is refused by name. */
function unreadableValue(error: DatabaseError, parameter: number, request: Parsed, database: Database, verbose: boolean): ApiError {
  const source: ValueSource | undefined = request.sources[parameter - 2];
  if (source?.kind === 'id') return notFound(request, database, verbose, parameter);
  if (source?.kind === 'vector') return invalidVector(error, verbose);
  const field = source?.kind === 'filter' ? { field: source.field } : {};
  return new ApiError(400, 'INVALID_FILTER_VALUE', 'A filter value cannot be read as its field\'s type.', { ...field, ...databaseDetails(error, verbose) }, { cause: error });
}

/**
 * A data exception while rows were read. Only what the statement itself takes apart is the request's: the parts of a
 * composite id, the values in a cursor, a vector. Else a policy or a stored value is to blame, not the caller.
 */
function dataException(error: DatabaseError, request: Parsed, database: Database, verbose: boolean): ApiError {
  const { shape } = request;
  const isUnreadable = /^22(P02|003|007|008)$/.test(error.code);
  if (isUnreadable && shape.path.length > 1) return notFound(request, database, verbose);
  if (isUnreadable && shape.after) return new ApiError(400, 'INVALID_CURSOR', 'The cursor is of an order that this collection no longer has.', databaseDetails(error, verbose), { cause: error });
  if (error.code === '22000' && shape.vector) return invalidVector(error, verbose);
  return new ApiError(500, 'INTERNAL_ERROR', 'Internal error.', databaseDetails(error, verbose), { cause: error });
}

function invalidVector(error: DatabaseError, verbose: boolean): ApiError {
  return new ApiError(400, 'INVALID_VECTOR', 'The vector cannot be compared with this property: it has another length, or is none.', databaseDetails(error, verbose), { cause: error });
}

/** `parameter` is the id that is to blame, if one is known; else it is the last one, of a path that ends in an id. */
export function notFound({ shape: { path }, values }: Parsed, { catalog }: Database, verbose: boolean, parameter = path.length % 2 === 0 ? path.at(-1) : undefined): ApiError {
  const details = verbose && typeof parameter === 'number'
    ? { collection: collectionAt(path.slice(0, path.indexOf(parameter)), catalog.current.document.collections), id: values[parameter - 2] }
    : undefined;
  return new ApiError(404, 'NOT_FOUND', 'No such row, or row security hides it from this caller.', details);
}

/** The collection that a path of slug, ids and relations in turn ends in. */
function collectionAt([slug, ...rest]: Shape['path'], collections: Database['catalog']['current']['document']['collections']): string | number | undefined {
  return rest.filter((_, i) => i % 2 === 1).reduce((reached, relation) =>
    collections.find(collection => collection.slug === reached)?.relations.find(({ name }) => name === relation)?.target, slug);
}
