import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../error.ts';
import { bodyFraming, isBodiless, type Bodies } from './body.ts';
import type { Cors } from './cors.ts';
import type { Exchange } from './exchange.ts';
import type { Call, Method, Reply, Route } from './route.ts';
import type { Router } from './router.ts';

export type Dispatch = (exchange: Exchange) => Reply | Promise<Reply>;
export type DispatchOptions = { router: Router; cors: Cors; bodies: Bodies; basePath: string };

/** Longer ones would still meet proxies and browsers that refuse them. */
export const LONGEST_URL = 32 * 1024;

/** Finds the route of a request and calls its handler, after the body has arrived. Throws, or rejects with, the error for the envelope. */
export function createDispatch({ router, cors, bodies, basePath }: DispatchOptions): Dispatch {
  function dispatch(exchange: Exchange): Reply | Promise<Reply> {
    requireShort(exchange);
    if (isPreflight(exchange)) return preflightReply(exchange);
    const framing = bodyFraming(exchange);
    if (framing === 'ambiguous') return refusal(exchange);
    const match = router.match(exchange.method, exchange.path);
    if (match === undefined) return unmatched(exchange);
    exchange.path = match.path;
    exchange.params = match.params;
    exchange.route = match.route;
    exchange.isOpen = match.route.isOpen === true;
    const { admit, receives, changesNothing, handle } = match.route;
    if (receives) return asItComes(exchange, handle);
    if (admit === undefined || isBodiless(exchange)) return handle(exchange);
    const run = changesNothing ? abandonable : alone;
    return framing === 'body' ? withBody(exchange, admit, call => run(call, handle)) : run(exchange, handle);
  }

  async function withBody(
    exchange: Exchange, admit: (call: Call) => unknown, handle: (exchange: Exchange) => Promise<Reply>,
  ): Promise<Reply> {
    exchange.detach();
    const { bytes, free } = await bodies.whole(exchange, admit);
    try {
      exchange.body = bytes;
      return await handle(exchange);
    } finally {
      free();
    }
  }

  async function asItComes(exchange: Exchange, handle: Route['handle']): Promise<Reply> {
    exchange.detach();
    const body = bodies.incoming(exchange);
    exchange.incoming = body;
    try {
      return await handle(exchange);
    } finally {
      await body.drop();
    }
  }

  /** The connection is read on, or nothing would tell that the client has left. */
  async function abandonable(exchange: Exchange, handle: Route['handle']): Promise<Reply> {
    exchange.detach();
    return handle(exchange);
  }

  /** A request that changes something is either answered or not run, even when another request follows on its connection. */
  async function alone(exchange: Exchange, handle: Route['handle']): Promise<Reply> {
    exchange.detach();
    await exchange.hold();
    return handle(exchange);
  }

  /** One turn later: while an answer is due, uWebSockets.js ends a connection that brings another request, instead of serving it. */
  async function refusal(exchange: Exchange): Promise<never> {
    exchange.closes = true;
    await setImmediate();
    throw new ApiError(400, 'BAD_REQUEST', 'The length of the body is ambiguous.');
  }

  function preflightReply(exchange: Exchange): Reply {
    exchange.isOpen = router.isOpen(exchange.header('access-control-request-method') as Method, exchange.path);
    const headers = cors.preflight(exchange.header('origin'), exchange.header('access-control-request-headers'), exchange.isOpen);
    return { status: 204, headers };
  }

  function unmatched(exchange: Exchange): Reply {
    const allowed = exchange.method === 'OPTIONS' ? router.methods(exchange.path) : [];
    if (allowed.length > 0) return { status: 204, headers: { Allow: [...allowed, 'OPTIONS'].join(', ') } };
    throw nothingHere(basePath);
  }

  return dispatch;
}

/** @returns the error of a request that no route answers. */
export function nothingHere(basePath: string): ApiError {
  return new ApiError(404, 'NOT_FOUND', `There is nothing here. GET ${basePath}/docs describes what there is.`);
}

function requireShort({ url, query }: Exchange): void {
  if (url.length + query.length >= LONGEST_URL) throw new ApiError(414, 'URI_TOO_LONG', `The URL is longer than ${LONGEST_URL} bytes.`);
}

/** A browser that asks before it calls (Fetch standard, section 4.8). */
function isPreflight(exchange: Exchange): boolean {
  return exchange.method === 'OPTIONS' && exchange.header('origin') !== '' && exchange.header('access-control-request-method') !== '';
}
