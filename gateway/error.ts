import type { ErrorCode } from './error-codes.ts';

export type { ErrorCode };

/** The one error a client may see: its status, its stable code, a human message, and what it is about. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(status: number, code: ErrorCode, message: string, details?: Record<string, unknown>, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** The service cannot start, for a reason that the operator can mend. Its message, a line a problem, is the whole of what is printed. */
export class BootError extends Error {
  override readonly name: string = 'BootError';
}
