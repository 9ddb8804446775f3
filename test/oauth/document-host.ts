/** A host of client ID metadata documents. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Test } from 'tap';
import { REDIRECT } from './clients.ts';

export type Host = {
  origin: string; host: string; asked: () => number;
  answer: (with_: (response: ServerResponse, url: string) => void) => void;
};

/** A host of documents. By default its document is right. */
export async function hostDocuments(t: Pick<Test, 'teardown'>): Promise<Host> {
  let asked = 0;
  let answer = (response: ServerResponse, url: string): void => json(response, documentAt(url));
  const server = createServer((request, response) => {
    asked += 1;
    answer(response, `http://127.0.0.1:${(server.address() as AddressInfo).port}${request.url ?? ''}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin: `http://${host}`, host, asked: () => asked, answer: given => { answer = given; } };
}

export function documentAt(client_id: string, changes: object = {}): object {
  return { client_id, client_name: 'A documented client', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', ...changes };
}

export function json(response: ServerResponse, document: object, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document));
}
