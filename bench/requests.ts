/** The same request to several servers: first that they answer the same, then how fast. */
import { join } from 'node:path';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { CASES, RULED, type Case, type ServerName, type Topic } from './cases.ts';
import { requireSame } from './compare.ts';
import { connection, ROOT } from './database.ts';
import { measure, type Figures, type Rounds } from './measure.ts';
import { memory } from './processes.ts';
import { cell, number, ratio, type Table } from './report.ts';
import { LIVENESS, start, type Running } from './servers.ts';

type Measured = Map<ServerName, Figures>;

/** The service against the floor. */
export async function againstFloor(postgres: Embedded, url: string, topics: Topic[], rounds: Rounds): Promise<Table> {
  const rows: string[][] = [];
  await withServers(['floor', 'rowgate'], url, async servers => {
    for (const of of CASES.filter(({ topic, asks }) => topics.includes(topic) && asks.floor)) {
      rows.push(await besideFloor(postgres, servers, of, rounds));
    }
  });
  return { header: FLOOR_HEADER, rows };
}

/** Reads, where the floor is under the same row security. The service grants what is read, so it comes first. */
export async function secured(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const rows: string[][] = [];
  const servers = [await start('rowgate', url)];
  try {
    servers.push(await start('floor', url, { env: { SECURED: 'yes' } }));
    for (const of of CASES.filter(({ topic }) => topic === 'get' || topic === 'list')) {
      rows.push(await besideFloor(postgres, servers, of, rounds));
    }
  } finally {
    for (const server of servers) await server.stop();
  }
  return { header: FLOOR_HEADER, rows };
}

const FLOOR_HEADER = ['request', 'floor', 'rowgate', 'of the floor\'s requests/s', 'of the floor\'s requests per CPU second'];

async function besideFloor(postgres: Embedded, servers: Running[], of: Case, rounds: Rounds): Promise<string[]> {
  const measured = await compared(postgres, servers, of, rounds);
  const [floor, ours] = [measured.get('floor'), measured.get('rowgate')];
  return told([of.name, cell(floor), cell(ours), ...ratio(ours, floor)]);
}

/** Setting of a start that makes the ruled tables. */
export const RULED_TABLES = { SERVICE_COLLECTIONS_DIR: join(ROOT, 'bench/collections') };

/**
 * Writes to tables of collection files, where the floor is under the same row security: it works as the end-user role, with its
 * identity set once a connection. The service makes the tables, so it comes first.
 */
export async function ruled(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const rows: string[][] = [];
  const servers: Running[] = [];
  try {
    servers.push(await start('rowgate', url, { first: LIVENESS, env: RULED_TABLES }));
    await fillRuled(url);
    servers.push(await start('floor', url, { first: RULED[0]?.asks.floor, env: { SECURED: 'yes' } }));
    for (const of of RULED) rows.push(await besideFloor(postgres, servers, of, rounds));
  } finally {
    for (const server of servers) await server.stop();
  }
  return { header: FLOOR_HEADER, rows };
}

/** Gives the ruled tables a thousand rows to change. Keys of new rows begin where those of posts do. */
export async function fillRuled(url: string): Promise<void> {
  const sql = connection(url);
  for (const table of ['notes', 'offers']) {
    await sql`insert into ${sql(table)} (title, sku, contact, price) select 'Title ' || n, 'AB-' || n, 'someone@example.org', n
      from generate_series(1, 1000) n`;
    await sql`alter table ${sql(table)} alter column id restart with 501001`;
  }
  await sql`vacuum analyze`;
  await sql.end();
}

/**
 * The service against other servers for the same database, in everything that they can be asked; the floor beside them says how many times
 * as fast a server could be at all.
 */
export async function againstPeers(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const names = ['floor', 'rowgate', 'platformatic', 'postgraphile'] as const;
  const rows: string[][] = [];
  await withServers([...names], url, async servers => {
    rows.push(['start to first answer', ...servers.map(({ startup }) => `${number(startup)} ms`), '', '', '']);
    rows.push(['memory after start', ...servers.map(({ pid }) => `${number(memory(pid))} MiB`), '', '', '']);
    for (const of of CASES.filter(({ asks }) => asks.platformatic ?? asks.postgraphile)) {
      const measured = await compared(postgres, servers, of, rounds);
      const [floor, ours] = [measured.get('floor'), measured.get('rowgate')];
      const peers = ['platformatic', 'postgraphile'].flatMap(name => measured.get(name as ServerName) ?? []);
      const fastest = peers.toSorted((a, b) => b.rate - a.rate)[0];
      const cheapest = peers.toSorted((a, b) => a.server + a.postgres - b.server - b.postgres)[0];
      rows.push(told([of.name, ...names.map(name => cell(measured.get(name))), ratio(ours, fastest)[0]
        ?? '', ratio(floor, fastest)[0] ?? '', ratio(ours, cheapest)[1] ?? '']));
    }
    rows.push(['memory after load', ...servers.map(({ pid }) => `${number(memory(pid))} MiB`), '', '', '']);
  });
  return {
    header: ['request', ...names, '× the faster peer\'s requests/s', 'the floor\'s ×', '× the cheaper peer\'s requests per CPU second'],
    rows,
  };
}

async function withServers(names: ServerName[], url: string, work: (servers: Running[]) => Promise<void>): Promise<void> {
  const servers: Running[] = [];
  try {
    for (const name of names) servers.push(await start(name, url));
    await work(servers);
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function compared(postgres: Embedded, servers: Running[], of: Case, rounds: Rounds): Promise<Measured> {
  await requireSame(servers, of);
  const entries = servers.flatMap(server => {
    const ask = of.asks[server.name];
    return ask ? [[server.name, { server, ask, connections: of.connections }] as const] : [];
  });
  return measure(postgres, new Map(entries), rounds);
}

function told(row: string[]): string[] {
  console.error(row.join('  '));
  return row;
}
