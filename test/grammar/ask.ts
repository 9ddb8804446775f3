import { ApiError } from '../../gateway/error.ts';
import { parseRead } from '../../gateway/grammar/read/request.ts';
import type { ParsedRead } from '../../gateway/grammar/read/shape.ts';

/** Parses a URL below `/data`, its query exactly as written, and shows the answer as the compiler sees it: as JSON. */
export function ask(url: string, prefer = ''): ParsedRead {
  const question = url.indexOf('?');
  const path = question === -1 ? url : url.slice(0, question);
  const segments = path.split('/').slice(1).map(segment => decodeURIComponent(segment));
  const parsed = parseRead(segments, question === -1 ? '' : url.slice(question + 1),
    { defaultLimit: 50, maxLimit: 1000, maxIncludeLimit: 10_000, prefer });
  return JSON.parse(JSON.stringify(parsed)) as ParsedRead;
}

/** The error that answers a URL: its status, its code, its details. */
export function refusal(url: string): [status: number, code: string, details?: unknown] {
  try {
    ask(url);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.details ? [error.status, error.code, error.details] : [error.status, error.code];
  }
  throw new Error(`${url} was not refused`);
}

/** A JSON value as a query parameter. */
export const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

/** A cursor in the form that the service issues; the grammar cannot tell a true signature from this one. */
export function cursor(keys: unknown, values: unknown): string {
  return `${Buffer.from(JSON.stringify({ k: keys, v: values })).toString('base64url')}.c2lnbmF0dXJl`;
}
