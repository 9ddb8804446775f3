import { ApiError } from '../error.ts';

/** What PostgreSQL reported, as far as a mapping needs it. */
export type DatabaseError = Error & { code: string; detail?: string; hint?: string; where?: string; routine?: string; schema_name?: string; table_name?: string; column_name?: string; constraint_name?: string; 'data type_name'?: string };

/** Without a message of ours it is the author's: what a project's own SQL raises is meant for its clients. */
type Mapping = { matches: RegExp; status: number; code: string | ((state: string) => string); message?: string };

/**
 * SQLSTATEs and what a client is told, first match wins. 57014, 55P03 (a lock that was not given in time), 53xxx, 57Pxx and 08xxx mean that the database could
 * not answer now; anything that is not here is a fault of ours.
 */
const MAPPINGS: Mapping[] = [
  { matches: /^(23505|23P01)$/, status: 409, code: state => `PG_${state}`, message: 'A row with these values exists already.' },
  { matches: /^(22|23)/, status: 400, code: state => `PG_${state}`, message: 'The database refused a value.' },
  { matches: /^40(001|P01)$/, status: 409, code: 'CONFLICT', message: 'The request collided with another one; try again.' },
  { matches: /^(42P01|42703)$/, status: 500, code: 'SCHEMA_DRIFT', message: 'The database no longer has a table or column that the service expects.' },
  { matches: /^42501$/, status: 500, code: 'DB_PERMISSION_DENIED', message: 'The database refused access.' },
  { matches: /^P0001$/, status: 400, code: 'CALLBACK_REJECTED' },
  { matches: /^25006$/, status: 409, code: 'READ_ONLY_TRANSACTION', message: 'A read may not write.' },
  { matches: /^(57014|55P03|53...|57P..|08...)$/, status: 503, code: 'SERVICE_UNAVAILABLE', message: 'The database could not answer in time.' },
];

const SQLSTATE = /^[0-9A-Z]{5}$/;

export function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'severity' in error;
}

/** What a client is told of a failed statement; `verbose` (outside production) adds the database's own words. */
export function toApiError(error: unknown, verbose: boolean): ApiError {
  if (error instanceof ApiError) return error;
  if (!isDatabaseError(error)) return unavailable(error);
  return raisedByService(error) ?? mapped(error, verbose);
}

/** The connection failed, or we gave up waiting: whether the statement ran is not known. */
export function unavailable(cause: unknown): ApiError {
  return new ApiError(503, 'SERVICE_UNAVAILABLE', 'The database could not be reached.', undefined, { cause });
}

/** `service.fail` raises GW<status> with the code as hint and the details as JSON. A project's own SQL may do so too, and err in it. */
function raisedByService(error: DatabaseError): ApiError | undefined {
  const status = /^GW([45]\d\d)$/.exec(error.code)?.[1];
  return status === undefined ? undefined : new ApiError(Number(status), error.hint ?? 'INTERNAL_ERROR', error.message, detailsOf(error));
}

function detailsOf({ detail = '' }: DatabaseError): Record<string, unknown> | undefined {
  try {
    const details: unknown = JSON.parse(detail);
    return typeof details === 'object' && details !== null && !Array.isArray(details) ? details as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}

function mapped(error: DatabaseError, verbose: boolean): ApiError {
  const mapping = MAPPINGS.find(({ matches }) => matches.test(error.code));
  const code = typeof mapping?.code === 'function' ? mapping.code(error.code) : mapping?.code;
  return new ApiError(mapping?.status ?? 500, code ?? 'INTERNAL_ERROR', mapping === undefined ? 'Internal error.' : mapping.message ?? error.message, databaseDetails(error, verbose), { cause: error });
}

export function databaseDetails(error: DatabaseError, verbose: boolean): Record<string, unknown> {
  return {
    dbCode: error.code,
    ...(verbose ? { dbMessage: error.message, ...(error.detail ? { detail: error.detail } : {}), ...(error.hint ? { hint: error.hint } : {}) } : {}),
  };
}

/** Besides data exceptions a type's input may report bad syntax or an unknown name (42xxx: ltree, regclass), what it does not support, or nothing better (XX000: hstore before 16). */
const UNREADABLE = /^(0A|22|23|42|54|XX000)/;

/** The number of the parameter that a statement could not read ($2 is 2), when that is what failed. */
export function unreadableParameter(error: DatabaseError): number | undefined {
  const number = UNREADABLE.test(error.code) ? /portal.*parameter \$(\d+)/.exec(error.where ?? '')?.[1] : undefined;
  return number === undefined ? undefined : Number(number);
}

/** Whether a connection that reported this can be used again. */
export function breaksConnection(error: unknown): boolean {
  return !isDatabaseError(error) || !SQLSTATE.test(error.code) || /^(57P|08|53300)/.test(error.code);
}
