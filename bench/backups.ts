/** Gets beside backups, and what a backup and its download take of memory: to a folder, and to a bucket. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { findClient } from '../gateway/client/client.ts';
import { startSwift } from '../test/harness/swift.ts';
import { CASES } from './cases.ts';
import { connection } from './database.ts';
import { measure, type Entry, type Rounds } from './measure.ts';
import { ownMemory } from './processes.ts';
import { cell, number, ratio, type Table } from './report.ts';
import { SERVICE_KEY, start, type Running } from './servers.ts';

/** Rows that no compression makes small: 90 MB of a dump. */
const ROWS = 1_000_000;
/** Milliseconds between two looks at the memory. */
const LOOK = 50;

export async function backups(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const sql = connection(url);
  await sql`create table public.large as select n, sha512(n::text::bytea) as bytes from generate_series(1, ${ROWS}::integer) n`;
  await sql.end();
  const { dump, dumpAll, restore } = await findClient({
    server: 17, named: { dump: undefined, dumpAll: undefined, restore: undefined }, fetches: true,
  });
  const [folder, swift] = [mkdtempSync(join(tmpdir(), 'rowgate-backups-')), await startSwift()];
  const { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = swift.env; // without S3_BUCKET files are not served
  const env = {
    S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, PG_DUMP_PATH: dump, PG_DUMPALL_PATH: dumpAll, PG_RESTORE_PATH: restore,
  };
  const rows: string[][] = [];
  try {
    for (const [name, destination] of Object.entries({ 'a folder': folder, 'a bucket': 's3://media' })) {
      const gateway = await start('rowgate', url, { env: { ...env, BACKUP_DESTINATION: destination } });
      try {
        rows.push(...await beside(postgres, gateway, name, rounds), ...await remembered(gateway, name));
      } finally {
        await gateway.stop();
      }
    }
  } finally {
    await swift.stop();
    rmSync(folder, { recursive: true });
  }
  return { header: ['', 'without', 'with', 'with / without', 'by CPU time'], rows };
}

/** Backups follow one another while the load of every second entry lasts. */
async function beside(postgres: Embedded, server: Running, name: string, rounds: Rounds): Promise<string[][]> {
  const [ask] = CASES.flatMap(({ topic, asks: { rowgate } }) => topic === 'get' && rowgate !== undefined ? [rowgate] : []);
  if (ask === undefined) throw new Error('There is no get.');
  let stop = (): Promise<void> => Promise.resolve();
  const entries = new Map<'without' | 'with', Entry>([
    ['without', { server, ask, connections: 64, after: () => begin() }],
    ['with', { server, ask, connections: 64, after: () => stop() }],
  ]);
  const measured = await measure(postgres, entries, rounds);
  const [without, during] = [measured.get('without'), measured.get('with')];
  return [[`gets by 64 connections, beside backups to ${name}`, cell(without), cell(during), ...ratio(during, without)]];

  function begin(): Promise<void> {
    stop = repeated(() => backUp(server));
    return Promise.resolve();
  }
}

/** The most private memory of the gateway with its programs. */
async function remembered(server: Running, name: string): Promise<string[][]> {
  const key = await backUp(server);
  const rows: string[][] = [];
  for (const [what, work] of Object.entries({
    [`memory of a backup to ${name}, pg_dump with it`]: () => backUp(server),
    [`memory of a download from ${name}`]: () => download(server, key),
  })) {
    const idle = ownMemory(server.pid);
    let most = idle;
    const looking = setInterval(() => { most = Math.max(most, ownMemory(server.pid)); }, LOOK);
    await work();
    clearInterval(looking);
    rows.push([what, `${number(idle)} MiB`, `${number(most)} MiB`, `+${number(Math.max(0, most - idle))} MiB`, '']);
  }
  return rows;
}

const headers = { authorization: `Bearer ${SERVICE_KEY}` };

/** @returns its key */
async function backUp({ url }: Running): Promise<string> {
  const response = await fetch(`${url}/api/admin/cron/service.backup/trigger`, { method: 'POST', headers });
  const { log } = await response.json() as { log?: { success: boolean; error?: string; result: { key: string } } };
  if (log?.success !== true) throw new Error(`The backup failed: ${log?.error ?? response.status}`);
  return log.result.key;
}

async function download({ url }: Running, key: string): Promise<void> {
  const response = await fetch(`${url}/api/admin/backups/download?key=${encodeURIComponent(key)}`, { headers });
  await response.body?.pipeTo(new WritableStream());
}

/** Repeats it until that is stopped. @returns what stops it */
function repeated(work: () => Promise<unknown>): () => Promise<void> {
  const over = new AbortController();
  const running = (async () => {
    while (!over.signal.aborted) await work();
  })();
  return () => {
    over.abort();
    return running;
  };
}
