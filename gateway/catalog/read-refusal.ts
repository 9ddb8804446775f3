import type { CatalogKeeper } from './catalog.ts';
import { collectionAt, type CatalogDocument } from './document.ts';
import { databaseDetails, toApiError, unreadableParameter } from '../database/refusal.ts';
import {
  isDatabaseError, isDataException, isPlainDataException, isTooLarge, isUnreadableText, type DatabaseError,
} from '../database/sqlstate.ts';
import { ApiError } from '../error.ts';
import { CALLER_PARAMETERS, type ParsedRead, type ReadShape, type ValueSource } from '../grammar/read/shape.ts';

/** `verbose`: whether refusals may carry the database's own words. */
type Options = { catalog: CatalogKeeper; verbose: boolean };

/** The error that a client gets for a failed read. */
export function readRefusal(error: unknown, request: ParsedRead, options: Options): ApiError {
  if (isDatabaseError(error)) {
    const parameter = unreadableParameter(error);
    if (parameter !== undefined) return unreadableValue(error, parameter, request, options);
    if (isDataException(error)) return dataException(error, request, options);
    if (isTooLarge(error)) return tooLarge(error, options);
  }
  const refused = toApiError(error, options.verbose);
  if (refused.code === 'CALLBACK_REJECTED') return rejectedByAfterRead(refused, error);
  return refused;
}

/** PostgreSQL itself could not make the text (1 GB), before it came to be measured. */
function tooLarge(error: DatabaseError, { verbose }: Options): ApiError {
  const message = 'The answer would be too large: ask for fewer rows, fields or related rows.';
  return new ApiError(413, 'PAYLOAD_TOO_LARGE', message, databaseDetails(error, verbose), { cause: error });
}

function rejectedByAfterRead({ status, code, message, details }: ApiError, cause: unknown): ApiError {
  return new ApiError(status, code, message, { stage: 'afterRead', ...details }, { cause });
}

/** An id that cannot be of the key's type names no row; a filter value that cannot be of its column's type is refused by name. */
function unreadableValue(error: DatabaseError, parameter: number, request: ParsedRead, options: Options): ApiError {
  const source: ValueSource | undefined = request.sources[placeOf(parameter)];
  if (source?.kind === 'id') return notFound(request, options, parameter);
  if (source?.kind === 'vector') return invalidVector(error, options);
  const field = source?.kind === 'filter' ? source.field : undefined;
  const value = field === undefined ? 'A filter value' : `The value for "${field}"`;
  const details = { ...(field !== undefined && { field }), ...databaseDetails(error, options.verbose) };
  return new ApiError(400, 'INVALID_FILTER_VALUE', `${value} cannot be read as its field's type.`, details, { cause: error });
}

/**
 * A data exception while rows were read. Only what the statement itself takes apart is the request's: the parts of a
 * composite id, the values in a cursor, a vector. Else a policy or a stored value is to blame, not the caller.
 */
function dataException(error: DatabaseError, request: ParsedRead, options: Options): ApiError {
  const { shape } = request;
  const isUnreadable = isUnreadableText(error);
  if (isUnreadable && hasCompositeId(shape.path, options.catalog.current.document)) return notFound(request, options);
  const details = databaseDetails(error, options.verbose);
  if (isUnreadable && shape.after) {
    return new ApiError(400, 'INVALID_CURSOR', 'The cursor is of an order that this collection no longer has.', details, { cause: error });
  }
  if (isPlainDataException(error) && shape.vector) return invalidVector(error, options);
  return new ApiError(500, 'INTERNAL_ERROR', 'Internal error.', details, { cause: error });
}

function invalidVector(error: DatabaseError, { verbose }: Options): ApiError {
  const message = 'The vector cannot be compared with this property: it has another length, or is none.';
  return new ApiError(400, 'INVALID_VECTOR', message, databaseDetails(error, verbose), { cause: error });
}

/** `parameter` is the id that is to blame, if one is known; else it is the last one, of a path that ends in an id. */
export function notFound({ shape: { path }, values }: ParsedRead, { catalog, verbose }: Options, parameter = lastId(path)): ApiError {
  const details = verbose && typeof parameter === 'number'
    ? rowAt(path, parameter, values, catalog.current.document)
    : undefined;
  return new ApiError(404, 'NOT_FOUND', 'No such row, or row security hides it from this caller.', details);
}

/** The row that a read asks for, without `id` the collection. */
export function rowAsked({ shape: { path }, values }: ParsedRead, document: CatalogDocument): Row {
  const parameter = lastId(path);
  return typeof parameter === 'number' ? rowAt(path, parameter, values, document) : { collection: collectionAt(path, document) };
}

type Row = { collection: string | number | undefined; id?: string | undefined };

function rowAt(path: ReadShape['path'], parameter: number, values: readonly string[], document: CatalogDocument): Row {
  return { collection: collectionAt(path.slice(0, path.indexOf(parameter)), document), id: values[placeOf(parameter)] };
}

function lastId(path: ReadShape['path']): string | number | undefined {
  return path.length % 2 === 0 ? path.at(-1) : undefined;
}

function hasCompositeId(path: ReadShape['path'], document: CatalogDocument): boolean {
  const slugs = path.flatMap((_, i) => i % 2 === 1 ? [collectionAt(path.slice(0, i), document)] : []);
  return document.collections.some(({ slug, key }) => key.length > 1 && slugs.includes(slug));
}

/** The position of a parameter's value among those of the request. */
function placeOf(parameter: number): number {
  return parameter - CALLER_PARAMETERS - 1;
}
