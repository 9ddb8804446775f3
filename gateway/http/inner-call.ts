import { randomUUID } from 'node:crypto';
import { NOTHING, type Incoming } from './incoming.ts';
import { jsonBytes, jsonObject } from './json-body.ts';
import type { Call, Method } from './route.ts';

/** `path`: the segments below the base path, as they are. `incoming`: the body on its way in, in place of `body`. */
export type InnerRequest = {
  method: Method; path: readonly string[]; query?: string; headers?: Record<string, string>; body?: string; incoming?: Incoming;
};
/** `requestId`: of the request that this one is made for, if it is one. */
type Client = { ip: string; readonly signal: AbortSignal; readonly requestId?: string };

const EMPTY = Buffer.alloc(0);

/** A request that the service itself makes, for a client that asked for something else. */
export function innerCall(
  { method, path, query = '', headers = {}, body = '', incoming = NOTHING }: InnerRequest, client: Client,
): Call {
  const bytes = body === '' ? EMPTY : Buffer.from(body);
  return {
    method,
    path: `/${path.map(encoded).join('/')}`,
    query,
    params: {},
    header: name => headers[name] ?? '',
    allHeaders: () => Object.entries(headers),
    requestId: client.requestId ?? randomUUID(),
    get ip() { return client.ip; },
    get signal() { return client.signal; },
    get gone() { return client.signal.aborted; },
    watch: () => undefined,
    hold: () => Promise.resolve(),
    answerHeaders: {},
    body: bytes,
    incoming,
    jsonBytes: () => jsonBytes(bytes, ''),
    json: () => jsonObject(bytes, ''),
  };
}

/** No URL can spell half a surrogate pair: the routes refuse what stands for it as they refuse other bytes that are no text. */
function encoded(segment: string): string {
  return segment.isWellFormed() ? encodeURIComponent(segment) : '%FF';
}
