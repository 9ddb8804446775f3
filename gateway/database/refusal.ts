import { ApiError, type ErrorCode } from '../error.ts';
import { didYouMean } from '../spelling.ts';
import {
  isCollision, isDatabaseError, isDenied, isDrift, isDuplicate, isRaised, isReadOnly, isRefusedValue, isUnavailable, isUnreadableInput,
  raisedStatus, type DatabaseError,
} from './sqlstate.ts';

/** Without a message of ours it is the author's: what a project's own SQL raises is meant for its clients. */
type Refusal = {
  of: (error: DatabaseError) => boolean; status: number; code: ErrorCode | ((state: string) => ErrorCode); message?: string;
};

/** The errors that clients get for failed statements; the first match counts. Anything else is a fault of ours. */
const REFUSALS: Refusal[] = [
  { of: isDuplicate, status: 409, code: state => `PG_${state}`, message: 'A row with these values exists already.' },
  { of: isRefusedValue, status: 400, code: state => `PG_${state}`, message: 'The database refused a value.' },
  { of: isCollision, status: 409, code: 'CONFLICT', message: 'The request collided with another one; try again.' },
  { of: isDrift, status: 500, code: 'SCHEMA_DRIFT', message: 'The database no longer has a table or column that the service expects.' },
  { of: isDenied, status: 500, code: 'DB_PERMISSION_DENIED', message: 'The database refused access.' },
  { of: isRaised, status: 400, code: 'CALLBACK_REJECTED' },
  { of: isReadOnly, status: 409, code: 'READ_ONLY_TRANSACTION', message: 'A read may not write.' },
  { of: isUnavailable, status: 503, code: 'SERVICE_UNAVAILABLE', message: 'The database could not answer in time.' },
];
const FAULT = { status: 500, code: 'INTERNAL_ERROR', message: 'Internal error.' } as const;

/** Translates a failed statement into the error that a client gets; `verbose` (outside production) adds the database's own words. */
export function toApiError(error: unknown, verbose: boolean): ApiError {
  if (error instanceof ApiError) return error;
  if (!isDatabaseError(error)) return unavailable(error);
  return raisedByService(error) ?? refused(error, verbose);
}

/** Replaces an error that means that the database does not answer by the one that clients see; returns any other error unchanged. */
export function orUnavailable(error: unknown): unknown {
  return isUnavailable(error) ? toApiError(error, false) : error;
}

/** Too much waits for the database. */
export function busy(): ApiError {
  return new ApiError(503, 'SERVICE_UNAVAILABLE', 'The database is busy; try again.');
}

/** The connection failed, or we gave up waiting: whether the statement ran is not known. */
export function unavailable(cause: unknown): ApiError {
  return new ApiError(503, 'SERVICE_UNAVAILABLE', 'The database could not be reached.', undefined, { cause });
}

/** The code is in the hint, the details are JSON in the detail. A project's own SQL may get both wrong. */
function raisedByService(error: DatabaseError): ApiError | undefined {
  const status = raisedStatus(error);
  if (status === undefined) return undefined;
  const details = detailsOf(error);
  return new ApiError(status, (error.hint ?? FAULT.code) as ErrorCode, error.message + suggestion(details), details);
}

/** The keys of details that hold unknown names, and the names that this caller may see instead. */
const UNKNOWN_NAMES = ['field', 'fields', 'operator', 'parameter'];
const VALID_NAMES = ['validFields', 'validRelations', 'validOperators', 'validParameters'];

function suggestion(details: Record<string, unknown> = {}): string {
  const { field, relation } = details;
  const unknown = UNKNOWN_NAMES.flatMap(key => texts(details[key])).map(name => misspelt(name, relation !== undefined));
  const known = VALID_NAMES.flatMap(key => texts(details[key]));
  return didYouMean(field === undefined ? [...texts(relation), ...unknown] : unknown, known);
}

/** The last word of `author.nme` and `max(books.pags)`, once the relation was found; else the first. */
function misspelt(name: string, isRelationKnown: boolean): string {
  const words = name.replace(/^\w+\(|\)$/g, '').split('.');
  return (isRelationKnown ? words.at(-1) : words[0])?.trim() ?? '';
}

function texts(value: unknown): string[] {
  return [value].flat().filter(item => typeof item === 'string');
}

function detailsOf({ detail = '' }: DatabaseError): Record<string, unknown> | undefined {
  try {
    const details: unknown = JSON.parse(detail);
    return typeof details === 'object' && details !== null && !Array.isArray(details) ? details as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}

function refused(error: DatabaseError, verbose: boolean): ApiError {
  const { status, code, message = error.message } = REFUSALS.find(({ of }) => of(error)) ?? FAULT;
  const name = typeof code === 'function' ? code(error.code) : code;
  return new ApiError(status, name, message, databaseDetails(error, verbose), { cause: error });
}

export function databaseDetails({ code, message, detail, hint }: DatabaseError, verbose: boolean): Record<string, unknown> {
  return { dbCode: code, ...(verbose && { dbMessage: message, ...(detail && { detail }), ...(hint && { hint }) }) };
}

/** The number of the parameter that a statement could not read ($2 is 2), when that is what failed. */
export function unreadableParameter(error: DatabaseError): number | undefined {
  const number = isUnreadableInput(error) ? /portal.*parameter \$(\d+)/.exec(error.where ?? '')?.[1] : undefined;
  return number === undefined ? undefined : Number(number);
}
