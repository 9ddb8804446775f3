import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../error.ts';
import type { Call, Reply, ReplyHeaders, Route } from '../../http/route.ts';
import { ClientLeft } from '../../http/client-left.ts';
import { forward } from '../../outbound/forward.ts';
import { giveSlab } from '../../process/slabs.ts';
import { forwarded, isOwnHeader } from './files/headers.ts';
import { within } from './timeout.ts';

/** `upstream`: the address of the start that serves functions. `timeout`: milliseconds that it gives a function; 0 is no limit. */
export type UpstreamOptions = { upstream: string; basePath: string; timeout: number };

/** Milliseconds beyond a function's time in which the upstream says so itself. */
const GRACE = 1_000;

/** Routes of a start that passes functions on. The other one judges the caller. */
export function upstreamRoutes({ upstream, basePath, timeout }: UpstreamOptions): Route[] {
  const route = (path: string): Route => ({
    method: 'ANY', path, receives: true,
    handle: call => within(timeout === 0 ? 0 : timeout + GRACE, ending => pass(call, ending())),
  });
  return [route('/functions'), route('/functions/*')];

  async function pass(call: Call, ending: AbortController): Promise<Reply> {
    const query = call.query === '' ? '' : `?${call.query}`;
    const { length } = call.incoming;
    const body = bodyOf(call, () => { ending.abort(); });
    if (length === 0) await body.next();
    const message = await forward({
      url: `${upstream}${basePath}${call.path}${query}`, method: call.method, headers: headersOf(call),
      body: length === 0 ? undefined : body,
      signal: ending.signal,
    }).catch((cause: unknown) => {
      if (cause instanceof ClientLeft || call.gone) throw cause;
      throw new ApiError(502, 'FUNCTIONS_UPSTREAM_UNREACHABLE', 'The server of functions does not answer; try again.', undefined,
        { cause });
    });
    return replyOf(call.method, message);
  }
}

/** Once it has ended, the client is watched: it may leave before the answer. Not earlier, since the end of a body holds its connection. */
async function* bodyOf(call: Call, whenGone: () => void): AsyncGenerator<Uint8Array> {
  for await (const piece of call.incoming) {
    yield piece;
    giveSlab(piece);
  }
  call.watch(whenGone);
}

/** With the address of the client, as this start knows it: the other one trusts it by `TRUSTED_PROXY_HOPS`. */
function headersOf(call: Call): [string, string][] {
  const { length } = call.incoming;
  const framing: [string, string][] = length === undefined ? [['transfer-encoding', 'chunked']]
    : length === 0 ? [] : [['content-length', String(length)]];
  const kept = forwarded(call.allHeaders(), call.requestId).filter(([name]) => name !== 'x-forwarded-for');
  return [...kept, ['x-forwarded-for', call.ip], ...framing];
}

function replyOf(method: string, message: IncomingMessage): Reply {
  const { statusCode: status = 502, headers } = message;
  const announced = headers['content-length'];
  const length = announced === undefined ? undefined : Number(announced);
  const isBodiless = method === 'HEAD' || status === 204 || status === 304;
  if (isBodiless) message.destroy();
  return {
    status, asIs: true, headers: replyHeaders(message),
    ...(!isBodiless && { body: { length, source: message } }),
    ...(method === 'HEAD' && length !== undefined && { body: { length } }),
  };
}

function replyHeaders({ headers }: IncomingMessage): ReplyHeaders {
  const kept = Object.entries(headers).filter((entry): entry is [string, string | string[]] =>
    entry[1] !== undefined && !isOwnHeader(entry[0]));
  return Object.fromEntries(kept);
}
