/** A walk over a whole table by cursor: that it meets every row once, and that its last page costs what its first does. */
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { measure, type Rounds } from './measure.ts';
import { cell, type Table } from './report.ts';
import { start, type Running } from './servers.ts';

const LIST = '/api/data/posts?orderBy=createdAt&limit=50';
const PAGES = 10_000;
const MEASURED = [1, PAGES / 2, PAGES];

export async function cursor(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const server = await start('rowgate', url);
  server.headers['prefer'] = 'count=none'; // the total costs the same on every page, and more than the page
  try {
    const pages = await walk(server);
    const asked: [string, string][] = [
      ...MEASURED.map((page): [string, string] => [`page ${page} by cursor`, pages[page - 1] ?? '']),
      ...MEASURED.map((page): [string, string] => [`page ${page} by number`, `${LIST}&page=${page}`]),
    ];
    const entries = asked.map(([name, path]) =>
      [name, { server, ask: { method: 'GET' as const, path, body: '' }, connections: 8 }] as const);
    const measured = await measure(postgres, new Map(entries), rounds);
    return {
      header: ['page of 50, ordered by a column and the key', 'rowgate'], rows: asked.map(([name]) => [name, cell(measured.get(name))]),
    };
  } finally {
    await server.stop();
  }
}

type Page = { data: { id: number }[]; meta: { nextCursor?: string } };

/** The path of each page. @throws Error when a row is met twice or out of order. */
async function walk(server: Running): Promise<string[]> {
  const paths: string[] = [];
  let last = 0;
  for (let path = LIST; paths.length < PAGES;) {
    paths.push(path);
    const page = await (await fetch(server.url + path, { headers: server.headers })).json() as Page;
    for (const { id } of page.data) {
      if (id !== last + 1) throw new Error(`${path}: row ${id} follows ${last}`); // data.sql gives later rows later times
      last = id;
    }
    path = `${LIST}&after=${page.meta.nextCursor ?? ''}`;
  }
  return paths;
}
