/** An error that the client gets as it is: its status, its stable code, a message, and details. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(status: number, code: string, message: string, details?: Record<string, unknown>) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** The same in the envelope of the service, as an answer. */
export function errorResponse({ status, code, message, details }: ApiError, requestId?: string): Response {
  const headers = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  return Response.json({ error: { message, code, details, requestId } }, { status, headers });
}
