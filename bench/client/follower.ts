/** A live list in a process of its own: told by messages what to follow, tells what its snapshots took. */
import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { createClient, type Client, type Live } from '../../client/src/index.ts';
import { parametersOf } from '../../client/src/parameters.ts';
import { queriesOf } from '../../client/src/query-options.ts';
import { realtime } from '../../client/src/realtime/realtime.ts';
import { LIST, schema, type Post, type Posts } from './posts.ts';

/** `frames`: bare frames by JSON.parse; `subscribe`: the client; `cache`: the client in a cache of TanStack Query. */
export type Way = 'frames' | 'subscribe' | 'cache';
export type Order = { way: Way; url: string; token: string } | 'report';
/** Milliseconds of each snapshot since the last report: CPU time of the process, and how long its event loop was busy. */
export type Told = { rows: readonly Post[]; cpu: number[]; busy: number[] };

const FOLLOWED: Record<Way, (url: string, token: string) => void> = {
  frames(url, token) {
    const socket = new WebSocket(url.replace('http', 'ws'));
    const say = (type: string, payload: object) => { socket.send(JSON.stringify({ type, requestId: 'a', payload })); };
    socket.onopen = () => {
      say('AUTHENTICATE', { token });
      say('subscribe_collection', { subscriptionId: 'list', path: 'posts', ...parametersOf(LIST) });
    };
    socket.onmessage = ({ data }) => {
      const { rows } = JSON.parse(data as string) as { rows?: Post[] };
      if (rows) told(rows);
    };
  },
  subscribe(url, token) {
    open(url, token).from('posts').subscribe(LIST, ({ data, state }) => { if (state === 'live') told(data); });
  },
  cache(url, token) {
    const list = queriesOf(open(url, token), 'posts').list(LIST, { live: true });
    new QueryObserver<{ data: Post[] }>(new QueryClient(), list).subscribe(({ data }) => { if (data) told(data.data); });
  },
};

function open(url: string, token: string): Live<Posts> & Client<Posts> {
  return createClient<Posts>({ url, schema, token, warn: () => undefined, realtime });
}

let rows: readonly Post[] = [];
let [cpu, busy]: [number[], number[]] = [[], []];
let [used, loop] = [process.cpuUsage(), performance.eventLoopUtilization()];

/** Counts all time since the last snapshot: the rest of that one's work, then the read of this one. */
function told(data: readonly Post[]): void {
  if (data === rows) return;
  const { user, system } = process.cpuUsage(used);
  cpu.push((user + system) / 1_000);
  busy.push(performance.eventLoopUtilization(loop).active);
  rows = data;
  [used, loop] = [process.cpuUsage(), performance.eventLoopUtilization()];
}

process.on('message', (order: Order) => {
  if (order !== 'report') return FOLLOWED[order.way](order.url, order.token);
  process.send?.({ rows, cpu, busy } satisfies Told);
  [cpu, busy] = [[], []];
});
process.on('disconnect', () => process.exit());
