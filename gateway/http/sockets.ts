import { setImmediate, setTimeout } from 'node:timers/promises';
import type { SharedConfig } from '../config/settings.ts';
import { ApiError } from '../error.ts';
import { bodyFraming } from './body.ts';
import { originTest, type CorsConfig } from './cors.ts';
import type { Exchange } from './exchange.ts';
import type { HttpRequest, us_socket_context_t, WebSocket, WebSocketBehavior } from './uws.ts';

/** One open WebSocket. After its end `send` and `close` do nothing. */
export type Socket = {
  readonly ip: string;
  send: (frame: string | Uint8Array) => void;
  /** Bytes that the client has not taken yet. */
  readonly unsent: number;
  close: (code: number, reason: string) => void;
};

/** The service's side of one socket. */
export type Connection = {
  /** A text message, as UTF-8. Its memory is gone after the call. */
  heard: (text: Buffer) => void;
  heardBinary: () => void;
  /** The client has taken some of what waited for it. */
  drained: () => void;
  /** Nothing is heard or sent any more. */
  closed: () => void;
};

export type SocketSurface = {
  /** @throws ApiError what an upgrade is answered with instead. */
  admit: (call: { header(name: string): string }) => void;
  accept: (socket: Socket) => Connection;
};

export type SocketsConfig = Pick<SharedConfig, 'maxBodySize' | 'bodyMemory'> & CorsConfig;
export type Sockets = {
  behavior: WebSocketBehavior<Wired>;
  /** @throws ApiError 403 FORBIDDEN for pages of other origins, and what the surface refuses. */
  upgrade: (exchange: Exchange, request: HttpRequest, context: us_socket_context_t) => void;
  /** Tells every client (1001), and gives it a moment to take leave, at most so long. */
  close: (deadlineMs: number) => Promise<void>;
};

type Wired = { ip: string; socket: OpenSocket | undefined; connection: Connection | undefined };

const MEBIBYTE = 1024 * 1024;
/** Unsent bytes of a client that takes too little; it is terminated. */
const MOST_UNSENT = 16 * MEBIBYTE;
/** Seconds. uWebSockets.js pings a client that says nothing 16 before the end of this, and then terminates it: so after 30, and 46. */
const LONGEST_SILENCE = 46;
/** Milliseconds. */
const LEAVE = 1_000;
/** uWebSockets.js cuts off messages above its limit without a code. So its limit is a little higher, and messages in between get 1009. */
const PATIENCE = MEBIBYTE;
/** The result of `send` in uWebSockets.js when too much waits before the message. */
const DROPPED = 2;

export function createSockets(surface: SocketSurface, config: SocketsConfig): Sockets {
  const longest = Math.min(config.maxBodySize === 0 ? Infinity : config.maxBodySize, config.bodyMemory);
  const isAllowed = originTest(config);
  const open = new Set<OpenSocket>();

  const behavior: WebSocketBehavior<Wired> = {
    maxPayloadLength: longest + PATIENCE,
    maxBackpressure: MOST_UNSENT,
    closeOnBackpressureLimit: true,
    idleTimeout: LONGEST_SILENCE,
    sendPingsAutomatically: true,
    open(wire) {
      const wired = wire.getUserData();
      wired.socket = new OpenSocket(wire, wired.ip);
      open.add(wired.socket);
      wired.connection = surface.accept(wired.socket);
    },
    message(wire, message, isBinary) {
      const { socket, connection } = wire.getUserData();
      if (message.byteLength > longest) socket?.close(1009, `Messages are at most ${longest} bytes long.`);
      else if (isBinary) connection?.heardBinary();
      else connection?.heard(Buffer.from(message));
    },
    drain(wire) {
      wire.getUserData().connection?.drained();
    },
    close(wire) {
      const { socket, connection } = wire.getUserData();
      if (socket === undefined) return;
      open.delete(socket);
      socket.over();
      connection?.closed();
    },
  };

  function upgrade(exchange: Exchange, request: HttpRequest, context: us_socket_context_t): void {
    requireOrigin(exchange, isAllowed);
    surface.admit(exchange);
    const wired: Wired = { ip: exchange.ip, socket: undefined, connection: undefined };
    exchange.response.upgrade(wired, request.getHeader('sec-websocket-key'), '', '', context);
  }

  async function close(deadlineMs: number): Promise<void> {
    await setImmediate(); // a client that has left by now needs no leave
    if (open.size === 0) return;
    for (const socket of [...open]) socket.close(1001, 'The service is shutting down.');
    await setTimeout(Math.min(deadlineMs, LEAVE));
  }

  return { behavior, upgrade, close };
}

class OpenSocket implements Socket {
  readonly ip: string;
  #wire: WebSocket<Wired> | undefined;

  constructor(wire: WebSocket<Wired>, ip: string) {
    this.#wire = wire;
    this.ip = ip;
  }

  send(frame: string | Uint8Array): void {
    if (this.#wire?.send(frame) === DROPPED) this.over(); // uWebSockets.js ends it at its next turn
  }

  get unsent(): number {
    return this.#wire?.getBufferedAmount() ?? 0;
  }

  close(code: number, reason: string): void {
    this.#wire?.end(code, reason);
  }

  over(): void {
    this.#wire = undefined;
  }
}

export function isHandshake(exchange: Exchange): boolean {
  return exchange.method === 'GET'
    && exchange.header('upgrade').toLowerCase() === 'websocket'
    && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(exchange.header('connection'))
    && exchange.header('sec-websocket-version') === '13'
    && bodyFraming(exchange) === 'none';
}

/** Browsers let any page open a socket and say only from where. A client that is no browser says nothing. */
function requireOrigin(exchange: Exchange, isAllowed: (origin: string) => boolean): void {
  const origin = exchange.header('origin');
  const isOwn = origin.replace(/^https?:\/\//i, '').toLowerCase() === exchange.header('host').toLowerCase();
  if (origin === '' || isOwn || isAllowed(origin)) return;
  throw new ApiError(403, 'FORBIDDEN', 'Pages of this origin may not connect: it is not among CORS_ORIGINS.', { origin });
}
