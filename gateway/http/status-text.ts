import { STATUS_CODES } from 'node:http';

const lines = new Map(Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text ?? ''}`]));

/** `404 Not Found`, as it stands in the first line of an answer. */
export function statusText(status: number): string {
  return lines.get(status) ?? String(status);
}
