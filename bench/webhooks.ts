/** The cost of a webhook for a writer over HTTP, and the rate of deliveries. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { CASES } from './cases.ts';
import { connection, createDatabase } from './database.ts';
import { measure, medians, type Entry, type Figures, type Rounds } from './measure.ts';
import { cpuTime } from './processes.ts';
import { cell, ratio, type Table } from './report.ts';
import { start, type Running } from './servers.ts';

const EVENTS = 2_000;
/** Milliseconds between two looks whether all are delivered. */
const POLL = 10;

/** `api`: no process delivers the events. */
const VARIANTS: Record<string, { webhook?: object; role?: 'api' }> = {
  'no webhook': {},
  'a webhook': { webhook: {} },
  'a webhook, ordered': { webhook: { ordered: true } },
  'a webhook, delivered elsewhere': { webhook: {}, role: 'api' },
};

export async function webhooks(server: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const insert = CASES.find(({ name }) => name === 'insert')?.asks.rowgate;
  if (insert === undefined) throw new Error('There is no case of inserts.');
  const receiver = fork(join(import.meta.dirname, 'load/receiver.ts'));
  const [{ port }] = await once(receiver, 'message') as [{ port: number }];
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-bench-'));
  const running: Running[] = [];
  const entries = new Map<string, Entry>();
  try {
    for (const [i, [name, { webhook, role }]] of Object.entries(VARIANTS).entries()) {
      const own = i === 0 ? url : await createDatabase(server, `bench_webhooks_${i}`);
      const file = join(folder, `${i}.json`);
      writeFileSync(file, JSON.stringify({
        webhooks: webhook === undefined ? [] : [{
          id: 'bench', table: 'posts', events: ['INSERT'], url: `http://127.0.0.1:${port}/`, allowPrivateNetworks: true, secret: 'secret',
          ...webhook,
        }],
      }));
      const gateway = await start('rowgate', own, { env: { SERVICE_CONFIG_FILE: file, ...(role && { SERVICE_ROLE: role }) } });
      running.push(gateway);
      entries.set(name, { server: gateway, ask: insert, connections: 64, after: () => forget(own) });
    }
    const figures = await measure(server, entries, rounds);
    const rows = [...figures].map(([name, own]) => [`create, ${name}`, cell(own), ...ratio(own, figures.get('no webhook'))]);
    const told = connection(new URL('/bench_webhooks_1', url).href);
    const deliveries: Figures[] = [];
    for (let round = 0; round <= rounds.rounds; round++) deliveries.push(await delivered(told, server.pid, running[1]?.pid ?? 0));
    await told.end();
    return {
      header: ['', '', 'of none, requests/s', 'by CPU'],
      rows: [...rows, ['events delivered, 2 at once', cell(medians(deliveries.slice(1))), '', '']],
    };
  } finally {
    for (const gateway of running) await gateway.stop();
    receiver.disconnect();
    rmSync(folder, { recursive: true });
  }
}

/** Drops the events that wait, so that no round pays for another's. */
async function forget(url: string): Promise<void> {
  const sql = connection(url);
  await sql`truncate service.jobs`;
  await sql.end();
}

/** From the commit that told of the events until the last is recorded. */
async function delivered(sql: ReturnType<typeof connection>, postgres: number, server: number): Promise<Figures> {
  await sql`truncate service.jobs`;
  await sql`
    insert into posts (author_id, title, status, price, created_at)
    select 1, 'Post number ' || n, 'live', 12.5, now() from generate_series(1, ${EVENTS}::integer) n`;
  const began = performance.now();
  const before = [cpuTime(server), cpuTime(postgres)] as const;
  while ((await sql`select from service.jobs where status in ('pending', 'running') limit 1`).length > 0) await setTimeout(POLL);
  return {
    rate: EVENTS / (performance.now() - began) * 1_000,
    server: (cpuTime(server) - before[0]) / EVENTS, postgres: (cpuTime(postgres) - before[1]) / EVENTS,
  };
}
