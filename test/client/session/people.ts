/** Clients of the account routes, and what stands between them and the service. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { createAuth, memory, RowgateError, type Auth, type SessionStorage } from '../../../client/src/index.ts';
import { OPEN, PASSWORD, serveAccounts, type Accounts } from '../../accounts/people.ts';


export const ADA = { email: 'ada@example.org', password: PASSWORD };

export async function serveShort(t: Pick<Test, 'teardown'>, env: Record<string, string> = {}): Promise<Accounts> {
  return serveAccounts(t, { ...OPEN, JWT_ACCESS_EXPIRES_IN: '2s', ...env });
}

/** So many clients that share a storage as tabs do. */
export function tabs(url: string, count: number, storage: SessionStorage = memory(), more: { now?: () => number } = {}): Auth[] {
  return Array.from({ length: count }, () => createAuth({ url, storage, ...more }));
}

/** Code and status of a refusal; undefined for an answer. */
export async function refused(promise: Promise<unknown>): Promise<[string, number] | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (!(error instanceof RowgateError)) throw error;
    return [error.code, error.status];
  }
}

export type Proxy = {
  url: string;
  /** Paths of the requests that came by. */
  asked: string[];
  /** Decides what becomes of an answer to a refresh: true passes it on. */
  meddle: (call: number, response: ServerResponse, text: string) => boolean;
};

/** Passes requests on; `meddle` may answer refreshes in the place of the service, which has seen them by then. */
export async function proxy(t: Pick<Test, 'teardown'>, address: string): Promise<Proxy> {
  const through: Proxy = { url: '', asked: [], meddle: () => true };
  let refreshes = 0;
  const server = createServer((incoming: IncomingMessage, response) => {
    const { url: path = '', method = '', headers } = incoming;
    through.asked.push(path);
    const call = path === '/api/auth/refresh' ? ++refreshes : 0;
    const onward = request(`${address}${path}`, { method, headers: { ...headers, 'accept-encoding': 'identity' } }, answer => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
        const text = Buffer.concat(parts).toString();
        if (call > 0 && !through.meddle(call, response, text)) return;
        response.writeHead(answer.statusCode ?? 0, answer.headers).end(text);
      });
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  through.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return through;
}
