/** The cost of each option of a write for a client that writes one row after the other. */
import { join } from 'node:path';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { connection, ROOT } from './database.ts';
import { median } from './measure.ts';
import { number, type Table } from './report.ts';
import { LIVENESS, start, token, type Running } from './servers.ts';

type Variant = { name: string; collection: string; headers?: (tag: string, n: number) => Record<string, string> };

const VARIANTS: Variant[] = [
  { name: 'nothing', collection: 'plain' },
  { name: 'history', collection: 'history' },
  { name: 'a tenant', collection: 'tenant' },
  { name: 'a callback in PL/pgSQL (beforeSave)', collection: 'callback' },
  { name: 'an idempotency key', collection: 'plain', headers: (_, n) => ({ 'idempotency-key': String(n) }) },
  { name: 'If-Match', collection: 'plain', headers: tag => ({ 'if-match': tag }) },
];
const ROWS = 200;

/** One gateway, one client. Variants take turns request by request, so that whatever else the machine does meets all of them. */
export async function adds(_server: Embedded, url: string, { seconds, rounds }: { seconds: number; rounds: number }): Promise<Table> {
  const sql = connection(url);
  // Waiting for the disk would hide what is measured.
  await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`);
  await sql`create function add_before_save(op text, old jsonb, new jsonb) returns jsonb language plpgsql as 'begin return null; end'`;
  const gateway = await start('rowgate', url, { first: LIVENESS, env: { SERVICE_COLLECTIONS_DIR: join(ROOT, 'bench/adds') } });
  const headers = { ...gateway.headers, authorization: `Bearer ${await token({ org: 'one' })}` };
  const times = new Map(VARIANTS.flatMap(({ name }) => (['POST', 'PATCH'] as const).map(method => [`${method} ${name}`, [] as number[]])));
  try {
    for (let n = 1; n <= ROWS; n++) {
      for (const collection of new Set(VARIANTS.map(variant => variant.collection))) await write(gateway, 'POST', collection, headers);
    }
    const end = performance.now() + seconds * rounds * 2000;
    for (let n = 0; performance.now() < end; n++) {
      for (const { name, collection, headers: more } of VARIANTS) {
        const path = `${collection}/${n % ROWS + 1}`;
        const tag = await tagOf(gateway, path, headers);
        times.get(`POST ${name}`)?.push(await write(gateway, 'POST', collection, { ...headers, ...more?.(tag, 2 * n) }));
        times.get(`PATCH ${name}`)?.push(await write(gateway, 'PATCH', path, { ...headers, ...more?.(tag, 2 * n + 1) }));
      }
    }
  } finally {
    await gateway.stop();
    await sql.end();
  }
  const took = (method: string, name: string) => median(times.get(`${method} ${name}`) ?? []) * 1000;
  const cells = (name: string) => ['POST', 'PATCH'].flatMap(method =>
    [`${number(took(method, name))} µs`, name === 'nothing' ? '' : `${number(took(method, name) - took(method, 'nothing'))} µs`]);
  return { header: ['besides', 'create', 'adds', 'change', 'adds'], rows: VARIANTS.map(({ name }) => [name, ...cells(name)]) };
}

async function tagOf({ url }: Running, path: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${url}/api/data/${path}`, { headers });
  await response.arrayBuffer();
  return response.headers.get('etag') ?? '';
}

/** Milliseconds until it was answered. */
async function write({ url }: Running, method: 'POST' | 'PATCH', path: string, headers: Record<string, string>): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${url}/api/data/${path}`, { method, headers, body: JSON.stringify({ title: 'A title', price: 12.5 }) });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${method} ${path} ${response.status}`);
  return performance.now() - began;
}
