import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import type { Test } from 'tap';
import { featureRows } from '../../gateway/features/feature-rows.ts';
import { readConfig, type Environment } from '../../gateway/features/config.ts';
import type { Call, Reply, Route } from '../../gateway/http/route.ts';
import { createServer, type Server, type ServerConfig } from '../../gateway/http/server.ts';
import type { SocketSurface } from '../../gateway/http/sockets.ts';
import { leaveOut } from '../harness/answers.ts';

export type LogLine = {
  level: number; msg: string; requestId?: string; method?: string; path?: string; status?: number; err?: { message: string };
};
export type Served = { server: Server; port: number; url: string; log: LogLine[] };
type Given = { env?: Environment; config?: Partial<ServerConfig>; sockets?: SocketSurface; level?: string };

export const productionEnv: Environment = {
  NODE_ENV: 'production', DATABASE_URL: 'postgres://db/app', JWT_SECRET: 'rZ0v8Qm2Lk5Tn7Xw1Yp3Bd6Fg9Hj4SaCe',
  SERVICE_SERVICE_KEY: 'k3y-Wm8Rt2Zp5Ns7Qx1Vb4Lc6Jd9Fh0Ga', CORS_ORIGINS: 'https://app.example.com', PORT: '0',
};

export function build(routes: Route[], { env = {}, config = {}, sockets, level = 'info' }: Given = {}): { server: Server; log: LogLine[] } {
  const log: LogLine[] = [];
  const destination = { write: (line: string) => { log.push(JSON.parse(line) as LogLine); } };
  const options = { ...readConfig({ PORT: '0', ...env }), ...config };
  return { server: createServer({
    config: options, routes, features: featureRows(options), ...(sockets && { sockets }), log: pino({ level }, destination),
  }), log };
}

/** A listening server on a free port, closed with the test. */
export async function serve(t: Test, routes: Route[], given: Given = {}): Promise<Served> {
  const { server, log } = build(routes, given);
  const { port } = await server.listen();
  leaveOut(port);
  t.teardown(() => server.close(0));
  return { server, port, url: `http://localhost:${port}`, log };
}

export function get(path: string, handle: (call: Call) => Reply | Promise<Reply>, more: Partial<Route> = {}): Route {
  return { method: 'GET', path, handle, ...more };
}

/** Answers what the handler saw. */
export function seen({ method, path, query, params }: Call): Reply {
  return { body: JSON.stringify({ method, path, query, params }) };
}

export type ErrorBody = { error: { message: string; code: string; details?: Record<string, unknown>; requestId: string } };

export async function errorOf(response: Response): Promise<ErrorBody['error']> {
  return (await response.json() as ErrorBody).error;
}

/** A client that sends exactly these bytes and knows nothing of HTTP. */
export async function rawClient(t: Test, port: number) {
  const socket: Socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let received = '';
  const ended = new Promise<void>(resolve => socket.once('close', () => resolve()));
  socket.on('error', () => undefined).setEncoding('latin1').on('data', (text: string) => { received += text; });

  async function untilIt(isEnough: () => boolean): Promise<string> {
    while (!isEnough()) {
      if (socket.closed) throw new Error(`Closed after ${received.slice(0, 500)}`);
      await Promise.race([once(socket, 'data'), ended]);
    }
    return received;
  }
  /** All that came so far, once it matches, or is so long. */
  const until = (pattern: RegExp) => untilIt(() => pattern.test(received));
  const untilLength = (length: number) => untilIt(() => received.length >= length);

  return {
    socket, until, untilLength, send: (text: string) => socket.write(text, 'latin1'), rest: async () => { await ended; return received; },
  };
}

export const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
