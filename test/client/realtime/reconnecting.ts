/** A client of the example store in a process of its own, which is told when its socket was cut, and tells what it holds. */
import { queryObjects } from 'node:v8';
import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { createClient, type Client, type Live } from '../../../client/src/index.ts';
import { queriesOf } from '../../../client/src/query-options.ts';
import { realtime } from '../../../client/src/realtime/realtime.ts';
import { SERVICE_KEY } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';
import { schema, type Schema } from '../store.types.ts';

export type Order = { name: string } | 'measure';
/** The name as the list, the row and the live query show it. */
export type Shown = unknown[];
export interface Held {
  /** Bytes. */
  heap: number;
  objects: number;
  /** Those of the platform's events. */
  listeners: number;
  sockets: number;
  timers: number;
}

const page = new EventTarget();
let listeners = 0;
Object.assign(globalThis, {
  addEventListener(type: string, listener: () => void) { listeners++; page.addEventListener(type, listener); },
  removeEventListener(type: string, listener: () => void) { listeners--; page.removeEventListener(type, listener); },
});

const [url = '', id = ''] = process.argv.slice(2);
const db: Live<Schema> & Client<Schema> = createClient<Schema>({ url, schema, token: SERVICE_KEY, warn: () => undefined, realtime });
const failed = (): void => undefined; // what is shown is what counts
const shown: Shown = [];
const query = { where: { id: Number(id) }, fields: ['name'] } as const;
const states = [
  db.from('tags').subscribe(query, ({ data }) => { shown[0] = data[0]?.name; }, failed),
  db.from('tags').subscribeOne(Number(id), { fields: ['name'] }, ({ data }) => { shown[1] = data?.name; }, failed),
  ...[1, 2, 3].map(limit => db.from('products').subscribe({ limit }, failed, failed)),
  db.channel('watched', { onPresence: failed, onError: failed }),
];
// It has no listener for those who are present.
const room = db.channel('room', { onError: failed });
room.track({ name: 'Ada' });
states.push(room);
const observer = new QueryObserver<{ name: string }>(
  new QueryClient(), queriesOf(db, 'tags').get(Number(id), { fields: ['name'] }, { live: true }));
observer.subscribe(({ data }) => { shown[2] = data?.name; });

const shows = (name: string) => until(`all are live with ${name}`, () =>
  states.every(({ state }) => state === 'live') && !observer.getCurrentResult().isStale && [0, 1, 2].every(n => shown[n] === name));

/** The socket was cut, and opens by the event that says that there is a network. */
async function again(name: string): Promise<Shown> {
  await until('the loss is known', () => states.every(({ state }) => state === 'offline'));
  page.dispatchEvent(new Event('online'));
  await shows(name);
  return shown;
}

async function measure(): Promise<Held> {
  // A socket that is closed in one turn of the event loop is collected after the next.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise(resolve => { setImmediate(resolve); });
    (globalThis as unknown as { gc: () => void }).gc();
  }
  const objects = queryObjects(Object, { format: 'count' }); // collects too, and more
  const resources = process.getActiveResourcesInfo();
  const count = (name: string) => resources.filter(its => its === name).length;
  return {
    heap: process.memoryUsage().heapUsed, objects, listeners,
    sockets: count('TCPSocketWrap'), timers: count('Timeout'),
  };
}

process.on('message', (order: Order) => {
  void (order === 'measure' ? measure() : again(order.name)).then(answer => process.send?.(answer));
});
process.on('disconnect', () => process.exit());
await shows('round 0');
process.send?.(shown);
