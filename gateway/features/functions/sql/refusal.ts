import type { CatalogKeeper } from '../../../catalog/catalog.ts';
import { readRefusal } from '../../../catalog/read-refusal.ts';
import { databaseDetails, toApiError, unreadableParameter } from '../../../database/refusal.ts';
import {
  isCanceled, isDatabaseError, isDenied, isNestedTooDeep, isRaised, isRefusedRow, isUnreadableInput, isUnreadableText, isWriteInRead,
  type DatabaseError,
} from '../../../database/sqlstate.ts';
import { ApiError } from '../../../error.ts';
import { overdue } from '../timeout.ts';
import type { ParsedCall } from './request.ts';

export type Violation = { field: string; code: string; message: string };
type Options = { catalog: CatalogKeeper; verbose: boolean; unreadable: () => Promise<readonly Violation[]> };

/** The error that a client gets for a failed call: as of a write, but for the values of filters, which are as those of reads. */
export async function callRefusal(error: unknown, request: ParsedCall, options: Options): Promise<ApiError> {
  if (!isDatabaseError(error)) return toApiError(error, options.verbose);
  const parameter = unreadableParameter(error) ?? nestedParameter(error);
  if (parameter !== undefined) return parameter === request.shape.call.body ? ofBody(error, options) : readRefusal(error, request, options);
  if (isRaised(error)) return new ApiError(400, 'BAD_REQUEST', error.message, undefined, { cause: error });
  if (isRefusedRow(error)) {
    return new ApiError(403, 'WRITE_DENIED', 'Row security does not let this caller write this row.',
      { function: request.shape.call.function }, { cause: error });
  }
  if (isWriteInRead(error)) {
    return new ApiError(409, 'READ_ONLY_TRANSACTION', 'A function that is not volatile may not write.',
      databaseDetails(error, options.verbose), { cause: error });
  }
  if (isCanceled(error)) return overdue(error);
  return isUnreadableInput(error) && !isDenied(error) ? ofArguments(error, request, options) : toApiError(error, options.verbose);
}

/** The arguments that their types cannot read; else the function has met such a value by itself. */
async function ofArguments(error: DatabaseError, { shape }: ParsedCall, { verbose, unreadable }: Options): Promise<ApiError> {
  const violations = await unreadable();
  if (violations.length === 0) return toApiError(error, verbose);
  const messages = violations.map(({ message }) => message);
  const details = { function: shape.call.function, violations, messages, ...databaseDetails(error, verbose) };
  return new ApiError(400, 'VALIDATION_INVALID_VALUE', messages.join(' '), details, { cause: error });
}

function ofBody(error: DatabaseError, { verbose }: Options): ApiError {
  if (isNestedTooDeep(error)) {
    return new ApiError(400, 'VALIDATION_INVALID_VALUE', 'The body is nested too deep.', databaseDetails(error, verbose), { cause: error });
  }
  // Half a surrogate pair is valid JSON, but no text type can hold it: then PostgreSQL's detail speaks of Unicode.
  const isSyntax = isUnreadableText(error) && !/unicode/i.test(error.detail ?? '');
  if (!isSyntax) return toApiError(error, verbose);
  return new ApiError(400, 'BAD_REQUEST', 'The body is not valid JSON.', undefined, { cause: error });
}

function nestedParameter(error: DatabaseError): number | undefined {
  const number = isNestedTooDeep(error) ? /portal.*parameter \$(\d+)/.exec(error.where ?? '')?.[1] : undefined;
  return number === undefined ? undefined : Number(number);
}
