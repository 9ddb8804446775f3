/** An error of PostgreSQL, with the fields that are used here. */
export type DatabaseError = Error & {
  code: string;
  detail?: string;
  hint?: string;
  where?: string;
  routine?: string;
  schema_name?: string;
  table_name?: string;
  column_name?: string;
  constraint_name?: string;
  'data type_name'?: string;
};

/**
 * The SQLSTATEs that the gateway tells apart, named as in PostgreSQL's manual (appendix A). Whatever begins so is meant:
 * two characters are a class.
 */
const STATES = {
  connection_exceptions: '08',
  protocol_violation: '08P01',
  features_not_supported: '0A',
  data_exceptions: '22',
  data_exception: '22000',
  numeric_value_out_of_range: '22003',
  invalid_datetime_format: '22007',
  datetime_field_overflow: '22008',
  invalid_regular_expression: '2201B',
  invalid_text_representation: '22P02',
  cardinality_violation: '21000',
  integrity_constraint_violations: '23',
  foreign_key_violation: '23503',
  unique_violation: '23505',
  exclusion_violation: '23P01',
  read_only_sql_transaction: '25006',
  invalid_sql_statement_name: '26000',
  invalid_authorization_specifications: '28',
  invalid_authorization_specification: '28000',
  invalid_password: '28P01',
  invalid_catalog_name: '3D000',
  transaction_rollbacks: '40',
  serialization_failure: '40001',
  deadlock_detected: '40P01',
  syntax_errors_and_access_violations: '42',
  insufficient_privilege: '42501',
  undefined_column: '42703',
  undefined_object: '42704',
  duplicate_object: '42710',
  undefined_table: '42P01',
  duplicate_prepared_statement: '42P05',
  insufficient_resources: '53',
  too_many_connections: '53300',
  program_limits_exceeded: '54',
  program_limit_exceeded: '54000',
  statement_too_complex: '54001',
  objects_not_in_prerequisite_state: '55',
  lock_not_available: '55P03',
  query_canceled: '57014',
  /** The server ends the session or accepts none: admin_shutdown, cannot_connect_now, database_dropped, … */
  shutdowns: '57P',
  system_errors: '58',
  raise_exception: 'P0001',
  /** Requests that service.fail refuses. */
  refusals: 'GW40',
  /** service_private.all_written. */
  not_all_written: 'GW000',
  internal_errors: 'XX',
  internal_error: 'XX000',
} as const;

type Test = (error: unknown) => boolean;

export function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'severity' in error;
}

function isOneOf(...names: (keyof typeof STATES)[]): Test {
  const isSaid = isSaidToBe(...names);
  return error => isDatabaseError(error) && isSaid(error);
}

/** By whichever server answers at the address: a pooler's own errors have a state, and lack fields that PostgreSQL's always have. */
function isSaidToBe(...names: (keyof typeof STATES)[]): Test {
  const states = names.map(name => STATES[name]);
  return error => {
    const { code } = error as { code?: unknown };
    return typeof code === 'string' && states.some(state => code.startsWith(state));
  };
}

// Logins and the start of a session.
export const isWrongPassword = isSaidToBe('invalid_password');
export const isRefusedLogin = isSaidToBe('invalid_authorization_specification', 'invalid_password');
/** A pooler's word for a login that it does not know, or a parameter that it does not take. */
export const isProtocolViolation = isSaidToBe('protocol_violation');
export const isMissingDatabase = isSaidToBe('invalid_catalog_name');
/** A right is missing; or row security refused a row. */
export const isDenied = isOneOf('insufficient_privilege');
export const isNameTaken = isOneOf('duplicate_object');
/** A role, a type or the like is not known. */
export const isUnknownName = isOneOf('undefined_object');

// Errors of the values that were sent.
/** A value or the whole row is not what the table takes. */
export const isRefusedValue = isOneOf('data_exceptions', 'integrity_constraint_violations');
export const isDuplicate = isOneOf('unique_violation', 'exclusion_violation');
/** The detail that PostgreSQL gives of these names the key and its values; of the other constraints it shows the whole row. */
export const namesKey = isOneOf('unique_violation', 'exclusion_violation', 'foreign_key_violation');
export const isForeignKey = isOneOf('foreign_key_violation');
export const isDataException = isOneOf('data_exceptions');
/** Text that a type cannot read, where a statement casts it. */
export const isUnreadableText = isOneOf(
  'invalid_text_representation', 'numeric_value_out_of_range', 'invalid_datetime_format', 'datetime_field_overflow');
/**
 * Errors of a type's input function for text that it cannot read: besides data exceptions bad syntax or an unknown name (42: ltree,
 * regclass), unsupported input, or nothing better (XX000: hstore before 16).
 */
export const isUnreadableInput = isOneOf(
  'features_not_supported', 'data_exceptions', 'integrity_constraint_violations', 'syntax_errors_and_access_violations',
  'program_limits_exceeded', 'internal_error');
/** pgvector's word for vectors of different lengths. */
export const isPlainDataException = isOneOf('data_exception');
/** A value that an index or the server's own limits cannot hold. */
export const isTooLarge = isOneOf('program_limit_exceeded');
export const isNestedTooDeep = isOneOf('statement_too_complex');

/** A value that cannot be stored as it is, whenever it is tried. */
export const isUnstorable = isOneOf('data_exceptions', 'program_limits_exceeded');

// Errors of the statement.
/** An exception raised by SQL of the project, without a class of its own. */
export const isRaised = isOneOf('raise_exception');
export const isCollision = isOneOf('serialization_failure', 'deadlock_detected');
export const isReadOnly = isOneOf('read_only_sql_transaction');
const isUnsupported = isOneOf('features_not_supported');
/** A write by a transaction that reads only, or by a function that is declared to. */
export function isWriteInRead(error: unknown): boolean {
  return isReadOnly(error) || (isUnsupported(error) && (error as DatabaseError).message.includes('non-volatile function'));
}
/** The database no longer has a table or column that a statement names. */
export const isDrift = isOneOf('undefined_table', 'undefined_column');
const mayBeOutdated = isOneOf('features_not_supported', 'syntax_errors_and_access_violations', 'internal_error');
/** A lock was not given in time. */
export const isLockTimeout = isOneOf('lock_not_available');
export const isCanceled = isOneOf('query_canceled');
/** The database could not answer now: it took too long, a lock was not given in time, it is full, going down or away. */
export const isUnavailable = isOneOf(
  'query_canceled', 'lock_not_available', 'insufficient_resources', 'shutdowns', 'connection_exceptions');
/** The server takes no more work, or this session ends; the statement is not at fault. */
export const isRefusedWork = isOneOf('insufficient_resources', 'shutdowns', 'connection_exceptions');
/** A prepared statement does not exist here, or another session's statement has this name. */
export const isLostStatement = isOneOf('invalid_sql_statement_name', 'duplicate_prepared_statement');
/** The server ends the session. */
export const endsSession = isOneOf('shutdowns', 'connection_exceptions');
const fillsServer = isOneOf('too_many_connections');

/** Errors whose message quotes names of the schema, and no value. */
export const namesThingsOnly = isOneOf(
  'connection_exceptions', 'integrity_constraint_violations', 'invalid_authorization_specifications', 'invalid_catalog_name',
  'transaction_rollbacks', 'insufficient_privilege', 'undefined_column', 'undefined_object', 'undefined_table', 'insufficient_resources',
  'objects_not_in_prerequisite_state', 'query_canceled', 'shutdowns', 'system_errors');

/** Whether a connection that reported this can be used again. */
export function breaksConnection(error: unknown): boolean {
  return !isDatabaseError(error) || !/^[0-9A-Z]{5}$/.test(error.code) || endsSession(error) || fillsServer(error);
}

/**
 * Failures of the fast path of a write that service_private.write may avoid, or explain better: a plan that no longer fits, values,
 * collisions, rights and names.
 */
export const isRetriedBySteps = isOneOf(
  'features_not_supported', 'data_exceptions', 'transaction_rollbacks', 'syntax_errors_and_access_violations');

/** Errors that one row of many may have caused: service_private.write names it. */
export const isOfOneRow = isOneOf(
  'cardinality_violation', 'integrity_constraint_violations', 'raise_exception', 'refusals', 'not_all_written');

/** Row security refused a row; else a right is missing. */
export function isRefusedRow(error: unknown): boolean {
  return isDenied(error) && (error as DatabaseError).routine === 'ExecWithCheckOptions';
}

/** Whether tables may no longer be what they were when a statement was compiled, or not have been granted yet. */
export function isOutdated(error: unknown): boolean {
  return mayBeOutdated(error) && !isRefusedRow(error);
}

/**
 * Errors of a replica that its primary would not report: a conflict with replay, rows that are not replayed yet, commands that recovery
 * forbids.
 */
const isOfRecovery = isOneOf(
  'connection_exceptions', 'features_not_supported', 'invalid_authorization_specifications', 'transaction_rollbacks',
  'syntax_errors_and_access_violations', 'insufficient_resources', 'objects_not_in_prerequisite_state', 'shutdowns',
  'system_errors', 'internal_errors');

/**
 * Whether the primary may answer what a replica failed at; a connection that was lost counts. A statement that was canceled
 * for what is replayed says what it would have needed; one that took too long, or was given up, does not.
 */
export function isOfReplica(error: unknown): boolean {
  return !isDatabaseError(error) || isOfRecovery(error) || (isCanceled(error) && error.detail !== undefined);
}

/** The status of what SQL refuses in so many words: `service.fail` raises GW<status>, and a project's own SQL may do so too. */
export function raisedStatus(error: unknown): number | undefined {
  const status = isDatabaseError(error) ? /^GW([45]\d\d)$/.exec(error.code)?.[1] : undefined;
  return status === undefined ? undefined : Number(status);
}
