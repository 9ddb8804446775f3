/** Sockets that subscribe, in a process of their own: told by messages what to do, tells what they heard. */
import { once } from 'node:events';
import WebSocket from 'ws';

export type Order =
  | { open: number; url: string; tokens: string[]; payload: object }
  | { report: true };
/** Milliseconds from the time that a row tells (its title) to when it was heard, and how many updates came. */
export type Heard = { open: number } | { times: number[]; updates: number };

let times: number[] = [];
let updates = 0;
const sockets: WebSocket[] = [];

process.on('message', (order: Order) => {
  if ('open' in order) void openAll(order).then(() => tell({ open: sockets.length }));
  else {
    tell({ times, updates });
    [times, updates] = [[], 0];
  }
});
process.on('disconnect', () => process.exit());

async function openAll({ open, url, tokens, payload }: Extract<Order, { open: number }>): Promise<void> {
  for (let done = 0; done < open; done += 50) {
    await Promise.all(Array.from({ length: Math.min(50, open - done) },
      (_, i) => subscribe(url, tokens[(done + i) % tokens.length] ?? '', payload)));
  }
}

async function subscribe(url: string, token: string, payload: object): Promise<void> {
  const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false });
  sockets.push(socket);
  await once(socket, 'open');
  if (token !== '') socket.send(JSON.stringify({ type: 'AUTHENTICATE', requestId: 'a', payload: { token } }));
  socket.send(JSON.stringify({ type: 'subscribe_collection', payload: { subscriptionId: 'list', ...payload } }));
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    if (text.includes('ERROR')) reject(new Error(text));
    if (!text.startsWith('{"type":"collection_update"')) return;
    updates += 1;
    const [, written] = /"title":"at ([\d.]+)"/.exec(text) ?? [];
    if (written !== undefined) times.push(now() - Number(written));
    resolve(undefined);
  });
  await promise;
}

export function now(): number {
  return performance.timeOrigin + performance.now();
}

function tell(heard: Heard): void {
  process.send?.(heard);
}
