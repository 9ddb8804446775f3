import { isDatabaseError, toApiError, type DatabaseError } from '../../database/sqlstate.ts';
import { ApiError } from '../../error.ts';
import type { DataOptions } from './routes.ts';
import type { Write } from './write-request.ts';

/** What a client is told of a write that failed. `text` is its request as service.write takes it. */
export async function writeRefusal(error: unknown, write: Write, text: string, options: DataOptions): Promise<ApiError> {
  if (!isDatabaseError(error)) return toApiError(error, options.verbose);
  const refused = rowSecurity(error, write) ?? raisedByTrigger(error, write) ?? tooLarge(error, write) ?? toApiError(error, options.verbose);
  // The tables changed without a notification: look again, so that the next request is right.
  if (refused.code === 'SCHEMA_DRIFT') options.database.catalog.refresh().catch(() => undefined);
  if (refused.code === 'NOT_FOUND' && !options.verbose) return new ApiError(404, refused.code, refused.message, undefined, { cause: error });
  return refused.code.startsWith('PG_') ? constraint(error, refused, write, text, options) : refused;
}

/**
 * 42501 is row security when a row failed a policy's check, else a grant that is missing. A delete has nothing to check but
 * the row that a soft delete has marked, which its deleter must still be able to see.
 */
function rowSecurity(error: DatabaseError, { operation, path: [collection] }: Write): ApiError | undefined {
  if (error.code !== '42501' || error.routine !== 'ExecWithCheckOptions') return undefined;
  const message = operation === 'delete'
    ? 'Row security does not let this caller see or write this row once it is marked as deleted. A policy must not test the mark: the API leaves out deleted rows by itself.'
    : 'Row security does not let this caller write this row.';
  return new ApiError(403, 'WRITE_DENIED', message, { collection }, { cause: error });
}

const STAGES: Record<string, string> = { before_save: 'beforeSave', after_save: 'afterSave', before_delete: 'beforeDelete', after_delete: 'afterDelete' };

/** An exception without a class of its own is the trigger's word to the caller. A callback's stage stands in its trigger function's name. */
function raisedByTrigger(error: DatabaseError, { path: [collection] }: Write): ApiError | undefined {
  if (error.code !== 'P0001') return undefined;
  const name = /function (?:service\.)?"?\w*__(before_save|after_save|before_delete|after_delete)"?\(\)/.exec(error.where ?? '')?.[1];
  const stage = name === undefined ? {} : { stage: STAGES[name] };
  return new ApiError(400, 'CALLBACK_REJECTED', error.message, { ...stage, path: collection }, { cause: error });
}

/** A value that an index or the server's own limits cannot hold (54000), or a body nested too deep to be read (54001). */
function tooLarge(error: DatabaseError, { path: [collection] }: Write): ApiError | undefined {
  const isNested = error.code === '54001' && /parameter \$2/.test(error.where ?? '');
  if (error.code !== '54000' && !isNested) return undefined;
  return new ApiError(400, 'VALIDATION_INVALID_VALUE', isNested ? 'The body is nested too deep.' : `A value is too large to be stored: ${error.message}.`, { collection, dbCode: error.code }, { cause: error });
}

/** Details that PostgreSQL gives of these name the key and its values; of the others they show the whole row. */
const TELLING = /^(23505|23503|23P01)$/;

async function constraint(error: DatabaseError, refused: ApiError, write: Write, text: string, options: DataOptions): Promise<ApiError> {
  const message = TELLING.test(error.code) && error.detail ? `${error.message}. ${error.detail}` : error.message;
  return new ApiError(refused.status, refused.code, message, { collection: write.path[0], ...refused.details, ...await violationsOf(error, write, text, options) }, { cause: error });
}

type Violation = { field: string; code: string; message: string };

/** The fields to blame, from the catalog. The answer does not wait for a database that is in trouble, nor fail with it. */
async function violationsOf(error: DatabaseError, { operation }: Write, text: string, { database }: DataOptions): Promise<{ violations?: Violation[] }> {
  if (operation === 'delete' || isUnreadableBody(error)) return {};
  const problem = JSON.stringify({ code: error.code, schema: error.schema_name, table: error.table_name, column: error.column_name, constraint: error.constraint_name, type: error['data type_name'] });
  const statement = { text: 'select service.constraint_violations($1::jsonb, $2::jsonb) as body', prepare: true, enterFirst: false };
  try {
    const [found] = await database.lanes.point.run(statement, [text, problem]);
    return !found ? {} : { violations: JSON.parse(Buffer.from(found).toString('utf8')) as Violation[] };
  } catch {
    return {};
  }
}

/** The body itself is no JSON to the database: a \u0000, half a surrogate pair, a number beyond all digits. */
function isUnreadableBody(error: DatabaseError): boolean {
  return /parameter \$2/.test(error.where ?? '');
}
