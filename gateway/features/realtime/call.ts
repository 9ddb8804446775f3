import { randomUUID } from 'node:crypto';
import { NOTHING } from '../../http/incoming.ts';
import { jsonBytes, jsonObject } from '../../http/json-body.ts';
import type { Call, Method } from '../../http/route.ts';
import type { Session } from './session.ts';

export type Asked = { method: Method; path: readonly string[]; query?: string; headers?: Record<string, string>; body?: string };

/** Translates a frame into a request below `/data/` of the same caller. */
export function callOf(session: Session, { method, path, query = '', headers = {}, body = '' }: Asked): Call {
  const bytes = Buffer.from(body);
  return {
    method,
    path: `/data/${path.map(encodeURIComponent).join('/')}`,
    query,
    params: {},
    header: name => headers[name] ?? '',
    requestId: randomUUID(),
    ip: session.socket.ip,
    get signal() { return session.signal; },
    get gone() { return session.signal.aborted; },
    answerHeaders: {},
    body: bytes,
    incoming: NOTHING,
    jsonBytes: () => jsonBytes(bytes, ''),
    json: () => jsonObject(bytes, ''),
  };
}
