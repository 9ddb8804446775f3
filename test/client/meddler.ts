/** A proxy before a service, which does to answers what a test says. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

export async function listen(t: Pick<Test, 'teardown'>, handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Leaves the check of the schema's version out. */
export function isData({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/api/data/');
}

/** Gets the number of the request and the text of its answer; returns whether the answer is passed on. */
export type Meddling = (call: number, response: ServerResponse, text: string) => boolean;

/** Passes requests on. The service has seen them by the time that `meddle` is asked about those that are meant. */
export async function meddler(
  t: Pick<Test, 'teardown'>, address: string, meddle: Meddling, isMeant: (incoming: IncomingMessage) => boolean = isData,
): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const url = await listen(t, (incoming, response) => {
    const call = isMeant(incoming) ? seen.push(incoming) : 0;
    const headers = { ...incoming.headers, 'accept-encoding': 'identity' };
    const onward = request(`${address}${incoming.url ?? ''}`, { method: incoming.method ?? '', headers }, answer => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
        const text = Buffer.concat(parts).toString();
        if (call > 0 && !meddle(call, response, text)) return;
        response.writeHead(answer.statusCode ?? 0, answer.headers).end(text);
      });
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  return { url, seen };
}
