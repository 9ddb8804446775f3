import { ApiError } from '../../error.ts';
import { isDatabaseError, isRaised, raisedStatus, type DatabaseError } from '../../database/sqlstate.ts';

/** The reason why the service ended a run. `patience`: milliseconds in which its handler is expected to end then. */
export class RunEnded extends Error {
  readonly patience: number;

  constructor(message: string, patience = PATIENCE) {
    super(message);
    this.patience = patience;
  }
}

/** A call of the database that was told to end is closed after five seconds. */
const PATIENCE = 6_000;

/** Characters of a message that are kept. */
const LONGEST = 4_000;

/** Classes of SQLSTATEs (PostgreSQL's manual, appendix A) in words. The server's own messages quote values and SQL. */
const CLASSES: Readonly<Record<string, string>> = {
  '08': 'The connection to the database was lost',
  '0A': 'The database does not support a feature that was used',
  '21': 'A subquery returned more than one row',
  '22': 'A value could not be used',
  '23': 'A constraint of a table was violated',
  '25': 'The state of the transaction did not allow it',
  '40': 'The run collided with another transaction',
  '42': 'A statement has a fault, names what is not there, or uses what it may not',
  '44': 'A row does not fit the view that it was written to',
  '53': 'The database is out of resources',
  '54': 'A limit of the database was exceeded',
  '55': 'Something was not in the state that a statement needs, or was locked',
  '57': 'The database ended the statement',
  'P0': 'A query found too few or too many rows, or an assertion failed',
};

/** The failure of a run for its log, without SQL and without values: the words of the project where it raised the error itself. */
export function failureOf(error: unknown): string {
  if (isDatabaseError(error)) return bounded(isRaised(error) || raisedStatus(error) !== undefined ? error.message : inWords(error));
  if (error instanceof ApiError && typeof error.details?.['dbCode'] === 'string') return bounded(refusalInWords(error));
  return bounded(error instanceof Error ? error.message : String(error));
}

/** The same for a statement that a file asked for: what the project raised has this code. */
function refusalInWords({ code, message, details }: ApiError): string {
  return code === 'CALLBACK_REJECTED' ? message : inWords({ code: String(details?.['dbCode']) });
}

/** The same for a run that is one call of the database: what is no error of the server's is one of the connection. */
export function databaseFailureOf(error: unknown): string {
  return isDatabaseError(error) || error instanceof RunEnded ? failureOf(error) : `${CLASSES['08'] ?? ''}.`;
}

function inWords({ code }: Pick<DatabaseError, 'code'>): string {
  return `${CLASSES[code.slice(0, 2)] ?? 'The database reported an error'} (SQLSTATE ${code}).`;
}

function bounded(message: string): string {
  return storable(message).slice(0, LONGEST);
}

/** A text that PostgreSQL can keep. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
