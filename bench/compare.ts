/** Before anything is measured: that the servers answer the same. */
import { isDeepStrictEqual } from 'node:util';
import type { Case, ServerName } from './cases.ts';
import type { Ask } from './load/load.ts';
import type { Running } from './servers.ts';

const WALKED = [1, 7, 1000];

type Answer = { text: string; total: string | null };

/**
 * The floor's text must be the service's, but for the keys of new rows; the signed cursor and the time of a change are left out. A peer's
 * answer must have the same meaning: rows, columns, related rows and total, whatever their spelling.
 * @throws Error with both answers.
 */
export async function requireSame(servers: Running[], { name, asks }: Case): Promise<void> {
  const [reference, ...others] = servers.filter(server => asks[server.name]).toSorted((a, b) => order(a.name) - order(b.name));
  if (reference?.name !== 'rowgate') throw new Error('Answers are compared with those of rowgate.');
  for (const n of WALKED) {
    const expected = await ask(reference, asks.rowgate, n);
    for (const server of others) {
      const got = await ask(server, asks[server.name], n);
      const isSame = server.name === 'floor'
        ? comparable(got.text) === comparable(expected.text)
        : isDeepStrictEqual(plain(meaning(server.name, got), hasForeignKeys(server.name, asks)),
          plain(meaning('rowgate', expected), hasForeignKeys(server.name, asks)));
      if (!isSame) throw new Error(`${name}: ${server.name} answers\n${got.text} (${got.total ?? ''})\nand rowgate\n${expected.text}`);
    }
  }
}

function order(name: ServerName): number {
  return name === 'rowgate' ? 0 : 1;
}

async function ask(server: Running, { method, path, body }: Ask = { method: 'GET', path: '/', body: '' }, n: number): Promise<Answer> {
  const walking = (text: string) => text.replaceAll('#', String(n));
  const response = await fetch(server.url + walking(path), {
    method,
    headers: server.headers,
    ...(body !== '' && { body: walking(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${server.name} ${method} ${path}: ${response.status} ${text}`);
  return { text, total: response.headers.get('x-total-count') };
}

/** Floor and service write JSON with other blanks around it. */
function comparable(text: string): string {
  return JSON.stringify(JSON.parse(text, (key, value: unknown) => key === 'nextCursor' || key === 'updatedAt' ? undefined : value))
    .replace(/\{"id":\d{6,}/g, '{"id":0');
}

/** In GraphQL Platformatic tells a foreign key only as the key of the row it points to. */
function hasForeignKeys(server: ServerName, asks: Case['asks']): boolean {
  return server !== 'platformatic' || asks.platformatic?.path !== '/graphql';
}

/** The rows of an answer, and how many there are in all where that was asked. */
function meaning(server: ServerName, { text, total }: Answer): { data?: unknown; total?: unknown } {
  const answer = JSON.parse(text);
  if (server === 'rowgate') return Array.isArray(answer.data) ? { data: answer.data, total: answer.meta?.total }
    : 'count' in answer ? { total: answer.count }
    : { data: answer };
  if (answer.errors) throw new Error(`${server}: ${text}`);
  if (server === 'platformatic') {
    return 'data' in answer ? { data: answer.data.data, total: answer.data.total?.total } : { data: answer, total };
  }
  const { data } = answer.data;
  if (data.groupedAggregates) {
    return { data: data.groupedAggregates.map((group: any) =>
      ({ status: group.keys[0], sum_price: group.sum.price, avg_price: group.average.price })).toSorted(byStatus) };
  }
  return { data: data.nodes ?? data.post ?? ('totalCount' in data ? undefined : data), total: data.totalCount };
}

/** PostGraphile's groups come in no order. */
function byStatus(a: { status: string }, b: { status: string }): number {
  return a.status < b.status ? -1 : 1;
}

/**
 * In one spelling: numbers as numbers, times as ISO with milliseconds, lists as arrays, keys sorted; without nulls and without a new row's
 * key.
 */
function plain(value: any, foreignKeys: boolean): unknown {
  if (Array.isArray(value)) return value.map(item => plain(item, foreignKeys));
  if (Array.isArray(value?.nodes)) return plain(value.nodes, foreignKeys);
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return new Date(value).toISOString();
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, of]) =>
    of !== undefined && of !== null && !(key === 'id' && Number(of) > 501_000) && (foreignKeys || !key.endsWith('Id')));
  return Object.fromEntries(kept.map(([key, of]) => [key, plain(of, foreignKeys)] as const).toSorted(([a], [b]) => a < b ? -1 : 1));
}
