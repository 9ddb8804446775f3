/** Gets that go together against the same gateway with them alone, and against the floor under row security: one statement a get. */
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { measureRounds, medians, type Rounds } from './measure.ts';
import { cell, ratio, type Table } from './report.ts';
import { start, type Running } from './servers.ts';
import type { Ask } from './load/load.ts';

const get = (path: string): Ask => ({ method: 'GET', path, body: '' });
const CASES: { name: string; connections: number; path: string; floor?: string }[] = [
  { name: 'get', connections: 1, path: '/api/data/posts/#', floor: '/get/#' },
  { name: 'get', connections: 32, path: '/api/data/posts/#', floor: '/get/#' },
  { name: 'get', connections: 128, path: '/api/data/posts/#', floor: '/get/#' },
  { name: 'get with its author', connections: 32, path: '/api/data/posts/#?include=author' },
];

export async function together(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const servers: Running[] = [];
  const rows: string[][] = [];
  try {
    servers.push(await start('rowgate', url, { env: { SERVICE_COALESCE: 'off' } }));
    servers.push(await start('rowgate', url, { env: { SERVICE_COALESCE: 'on' } }));
    servers.push(await start('floor', url, { env: { SECURED: 'yes' } }));
    const [alone, on, floor] = servers as [Running, Running, Running];
    for (const { name, connections, path, floor: floorPath } of CASES) {
      const entries = new Map([
        ['alone', { server: alone, ask: get(path), connections }], ['together', { server: on, ask: get(path), connections }],
        ...(floorPath === undefined ? [] : [['floor', { server: floor, ask: get(floorPath), connections }] as const]),
      ]);
      const measured = await measureRounds(postgres, entries, rounds);
      const [a, b, f] = ['alone', 'together', 'floor'].map(key => measured.get(key)).map(figures => figures && medians(figures));
      rows.push([`${name}, ${connections} connections`, ...[f, a, b].map(figures => figures === undefined ? '' : cell(figures)),
        f === undefined ? '' : ratio(b, f)[0] ?? '', ratio(b, a)[0] ?? '']);
    }
  } finally {
    for (const server of servers) await server.stop();
  }
  return { header: ['', 'floor', 'alone', 'together', 'of the floor', 'of alone'], rows };
}
