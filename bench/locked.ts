/** Writes to other rows while some wait for a locked row. */
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { preparedBy } from './before.ts';
import { connection } from './database.ts';
import { number, type Table } from './report.ts';
import { start, type Running } from './servers.ts';

const CLIENTS = 32;
/** How many clients write to the locked row. */
const WAITING = 4;

/** With the folder of another checkout, compiled there, both. */
export async function locked(server: Embedded, url: string, { seconds }: { seconds: number }, before?: string): Promise<Table> {
  const folder = before === undefined ? undefined : resolve(before);
  const rows = folder === undefined ? [] : [['before', ...await met(await preparedBy(server, folder), seconds, folder)]];
  rows.push(['now', ...await met(url, seconds)]);
  return { header: ['', 'writes/s', 'p50', 'p99', 'the slowest'], rows };
}

async function met(url: string, seconds: number, folder?: string): Promise<string[]> {
  const gateway = await start('rowgate', url, { ...(folder !== undefined && { folder }) });
  const sql = connection(url);
  try {
    await writes(gateway, 2);
    const { waiting, times } = await sql.begin(async locker => {
      await locker`select from posts where id = 1 for update`;
      const waiting = Array.from({ length: WAITING }, () => write(gateway, 1));
      return { waiting, times: (await writes(gateway, seconds)).toSorted((a, b) => a - b) };
    });
    await Promise.all(waiting);
    return [
      number(times.length / seconds), ...[0.5, 0.99, 1].map(part => `${number(times[Math.ceil(times.length * part) - 1] ?? NaN)} ms`),
    ];
  } finally {
    await sql.end();
    await gateway.stop();
  }
}

/** Milliseconds of each, from clients that write one after the other; what is not answered when time is up took until then. */
async function writes(gateway: Running, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = client; performance.now() < end; n += CLIENTS) {
      const began = performance.now();
      await Promise.race([write(gateway, 2 + n % 900), setTimeout(end - began)]);
      times.push(performance.now() - began);
    }
  }));
  return times;
}

async function write({ url, headers }: Running, id: number): Promise<void> {
  const response = await fetch(`${url}/api/data/posts/${id}`,
    { method: 'PATCH', headers, body: `{"title":"Changed by ${id}","price":99.95}` });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
