import type { Logger } from 'pino';
import type { SharedConfig } from '../config/settings.ts';
import { ApiError } from '../error.ts';
import { answerOf, streamed, writeAnswer } from './answer.ts';
import { createBodies } from './body.ts';
import { compressed, encodingFrom, isCompressible } from './compression.ts';
import { createCors, type CorsConfig } from './cors.ts';
import { createDispatch, type Dispatch } from './dispatch.ts';
import { errorReply } from './envelope.ts';
import { Exchange } from './exchange.ts';
import { requireUpgrades, withFeatures, type FeatureRow } from './feature-table.ts';
import { headerBlock } from './header-block.ts';
import { claimTime } from './fair-share.ts';
import { createInFlight } from './in-flight.ts';
import { joinOn, listenOn, type ListenConfig, type Listener } from './listen.ts';
import { logAnswer, logAbandoned } from './request-log.ts';
import type { Reply, ReplyHeaders, Route } from './route.ts';
import { createRouter } from './router.ts';
import { createSockets, isHandshake, type SocketSurface } from './sockets.ts';
import { App, type HttpRequest, type HttpResponse, type us_socket_context_t } from './uws.ts';

type OwnConfig = Pick<
  SharedConfig, 'basePath' | 'maxBodySize' | 'bodyMemory' | 'readerTimeout' | 'transferTimeout' | 'compression' | 'trustedProxyHops'
>;
export type ServerConfig = OwnConfig & CorsConfig & ListenConfig;
/** One of several processes on a port that their parent has claimed. */
export type Place = { number: number; port: number };
/** A request that has ended. */
export type Ended = Pick<Exchange,
  'method' | 'url' | 'params' | 'startedAt' | 'streamedAt' | 'requestId' | 'header' | 'route' | 'work' | 'noted'>;
/**
 * Told of each request that ended, with the status of its answer, and the milliseconds from its head to the end of its answer; 499, as
 * others write it, where the client left before that.
 */
export type OnEnd = (request: Ended, status: number, milliseconds: number) => void;
export type ServerOptions = {
  config: ServerConfig;
  routes: readonly Route[];
  features: readonly FeatureRow[];
  /** The WebSockets, at any path. */
  sockets?: SocketSurface;
  /** Translates a failure that its route did not; by default it stays as it is. */
  understand?: (failure: unknown) => unknown;
  /** Told of each request that ended. */
  onEnd?: readonly OnEnd[];
  log: Logger;
  place?: Place | undefined;
};
export type Server = {
  /** The table that requests are routed by. */
  readonly routes: readonly Route[];
  /** @throws Error naming the port when it cannot be had. */
  listen(): Promise<{ port: number }>;
  /** Takes no new connections, answers what is in flight, then ends every connection; at the latest after the deadline. */
  close(deadlineMs: number): Promise<void>;
  /** From the call of `close` on. */
  readonly draining: boolean;
};

const securityHeaders = {
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
/** For all replies but files, which pages of other origins may show. */
const frameHeaders = { 'X-Frame-Options': 'DENY' };
const securityHead = headerBlock(securityHeaders);
const frameHead = headerBlock(frameHeaders);

/** Statuses of requests that got no answer of ours, or not all of it. */
const SWITCHED = 101;
const CLIENT_LEFT = 499;
const BROKE_OFF = 500;

export function createServer(
  { config, routes: built, features, sockets: surface, understand = failure => failure, onEnd = [], log, place }: ServerOptions,
): Server {
  const cors = createCors(config);
  const routes = withFeatures(built, features);
  const router = createRouter(routes, config.basePath);
  const dispatch = createDispatch({ router, cors, bodies: createBodies(config), basePath: config.basePath });
  const sockets = surface && createSockets(surface, config);
  const inFlight = createInFlight();
  const patience = { memory: config.readerTimeout, stream: config.transferTimeout };
  const otherHead = headerBlock({
    Vary: config.compression ? 'Origin, Accept-Encoding' : 'Origin',
    ...(place === undefined || config.production ? {} : { 'X-Rowgate-Worker': String(place.number) }),
  });
  const commonHead = securityHead + otherHead;
  const app = App().ws('/*', { ...sockets?.behavior, upgrade }).any('/*', accept);
  let listener: Listener | undefined;
  let closing: Promise<void> | undefined;

  function accept(response: HttpResponse, request: HttpRequest): void {
    take(new Exchange(response, request, config.trustedProxyHops, abandoned), dispatch);
  }

  /** Every GET with a `Sec-WebSocket-Key` arrives here. */
  function upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    const exchange = new Exchange(response, request, config.trustedProxyHops, abandoned);
    if (!isHandshake(exchange)) return take(exchange, dispatch);
    try {
      if (closing !== undefined) throw new ApiError(503, 'SERVICE_UNAVAILABLE', 'The service is shutting down.');
      requireUpgrades(features);
      if (sockets === undefined) return take(exchange, dispatch);
      sockets.upgrade(exchange, request, context);
      ended(exchange, SWITCHED);
    } catch (error) {
      take(exchange, () => { throw error; });
    }
  }

  function take(exchange: Exchange, dispatch: Dispatch): void {
    inFlight.begin();
    claimTime();
    try {
      const reply = dispatch(exchange);
      if (reply instanceof Promise) answerLater(exchange, reply);
      else answer(exchange, reply);
    } catch (error) {
      fail(exchange, error);
    }
  }

  function answerLater(exchange: Exchange, reply: Promise<Reply>): void {
    exchange.detach();
    reply.then(reply => answer(exchange, reply)).catch((error: unknown) => fail(exchange, error));
  }

  function fail(exchange: Exchange, error: unknown): void {
    exchange.failure = understand(error);
    answer(exchange, errorReply(exchange.failure, exchange.requestId));
  }

  function answer(exchange: Exchange, reply: Reply): void {
    const encoding = config.compression && isCompressible(reply) ? encodingFrom(exchange.header('accept-encoding')) : undefined;
    if (encoding === undefined) return send(exchange, reply);
    exchange.detach();
    compressed(reply, encoding).then(reply => send(exchange, reply)).catch((error: unknown) => fail(exchange, error));
  }

  function send(exchange: Exchange, reply: Reply): void {
    exchange.closes ||= closing !== undefined;
    if (streamed(reply.body) !== undefined) exchange.streamedAt = performance.now();
    const common = reply.asIs && hasOurs(reply.headers)
      ? otherHead + headWithout(reply.headers)
      : reply.isFile ? commonHead : commonHead + frameHead;
    const readers = cors.head(exchange.header('origin'), exchange.isOpen);
    const head = `X-Request-ID: ${exchange.requestId}\r\n${common}${readers}${exchange.answerHead}`;
    writeAnswer(exchange, answerOf(reply, head), patience, sent);
  }

  function sent(exchange: Exchange, status: number): void {
    inFlight.end();
    ended(exchange, status);
    logAnswer(log, exchange, status);
  }

  function abandoned(exchange: Exchange): void {
    inFlight.end();
    ended(exchange, exchange.failure === undefined ? CLIENT_LEFT : BROKE_OFF);
    logAbandoned(log, exchange);
  }

  function ended(exchange: Exchange, status: number): void {
    const milliseconds = performance.now() - exchange.startedAt;
    for (const tell of onEnd) tell(exchange, status, milliseconds);
  }

  function listen(): Promise<{ port: number }> {
    return new Promise(resolve => {
      listener = place === undefined ? listenOn(app, config) : joinOn(app, config, place.port);
      resolve({ port: listener.port });
    });
  }

  async function drain(deadlineMs: number): Promise<void> {
    listener?.close();
    await Promise.all([inFlight.idle(deadlineMs), sockets?.close(deadlineMs)]);
    app.close();
  }

  return { routes, listen, close: deadlineMs => closing ??= drain(deadlineMs), get draining() { return closing !== undefined; } };
}

const ours = new Set(Object.keys({ ...securityHeaders, ...frameHeaders }).map(name => name.toLowerCase()));

function hasOurs(headers: ReplyHeaders = {}): headers is ReplyHeaders {
  for (const name in headers) if (ours.has(name.toLowerCase())) return true;
  return false;
}

/** The headers of every answer, but for those that a reply has of its own. */
function headWithout(own: ReplyHeaders): string {
  const names = new Set(Object.keys(own).map(name => name.toLowerCase()));
  const missing = Object.entries({ ...securityHeaders, ...frameHeaders }).filter(([name]) => !names.has(name.toLowerCase()));
  return headerBlock(Object.fromEntries(missing));
}
