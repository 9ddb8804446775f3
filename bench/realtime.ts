/** The cost of realtime for writers, and its rate for subscribers. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { CASES } from './cases.ts';
import { freePort } from '../gateway/process/free-port.ts';
import { connection, createDatabase, ROOT } from './database.ts';
import { load } from './load/load.ts';
import type { Heard, Order } from './load/sockets.ts';
import { measure, median, type Rounds } from './measure.ts';
import { memory } from './processes.ts';
import { cell, number, ratio, type Table } from './report.ts';
import { answers, launch, start, stop, token, type Running } from './servers.ts';

const LATEST = { path: 'posts', orderBy: [['id', 'desc']], limit: 1, fields: ['title'], count: 'none' };
/** With another author for each identity, so that no two callers are shown the same. */
const PAGE = { path: 'posts', filter: { status: ['==', 'live'], authorId: ['==', 1] } };

/** Creates with realtime off, on without subscribers, and with subscribers to the same table and to another. */
export async function telling(server: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const insert = CASES.find(({ topic }) => topic === 'insert')?.asks.rowgate;
  if (insert === undefined) throw new Error('There is no case of inserts.');
  const others = await Promise.all(['elsewhere', 'here', 'off'].map(name => createDatabase(server, `bench_${name}`)));
  const urls = {
    'realtime on, nobody listens': url, 'a subscriber of another table': others[0], 'a subscriber of this table': others[1],
    'realtime off': others[2],
  };
  const servers = new Map<string, Running>();
  const listeners: ChildProcess[] = [];
  for (const [name, database = ''] of Object.entries(urls)) {
    servers.set(name, await start('rowgate', database, { env: { REALTIME_CDC: name.endsWith('off') ? 'off' : 'auto' } }));
  }
  const subscribe = async (name: string, payload: object) => {
    const child = sockets();
    listeners.push(child);
    await ask(child, { open: 1, url: servers.get(name)?.url ?? '', tokens: [await token()], payload });
  };
  try {
    await subscribe('a subscriber of another table', { path: 'comments', limit: 1 });
    await subscribe('a subscriber of this table', LATEST);
    const entries = new Map([...servers].map(([name, running]) => [name, { server: running, ask: insert, connections: 32 }]));
    const figures = await measure(server, entries, rounds);
    const off = figures.get('realtime off');
    return {
      header: ['create, 32 writers', '', 'to off, requests/s', 'by CPU'],
      rows: [...figures].map(([name, own]) => [name, cell(own), ...ratio(own, off)]),
    };
  } finally {
    for (const child of listeners) child.kill();
    for (const running of servers.values()) await running.stop();
  }
}

const IDENTITIES = 1000;
/** Sockets over which memory is counted, after as many as there are identities: a process that has just begun grows by itself. */
const IDLE = 4000;
const CROWD = 5000;

/** The first change after quiet; a thousand identities whose lists all change; five thousand sockets on one list; the floor of that. */
export async function hearing(_server: Embedded, url: string, { seconds }: Rounds): Promise<Table> {
  const rows: string[][] = [];
  const sql = connection(url);
  await sql`
    insert into service.users (uid, email)
    select 'u' || n, 'u' || n || '@bench.local' from generate_series(1, ${IDENTITIES + IDLE}::integer) n on conflict do nothing`;
  const row = (what: string, ...values: string[]) => { rows.push([what, ...values]); };
  const gateway = await start('rowgate', url);
  let floor: Running | undefined;
  const children: ChildProcess[] = [];
  const client = () => {
    const child = sockets();
    children.push(child);
    return child;
  };
  try {
    row(`memory of a socket with a subscription of its own identity (of ${IDLE})`, `${number(await idle(url))} KiB`);
    row('first change after quiet, p50', `${number(await afterQuiet(client(), gateway, sql))} ms`);

    const [list, get] = [CASES.find(({ name }) => name.startsWith('list of 50, two filters')), CASES.find(({ topic }) => topic === 'get')]
      .map(entry => entry?.asks.rowgate);
    if (list === undefined || get === undefined) throw new Error('There is no such case.');
    const rate = async (asked: typeof list) => {
      const done = await load(gateway, asked, { connections: 64, seconds });
      return done.requests / done.seconds;
    };
    await rate(list);
    const [lists, gets] = [await rate(list), await rate(get)];
    const crowd = client();
    await ask(crowd, { open: IDENTITIES, url: gateway.url, tokens: await tokens(1, IDENTITIES), payload: PAGE });
    await setTimeout(3_000);
    const storm = changing(sql);
    await setTimeout(1_000);
    await report(crowd);
    await setTimeout(seconds * 1000);
    const { updates } = await report(crowd);
    row(`${IDENTITIES} identities whose lists all change: re-reads/s`, number(updates / seconds),
      `${(updates / seconds / lists).toFixed(2)} of ${number(lists)} lists/s`);
    const beside = await rate(get);
    await storm.end();
    row('gets/s beside that', number(beside), `${(beside / gets).toFixed(2)} of ${number(gets)} alone`);
    crowd.kill();

    row(`${CROWD} sockets on one list, 10 writes/s`, ...await crowded(client(), gateway, sql, seconds));
    floor = await startFloor();
    const published = client();
    await ask(published, { open: CROWD, url: floor.url, tokens: [''], payload: {} });
    await report(published);
    await setTimeout(2_000 * seconds);
    row('the floor: uWebSockets.js publishes', ...spread(await report(published), 2 * seconds));
  } finally {
    for (const child of children) child.kill();
    await gateway.stop();
    await floor?.stop();
    await sql.end();
  }
  return { header: ['', '', '', ''], rows: rows.map(cells => [...cells, '', '', ''].slice(0, 4)) };
}

/** KiB of a socket with its subscription while nothing changes. */
async function idle(url: string): Promise<number> {
  const gateway = await start('rowgate', url);
  const children = [sockets(), sockets()] as const;
  try {
    await ask(children[0], { open: IDENTITIES, url: gateway.url, tokens: await tokens(1, IDENTITIES), payload: LATEST });
    await setTimeout(3_000);
    const before = memory(gateway.pid);
    await ask(children[1], { open: IDLE, url: gateway.url, tokens: await tokens(IDENTITIES + 1, IDLE), payload: LATEST });
    await setTimeout(3_000);
    return (memory(gateway.pid) - before) * 1024 / IDLE;
  } finally {
    for (const child of children) child.kill();
    await gateway.stop();
  }
}

function tokens(first: number, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => token({ uid: `u${first + n}` })));
}

async function afterQuiet(child: ChildProcess, gateway: Running, sql: Sql): Promise<number> {
  await ask(child, { open: 1, url: gateway.url, tokens: [await token()], payload: LATEST });
  const first: number[] = [];
  for (let n = 0; n < 15; n++) {
    await setTimeout(2_500); // it sleeps again after a second
    await write(sql);
    await setTimeout(300);
    first.push(...(await report(child)).times.slice(0, 1));
  }
  return median(first);
}

async function crowded(child: ChildProcess, gateway: Running, sql: Sql, seconds: number): Promise<string[]> {
  await ask(child, { open: CROWD, url: gateway.url, tokens: [await token()], payload: LATEST });
  await setTimeout(1_000);
  await report(child);
  const end = Date.now() + 2_000 * seconds;
  while (Date.now() < end) {
    await write(sql);
    await setTimeout(100);
  }
  await setTimeout(1_000);
  return spread(await report(child), 2 * seconds);
}

function spread({ times, updates }: { times: number[]; updates: number }, seconds: number): string[] {
  times.sort((a, b) => a - b);
  return [
    `${number(updates / seconds)} updates/s`, `p50 ${number(median(times))} ms`,
    `p99 ${number(times[Math.ceil(times.length * 0.99) - 1] ?? NaN)} ms`,
  ];
}

/** Changes what everybody of the thousand is shown, fifty times a second. */
function changing(sql: Sql): { end: () => Promise<void> } {
  const over = new AbortController();
  const done = (async () => {
    while (!over.signal.aborted) {
      await sql`update posts set price = price + 1 where id = (select id from posts where author_id = 1 and status = 'live'
        order by id desc limit 1)`;
      await setTimeout(20);
    }
  })();
  return { end: () => { over.abort(); return done; } };
}

async function startFloor(): Promise<Running> {
  const port = await freePort();
  const child = launch(ROOT, ['bench/load/publish.ts'], { PORT: String(port) });
  const url = `http://127.0.0.1:${port}`;
  await answers(child, url, {});
  return { name: 'floor', pid: child.pid ?? 0, url, headers: {}, startup: 0, stop: () => stop(child) };
}

type Sql = ReturnType<typeof connection>;

function write(sql: Sql): Promise<unknown> {
  const title = `at ${performance.timeOrigin + performance.now()}`;
  return sql`insert into posts (author_id, title, status, price, created_at) values (1, ${title}, 'live', 1, now())`;
}

function sockets(): ChildProcess {
  return fork(join(import.meta.dirname, 'load/sockets.ts'));
}

async function ask(child: ChildProcess, order: Order): Promise<Heard> {
  child.send(order);
  const [heard] = await once(child, 'message') as [Heard];
  return heard;
}

async function report(child: ChildProcess): Promise<Extract<Heard, { times: number[] }>> {
  return await ask(child, { report: true }) as Extract<Heard, { times: number[] }>;
}
