import { Readable } from 'node:stream';
import type { Reply, Streamed } from '../../../http/route.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The headers of an answer that no client gets, one line each. */
export function headersOf({ headers = {}, type = JSON_TYPE, body }: Reply): [string, string][] {
  const length = lengthOf(body);
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((line): [string, string] => [name, line]));
  return [...lines, ...(body === undefined ? [] : [['content-type', type] as [string, string]]),
    ...(length === undefined ? [] : [['content-length', String(length)] as [string, string]])];
}

/** Its body; null without one. */
export function bytesOf({ body }: Reply): AsyncIterable<Uint8Array> | null {
  if (body === undefined) return null;
  return typeof body === 'object' && !(body instanceof Uint8Array) ? streamed(body) : Readable.from([Buffer.from(body as string)]);
}

function lengthOf(body: Reply['body']): number | undefined {
  if (body === undefined) return undefined;
  return typeof body === 'object' && !(body instanceof Uint8Array) ? body.length : Buffer.byteLength(body);
}

/**
 * Copies, because the pieces wait for their turn while their memory is used again.
 * @throws Error for a source that ends before its length.
 */
async function* streamed({ length, source, recycle }: Streamed): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const piece of source ?? []) {
    const copy = Buffer.from(piece as Uint8Array);
    recycle?.(piece as Uint8Array);
    sent += copy.length;
    yield copy;
  }
  if (length !== undefined && sent < length) throw new Error('The file ended before its length.');
}
