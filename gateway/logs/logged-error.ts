import { isDatabaseError, isRaised, namesThingsOnly, raisedStatus, type DatabaseError } from '../database/sqlstate.ts';

/** An error as it is logged. */
export type LoggedError = { type: string; message: string; stack: string; cause?: LoggedError; [field: string]: unknown };

/** Fields of errors that say where it happened, and hold no value of a request. */
const FIELDS = [
  'code', 'errno', 'syscall', 'address', 'port', 'hostname',
  'severity', 'routine', 'schema_name', 'table_name', 'column_name', 'constraint_name',
];
/** Fields of a database error with SQL and values: for development. */
const RAW_FIELDS = ['query', 'detail', 'hint', 'where'];
const DEEPEST = 8;

/**
 * Returns what pino writes of an error: its type, message, place and causes. SQL, values of rows and of requests, credentials in addresses
 * are left out, because error messages quote them.
 * @param raw whether failing SQL, and what the database says of it, is shown
 */
export function errorSerializer(raw: boolean): (error: unknown) => unknown {
  return error => error instanceof Error ? logged(error, 1) : undefined;

  function logged(error: Error, depth: number): LoggedError {
    const { cause } = error;
    const given = error as unknown as Record<string, unknown>;
    const fields = raw && isDatabaseError(error) ? [...FIELDS, ...RAW_FIELDS] : FIELDS;
    return {
      type: error.constructor.name,
      message: raw && isDatabaseError(error) ? error.message : messageOf(error),
      ...Object.fromEntries(fields.flatMap(name => isPlain(given[name]) ? [[name, given[name]]] : [])),
      stack: framesOf(error),
      ...(cause instanceof Error && depth < DEEPEST && { cause: logged(cause, depth + 1) }),
    };
  }
}

function messageOf(error: Error): string {
  if (isDatabaseError(error)) return databaseMessage(error);
  // JSON.parse quotes the text that it cannot read.
  return withoutCredentials(error instanceof SyntaxError ? withoutQuotes(error.message) : error.message);
}

/** The project's SQL may raise any text, with values in it; PostgreSQL's own messages have values in double quotes. */
function databaseMessage(error: DatabaseError): string {
  if (namesThingsOnly(error)) return error.message;
  return isRaised(error) || raisedStatus(error) !== undefined ? 'raised by SQL of the project' : withoutQuotes(error.message);
}

/** From the first quote to the last: a value may hold some. */
function withoutQuotes(message: string): string {
  return message.replace(/["'].*["']/s, '"…"');
}

/** User and query of addresses. */
function withoutCredentials(message: string): string {
  return message.replace(/(\w+:\/\/)(?:[^\s/@]*@)?([^\s?#"'<>]*)(?:[?#][^\s"'<>]*)?/g, '$1$2');
}

/** The message stands before them. */
function framesOf({ stack = '', message }: Error): string {
  const isThere = message !== '' && stack.includes(message);
  return stack.slice(isThere ? stack.indexOf(message) + message.length : 0).split('\n').filter(line => /^\s+at /.test(line)).join('\n');
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
