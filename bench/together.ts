/**
 * Reads that are coalesced against the same gateway with each alone, against the floor under row security, which is one statement a read,
 * and against the peers.
 */
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { CASES, type Case, type ServerName } from './cases.ts';
import { requireSame } from './compare.ts';
import { connection } from './database.ts';
import { load } from './load/load.ts';
import { measure, median, type Rounds } from './measure.ts';
import { cell, number, ratio, type Table } from './report.ts';
import { start, token, type Running } from './servers.ts';

/** `callers`: so many take turns instead of one. */
type Measured = { of: string; connections: number; callers?: number };

const CALLERS = 32;
const MEASURED: Measured[] = [
  { of: 'get by id', connections: 1 },
  { of: 'get by id', connections: 32 },
  { of: 'get by id', connections: 128 },
  { of: 'get by id + one hop (author)', connections: 32 },
  { of: 'get by id + one hop (author)', connections: 128 },
  { of: 'get by id', connections: 32, callers: CALLERS },
  { of: 'list of 50, two filters', connections: 4 },
  { of: 'list of 50, two filters', connections: 64 },
  { of: 'list of 5, two filters', connections: 64 },
  { of: 'list of 50 + one hop (author)', connections: 64 },
  { of: 'count, two filters', connections: 64 },
];
const LISTS = { name: 'list of 50, two filters', connections: 4 };

export async function together(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const servers: Running[] = [];
  const rows: string[][] = [];
  try {
    // The service grants what the floor reads, so it comes first.
    servers.push(await start('rowgate', url, { env: { SERVICE_COALESCE: 'off' } }));
    servers.push(await start('rowgate', url, { env: { SERVICE_COALESCE: 'on' } }));
    servers.push(await start('floor', url, { env: { SECURED: 'yes' } }));
    servers.push(await start('platformatic', url), await start('postgraphile', url));
    await createAccounts(url);
    for (const measured of MEASURED) rows.push(await measureOne(postgres, servers, measured, rounds));
    const [alone, coalesced] = servers as [Running, Running];
    rows.push(await latencyBesideLists(alone, coalesced, rounds));
  } finally {
    for (const server of servers) await server.stop();
  }
  const header = ['', 'floor', 'alone', 'coalesced', 'of the floor', 'of alone', 'PostgreSQL\'s time', 'faster peer', '× that'];
  return { header, rows };
}

async function createAccounts(url: string): Promise<void> {
  const sql = connection(url);
  await sql`
    insert into service.users (uid, email)
    select 'bench ' || n, 'bench' || n || '@example.org' from generate_series(1, ${CALLERS}) n`;
  await sql.end();
}

async function measureOne(postgres: Embedded, servers: Running[], measuring: Measured, rounds: Rounds): Promise<string[]> {
  const { of, connections, callers } = measuring;
  const asked = caseOf(of);
  await requireSame(servers, asked);
  const tokens = callers && await Promise.all(Array.from({ length: callers }, (_, n) => token({ uid: `bench ${n + 1}` })));
  const entries = servers.flatMap((server, i) => {
    const ask = asked.asks[server.name];
    const isPeer = server.name !== 'rowgate' && server.name !== 'floor';
    if (ask === undefined || (isPeer && asked.topic !== 'get') || (tokens !== undefined && server.name !== 'rowgate')) return [];
    return [[i === 0 ? 'alone' : server.name, { server: { ...server, ...(tokens && { tokens }) }, ask, connections }] as const];
  });
  const measured = await measure(postgres, new Map<'alone' | ServerName, typeof entries[number][1]>(entries), rounds);
  const [floor, alone, coalesced] = (['floor', 'alone', 'rowgate'] as const).map(name => measured.get(name));
  const [peer] = [measured.get('platformatic'), measured.get('postgraphile')].filter(figures => figures !== undefined)
    .toSorted((a, b) => b.rate - a.rate);
  const row = [
    `${of}, ${connections} connections${callers === undefined ? '' : `, ${callers} callers`}`, cell(floor), cell(alone), cell(coalesced),
    ratio(coalesced, floor)[0] ?? '', ratio(coalesced, alone)[0] ?? '',
    ((coalesced?.postgres ?? NaN) / (alone?.postgres ?? NaN)).toFixed(2), cell(peer), ratio(coalesced, peer)[0] ?? '',
  ];
  console.error(row.join('  '));
  return row;
}

/** The time that all but one get of a hundred took at most, while lists are asked for. */
async function latencyBesideLists(alone: Running, coalesced: Running, { seconds, rounds }: Rounds): Promise<string[]> {
  const [get, list] = [caseOf('get by id').asks.rowgate, caseOf(LISTS.name).asks.rowgate];
  if (!get || !list) throw new Error('Gets and lists are asked of the gateway.');
  const times = { alone: [] as number[], coalesced: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const [name, server] of Object.entries({ alone, coalesced }) as [keyof typeof times, Running][]) {
      const [{ p99 }] = await Promise.all([
        load(server, get, { connections: 32, seconds }), load(server, list, { connections: LISTS.connections, seconds }),
      ]);
      if (round > 0) times[name].push(p99);
    }
  }
  const [a, b] = [median(times.alone), median(times.coalesced)];
  return ['p99 of get by id, 32 connections, beside lists', '', `${number(a)} ms`, `${number(b)} ms`, '', (b / a).toFixed(2), '', '', ''];
}

function caseOf(name: string): Case {
  const found = CASES.find(one => one.name === name);
  if (found === undefined) throw new Error(`There is no case ${name}.`);
  return found;
}
