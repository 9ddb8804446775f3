import { toApiError } from '../../database/refusal.ts';
import {
  isDatabaseError, isForeignKey, isNestedTooDeep, isRaised, isRefusedRow, isRefusedValue, isTooLarge, isUnreadableInput, isUnreadableText,
  namesKey, type DatabaseError,
} from '../../database/sqlstate.ts';
import { ApiError } from '../../error.ts';
import { CALLER_PARAMETERS } from '../../grammar/read/shape.ts';
import type { ParsedWrite, WriteShape } from '../../grammar/write/shape.ts';
import { indexOf, single, withIndex } from './one-of-many.ts';
import type { DataOptions } from './options.ts';

type Options = Pick<DataOptions, 'catalog' | 'lanes' | 'verbose'>;

/** The error that a client gets for a failed write; for many, with the index of the row. */
export async function writeRefusal(error: unknown, request: ParsedWrite, options: Options): Promise<ApiError> {
  if (error instanceof ApiError) return error;
  const index = indexOf(error, request);
  const refused = await refusalOf(error, index === undefined ? request : single(request, index), options);
  return withPath(withIndex(refused, index ?? refused.details?.['index'], request), request);
}

/** For a nested write the collection alone does not tell where it was sent. */
function withPath(refused: ApiError, { shape, path }: ParsedWrite): ApiError {
  if (shape.path === undefined || refused.details === undefined) return refused;
  const details = { path: path.join('/'), ...refused.details };
  return new ApiError(refused.status, refused.code, refused.message, details, { cause: refused.cause });
}

async function refusalOf(error: unknown, request: ParsedWrite, options: Options): Promise<ApiError> {
  if (!isDatabaseError(error)) return toApiError(error, options.verbose);
  const { shape } = request;
  const understood = notJson(error) ?? rowSecurity(error, shape) ?? raisedByTrigger(error, shape) ?? tooLarge(error, shape, options);
  const refused = understood ?? await unreadableInput(error, request, options) ?? toApiError(error, options.verbose);
  if (refused.code === 'NOT_FOUND' && !options.verbose) {
    return new ApiError(404, refused.code, refused.message, undefined, { cause: error });
  }
  return isRefusedValue(error) ? withViolations(error, refused, request, options) : refused;
}

/** Half a surrogate pair is valid JSON, but no text type can hold it: then PostgreSQL's detail speaks of Unicode. */
function notJson(error: DatabaseError): ApiError | undefined {
  const isSyntax = /\bjson\b/.test(error.message) && !/unicode/i.test(error.detail ?? '');
  if (!isUnreadableText(error) || !isOfBody(error) || !isSyntax) return undefined;
  return new ApiError(400, 'BAD_REQUEST', 'The body is not valid JSON.', undefined, { cause: error });
}

/**
 * Row security refuses when a row fails a policy's check; else a grant is missing. A delete has nothing to check but
 * the row that a soft delete has marked, which its deleter must still be able to see.
 */
function rowSecurity(error: DatabaseError, { op, collection }: WriteShape): ApiError | undefined {
  if (!isRefusedRow(error)) return undefined;
  const message = op === 'delete'
    ? 'Row security does not let this caller see or write this row once it is marked as deleted. '
      + 'A policy must not test the mark: the API leaves out deleted rows by itself.'
    : 'Row security does not let this caller write this row.';
  return new ApiError(403, 'WRITE_DENIED', message, { collection }, { cause: error });
}

const STAGES: Record<string, string> = {
  before_save: 'beforeSave', after_save: 'afterSave', before_delete: 'beforeDelete', after_delete: 'afterDelete',
};

/**
 * An exception without a class of its own is the trigger's message to the caller. The stage of a callback is in the name of its trigger
 * function.
 */
function raisedByTrigger(error: DatabaseError, { collection }: WriteShape): ApiError | undefined {
  if (!isRaised(error)) return undefined;
  const trigger = /function (?:service_private\.)?"?\w*__(before_save|after_save|before_delete|after_delete)"?\(\)/;
  const name = trigger.exec(error.where ?? '')?.[1];
  const stage = name === undefined ? {} : { stage: STAGES[name] };
  return new ApiError(400, 'CALLBACK_REJECTED', error.message, { ...stage, path: collection }, { cause: error });
}

/** A value that an index or the server's own limits cannot hold, or a body nested too deep to be read. */
function tooLarge(error: DatabaseError, { collection }: WriteShape, { verbose }: Options): ApiError | undefined {
  const isNested = isNestedTooDeep(error) && isOfBody(error);
  if (!isTooLarge(error) && !isNested) return undefined;
  const message = isNested ? 'The body is nested too deep.' : `A value is too large to be stored${verbose ? `: ${error.message}` : ''}.`;
  return new ApiError(400, 'VALIDATION_INVALID_VALUE', message, { collection, dbCode: error.code }, { cause: error });
}

async function withViolations(
  error: DatabaseError, refused: ApiError, { shape, text }: ParsedWrite, { lanes, verbose }: Options,
): Promise<ApiError> {
  // An error of the body as a whole has no violations by field: a \u0000, half a surrogate pair, a number with too many digits.
  const violations = shape.op === 'delete' || isOfBody(error) ? {} : await violationsOf(error, text, lanes.point);
  const details = { collection: shape.collection, ...refused.details, ...violations };
  const message = verbose ? databaseWords(error) : ownWords(error, shape, violations) ?? refused.message;
  return new ApiError(refused.status, refused.code, message, details, { cause: error });
}

function databaseWords(error: DatabaseError): string {
  return namesKey(error) && error.detail ? `${error.message}. ${error.detail}` : error.message;
}

/** In production: the database's messages name tables and constraints, which clients must not see. */
function ownWords(error: DatabaseError, { op }: WriteShape, { violations }: Violations): string | undefined {
  if (op === 'delete' && isForeignKey(error)) return 'Other rows refer to this one.';
  return violations?.map(({ message }) => message).join(' ');
}

/** Bad syntax may be that of a value (ltree) as well as that of a trigger's statement: only a field that cannot be read tells. */
async function unreadableInput(
  error: DatabaseError, { shape, text }: ParsedWrite, { lanes, verbose }: Options,
): Promise<ApiError | undefined> {
  if (!isUnreadableInput(error) || isRefusedValue(error) || shape.op === 'delete') return undefined;
  const found = await violationsOf(error, text, lanes.point);
  const details = { collection: shape.collection, dbCode: error.code, ...found };
  const message = verbose ? error.message : ownWords(error, shape, found) ?? '';
  return found.violations && new ApiError(400, `PG_${error.code}`, message, details, { cause: error });
}

type Violations = { violations?: { field: string; code: string; message: string }[] };

/** The fields to blame, from the catalog. The answer does not wait for a database that is in trouble, nor fail with it. */
async function violationsOf(error: DatabaseError, text: string, lane: Options['lanes']['point']): Promise<Violations> {
  const { code, schema_name: schema, table_name: table, column_name: column, constraint_name: constraint, 'data type_name': type } = error;
  const statement = {
    text: 'select service_private.constraint_violations($1::jsonb, $2::jsonb) as body', prepare: true, enterFirst: false,
  };
  try {
    const [found] = await lane.run(statement, [text, JSON.stringify({ code, schema, table, column, constraint, type })]);
    return !found ? {} : { violations: JSON.parse(Buffer.from(found).toString('utf8')) as NonNullable<Violations['violations']> };
  } catch {
    return {};
  }
}

/** The database could not read the request itself. */
function isOfBody(error: DatabaseError): boolean {
  return (error.where ?? '').includes(`parameter $${CALLER_PARAMETERS + 1}`);
}
