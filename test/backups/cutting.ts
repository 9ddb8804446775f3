import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Test } from 'tap';

/** Where the connection of a request breaks: on its way there, as the answer begins, or after a megabyte of the answer. */
export type Cut = 'request' | 'answer' | 'middle' | undefined;
export type Cutting = { endpoint: string; cuts: (where: (head: string) => Cut) => void };

/** A proxy in front of a store, which breaks the connections of the requests that it is told to; none at first. */
export async function cutting(t: Pick<Test, 'teardown'>, endpoint: string): Promise<Cutting> {
  const { hostname, port } = new URL(endpoint);
  let where: (head: string) => Cut = () => undefined;
  const server = createServer(client => {
    const store = connect(Number(port), hostname);
    let left = Infinity;
    const end = (): void => {
      client.destroy();
      store.destroy();
    };
    for (const socket of [client, store]) socket.on('error', end).on('close', end);
    client.on('data', bytes => {
      const [head = ''] = bytes.toString('latin1').split('\r\n\r\n');
      const cut = /^[A-Z]+ \//.test(head) ? where(head) : undefined;
      if (cut === 'request') return end();
      if (cut !== undefined) left = cut === 'answer' ? 0 : 1_000_000;
      store.write(bytes);
    });
    store.on('data', bytes => {
      left -= bytes.length;
      if (left < 0) return end();
      client.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => new Promise(resolve => { server.close(resolve); }));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    cuts: told => { where = told; },
  };
}
