import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

export type Proxy = {
  url: string;
  /** Connections since the start, requests beside sockets too. */
  readonly count: number;
  /** Bytes are still taken, and not passed on. Connections look alive. */
  stall: (isStalled: boolean) => void;
  /** Stalls once clients have sent so many bytes more, and resolves when the service has been given the last of them. */
  stallAfter: (bytes: number) => Promise<void>;
  /** Reads so many bytes more of clients, and lets those wait who send on, as a slow network does. */
  readOnly: (bytes: number) => void;
  /** Ends every connection without a word. */
  drop: () => void;
  /** The service's side of every connection says that it is done, and the client's may go on. */
  halfClose: () => void;
  /** New connections are ended at once. */
  refuse: (isRefused: boolean) => void;
  /** The heads of requests, upgrades among them. */
  readonly heads: string[];
};

const REQUEST = /^[A-Z]+ \//;

/** A proxy before a service, on the level of TCP. */
export async function openProxy(t: Pick<Test, 'teardown'>, address: () => string): Promise<Proxy> {
  const pairs = new Set<[Socket, Socket]>();
  const heads: string[] = [];
  let [count, isStalled, isRefused, left, unread] = [0, false, false, Infinity, Infinity];
  let stalled = (): void => undefined;
  const server = createServer({ allowHalfOpen: true }, client => {
    count++;
    client.on('error', () => client.destroy());
    if (isRefused) return void client.destroy();
    const { hostname, port } = new URL(address());
    const service = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const pair: [Socket, Socket] = [client, service];
    pairs.add(pair);
    client.on('data', (bytes: Buffer) => {
      if (REQUEST.test(bytes.toString('latin1', 0, 16))) heads.push(bytes.toString('latin1').split('\r\n\r\n', 1)[0] ?? '');
      if (!isStalled) pass(bytes, service);
      unread -= bytes.length;
      if (unread <= 0) client.pause();
    });
    service.on('data', bytes => { if (!isStalled) client.write(bytes); });
    for (const [from, to] of [[client, service], [service, client]] as const) {
      from.on('end', () => { if (!isStalled) to.end(); });
      from.on('error', () => { end(pair); });
      from.on('close', () => { if (!isStalled) end(pair); });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { drop(); server.close(); });
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    heads,
    get count() { return count; },
    stall: on => { isStalled = on; },
    stallAfter: bytes => new Promise(resolve => { [left, stalled] = [bytes, resolve]; }),
    readOnly: bytes => {
      unread = bytes;
      for (const [client] of pairs) client.resume();
    },
    drop,
    halfClose: () => { for (const [client] of pairs) client.end(); },
    refuse: on => { isRefused = on; },
  };

  function pass(bytes: Buffer, service: Socket): void {
    left -= bytes.length;
    if (left > 0) return void service.write(bytes);
    [isStalled, left] = [true, Infinity];
    service.write(bytes, stalled);
  }

  function end(pair: [Socket, Socket]): void {
    pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }

  function drop(): void {
    for (const pair of [...pairs]) end(pair);
  }
}
