// To import it would load all of it, with the HTTP client, for a tenth of a start.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const lines = new Map(Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text ?? ''}`]));

/** `404 Not Found`, as it stands in the first line of an answer. */
export function statusText(status: number): string {
  return lines.get(status) ?? String(status);
}
