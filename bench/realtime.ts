/** What realtime costs those who write, and what it gives those who listen. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Embedded } from '../gateway/embedded/embedded.ts';
import { CASES } from './cases.ts';
import { connection, createDatabase } from './database.ts';
import { type Heard, type Order } from './load/sockets.ts';
import { measure, median, type Rounds } from './measure.ts';
import { memory } from './processes.ts';
import { cell, number, ratio, type Table } from './report.ts';
import { start, token, type Running } from './servers.ts';

const LATEST = { path: 'posts', orderBy: [['id', 'desc']], limit: 1, fields: ['title'], count: 'none' };
/** Of another author for each identity: what one is shown no other is. */
const PAGE = { path: 'posts', filter: { status: ['==', 'live'], authorId: ['==', 1] } };

/** Creates with realtime off, on with nobody who listens, and with subscribers to the same table and to another. */
export async function telling(server: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const insert = CASES.find(({ topic }) => topic === 'insert')?.asks.rowgate;
  if (insert === undefined) throw new Error('There is no case of inserts.');
  const others = await Promise.all(['elsewhere', 'here', 'off'].map(name => createDatabase(server, `bench_${name}`)));
  const urls = { 'realtime on, nobody listens': url, 'a subscriber of another table': others[0], 'a subscriber of this table': others[1], 'realtime off': others[2] };
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
    return { header: ['create, 32 writers', '', 'to off, requests/s', 'by CPU'], rows: [...figures].map(([name, own]) => [name, cell(own), ...ratio(own, off)]) };
  } finally {
    for (const child of listeners) child.kill();
    for (const running of servers.values()) await running.stop();
  }
}

/** Many sockets on one list that changes ten times a second; the first change after quiet; memory; many identities. */
export async function hearing(_server: Embedded, url: string, { seconds }: Rounds): Promise<Table> {
  const rows: string[][] = [];
  const sql = connection(url);
  await sql`insert into service.users (uid, email) select 'u' || n, 'u' || n || '@bench.local' from generate_series(1, 1000) n on conflict do nothing`;
  const gateway = await start('rowgate', url);
  const child = sockets();
  const row = (what: string, value: string) => { rows.push([what, value]); };
  try {
    const before = memory(gateway.pid);
    await ask(child, { open: 1, url: gateway.url, tokens: [await token()], payload: LATEST });
    const first: number[] = [];
    for (let n = 0; n < 15; n++) {
      await setTimeout(2_500); // it sleeps again after a second
      await write(sql);
      await setTimeout(300);
      const heard = await report(child);
      first.push(...heard.times.slice(0, 1));
    }
    row('first change after quiet, p50', `${number(median(first))} ms`);
    const tokens = await Promise.all(Array.from({ length: 1000 }, (_, n) => token({ uid: `u${n + 1}` })));
    await ask(child, { open: 1000, url: gateway.url, tokens, payload: { ...PAGE, path: 'comments', filter: { authorId: ['==', 1] } } });
    await setTimeout(2_000);
    row('memory of a socket with an idle subscription of its own identity', `${number((memory(gateway.pid) - before) * 1024 / 1000)} KiB`);
    await ask(child, { open: 4000, url: gateway.url, tokens: [await token()], payload: LATEST });
    await report(child);
    const writes = Math.round(seconds * 10 * 2);
    for (let n = 0; n < writes; n++) {
      await write(sql);
      await setTimeout(100);
    }
    await setTimeout(1_000);
    const { times, updates } = await report(child);
    times.sort((a, b) => a - b);
    row(`4,001 sockets on one list, 10 writes/s: updates/s`, number(updates / (writes / 10)));
    row('p50', `${number(median(times))} ms`);
    row('p99', `${number(times[Math.ceil(times.length * 0.99) - 1] ?? NaN)} ms`);
  } finally {
    child.kill();
    await gateway.stop();
    await sql.end();
  }
  return { header: ['', ''], rows };
}

function write(sql: ReturnType<typeof connection>): Promise<unknown> {
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
