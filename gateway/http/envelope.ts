import { ApiError } from '../error.ts';
import type { Reply } from './route.ts';

const generic = 'Something went wrong on the server. Quote the request id when you report it.';

/** Seconds. Most outages are short: a database that restarts, another process, a connection that becomes free. */
export const RETRY_AFTER = { 'Retry-After': '1' };

/** RFC 9110: a 401 names the scheme that it wants (section 15.5.2), a 503 says when to come again (section 10.2.3). */
const headersOfStatus: Record<number, Record<string, string>> = { 401: { 'WWW-Authenticate': 'Bearer' }, 503: RETRY_AFTER };

/** The one place that writes an error: `{"error":{message, code, details?, requestId}}`. */
export function errorReply(error: unknown, requestId: string): Reply & { status: number } {
  const { status, code, message, details } = shown(error);
  const body = jsonText({ message, code, details, requestId });
  return { status, body, headers: headersOfStatus[status] ?? {} };
}

/** A 500 keeps its code and details and loses its text, which may tell how the inside looks. */
export function shown(error: unknown): Pick<ApiError, 'status' | 'code' | 'message' | 'details'> {
  if (!(error instanceof ApiError)) return { status: 500, code: 'INTERNAL_ERROR', message: generic, details: undefined };
  const { status, code, details } = error;
  return { status, code, details, message: status === 500 ? generic : error.message };
}

/** Details come from many places; one that JSON cannot hold must not cost the client the rest. */
function jsonText(error: { message: string; code: string; details: unknown; requestId: string }): string {
  try {
    return JSON.stringify({ error });
  } catch {
    return JSON.stringify({ error: { ...error, details: undefined } });
  }
}
