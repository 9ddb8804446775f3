/** Jobs that do nothing, by a worker of this service and by graphile-worker; and the price of enqueueing one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type postgres from 'postgres';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { createFairExecutor } from '../gateway/database/fair-executor.ts';
import { ownerConnection } from '../gateway/database/connection.ts';
import { listenAt } from '../gateway/database/listen.ts';
import { openPresence } from '../gateway/database/presence.ts';
import { openWorker } from '../gateway/features/jobs/worker.ts';
import { connection, ROOT } from './database.ts';
import { install } from './install.ts';
import { median, type Rounds } from './measure.ts';
import { number, type Table } from './report.ts';
import { LIVENESS, start } from './servers.ts';

const JOBS = 20_000;
const CONCURRENCY = [5, 50];
const CLIENTS = 16;
const PEERS = join(ROOT, 'bench/peers');
/** Milliseconds between two looks whether all are done. */
const POLL = 10;

/** As much of graphile-worker as is used. */
type Graphile = {
  run: (options: object) => Promise<{ stop: () => Promise<void> }>;
  Logger: new (factory: () => () => void) => object;
};

export async function jobs(_server: Embedded, url: string, { seconds, rounds }: Rounds): Promise<Table> {
  await install(PEERS);
  const graphile = createRequire(join(PEERS, 'package.json'))('graphile-worker') as Graphile;
  const sql = connection(url);
  const rows: string[][] = [];
  for (const concurrency of CONCURRENCY) {
    const runners = {
      own: () => own(sql, url, concurrency),
      file: () => ofFile(sql, url, concurrency),
      plain: () => peer(graphile, sql, url, concurrency),
      batched: () => peer(graphile, sql, url, concurrency, { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }),
    };
    const found = await alternated(runners, rounds);
    for (const [what, rate] of [['jobs that do nothing', found.own], ['jobs of a file that do nothing', found.file]] as const) {
      rows.push([
        `${what}, ${concurrency} at once`, ...told(rate), ...told(found.plain), ratio(rate, found.plain), ...told(found.batched),
        ratio(rate, found.batched),
      ]);
    }
  }
  const { bare, enqueued } = await enqueueing(sql, url, seconds, rounds);
  const name = `enqueue, one a transaction, ${CLIENTS} clients; a bare insert`;
  rows.push([name, ...told(enqueued), ...told(bare), ratio(enqueued, bare), '', '']);
  await sql.end();
  return { header: ['', 'Rowgate', 'graphile-worker; bare', '×', 'with a local queue, completed in batches', '×'], rows };
}

async function alternated<Name extends string>(
  runners: Record<Name, () => Promise<number>>, rounds: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(runners) as Name[];
  const rates = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const rate = await runners[name]();
      if (round > 0) rates[name].push(rate);
    }
  }
  return Object.fromEntries(names.map(name => [name, median(rates[name])])) as Record<Name, number>;
}

const told = (rate: number): string[] => [`${number(rate)}/s`];
const ratio = (one: number, other: number): string => (one / other).toFixed(2);

/** @returns jobs a second, from the first claim until the last is recorded as done. */
async function own(sql: postgres.Sql, url: string, concurrency: number): Promise<number> {
  await sql`truncate service.jobs`;
  await sql`select service.enqueue('noop') from generate_series(1, ${JOBS}::integer)`;
  await sql`vacuum analyze service.jobs`;
  const owner = ownerConnection(url, { connectTimeout: 5_000, applicationName: 'bench' }, 1);
  const listening = listenAt(url);
  const presence = await openPresence(listening);
  const began = performance.now();
  const worker = await openWorker({
    ask: createFairExecutor(() => owner, { size: 1, deadline: 30_000 }), listen: listening.listen, presence, concurrency,
    handlers: { noop: { run: () => Promise.resolve(undefined) } }, log: pino({ level: 'silent' }), pollInterval: 2_000,
    visibilityTimeout: 300_000, maxAttempts: 3,
  });
  await until(() => allDone(sql));
  const rate = JOBS / (performance.now() - began) * 1_000;
  await worker.close(1_000);
  await presence.end();
  await owner.end();
  return rate;
}

/** By a start of the service, from the commit that tells of the jobs. */
async function ofFile(sql: postgres.Sql, url: string, concurrency: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-bench-'));
  const settings = join(folder, 'rowgate.json');
  writeFileSync(settings, JSON.stringify({ jobs: { concurrency } }));
  const gateway = await start('rowgate', url, {
    first: LIVENESS,
    env: { SERVICE_ROLE: 'worker', SERVICE_JOBS_DIR: join(import.meta.dirname, 'jobs'), SERVICE_CONFIG_FILE: settings },
  });
  await sql`truncate service.jobs`;
  await sql`select service.enqueue('noop') from generate_series(1, ${JOBS}::integer)`;
  const began = performance.now();
  await until(() => allDone(sql));
  const rate = JOBS / (performance.now() - began) * 1_000;
  await gateway.stop();
  rmSync(folder, { recursive: true });
  return rate;
}

async function allDone(sql: postgres.Sql): Promise<boolean> {
  const left = await sql`
    (select from service.jobs where status = 'pending' limit 1)
    union all
    (select from service.jobs where status = 'running' limit 1)`;
  return left.length === 0;
}

async function peer({ run, Logger }: Graphile, sql: postgres.Sql, url: string, concurrency: number, worker: object = {}): Promise<number> {
  const options = {
    connectionString: url, concurrency, noHandleSignals: true, logger: new Logger(() => () => undefined),
    preset: { worker: { connectionString: url, concurrentJobs: concurrency, ...worker } },
  };
  // It makes its tables.
  const first = await run({ ...options, taskList: { other: () => Promise.resolve() } });
  await first.stop();
  await sql`select graphile_worker.add_job('noop', '{}') from generate_series(1, ${JOBS}::integer)`;
  await sql`vacuum analyze graphile_worker._private_jobs`;
  const began = performance.now();
  const runner = await run({ ...options, taskList: { noop: () => Promise.resolve() } });
  await until(async () => (await sql`select from graphile_worker._private_jobs limit 1`).length === 0);
  const rate = JOBS / (performance.now() - began) * 1_000;
  await runner.stop();
  return rate;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo()) await new Promise(resolve => { setTimeout(resolve, POLL); });
}

/** Beside a worker that does them, into tables with the same indexes. */
async function enqueueing(sql: postgres.Sql, url: string, seconds: number, rounds: number): Promise<Record<'bare' | 'enqueued', number>> {
  await sql`truncate service.jobs`;
  await sql`create table if not exists bare (like service.jobs including all)`;
  const clients = Array.from({ length: CLIENTS }, () => connection(url));
  const owner = ownerConnection(url, { connectTimeout: 5_000, applicationName: 'bench' }, 1);
  const listening = listenAt(url);
  const presence = await openPresence(listening);
  const worker = await openWorker({
    ask: createFairExecutor(() => owner, { size: 1, deadline: 30_000 }), listen: listening.listen, presence, concurrency: 5,
    handlers: { other: { run: () => Promise.resolve(undefined) } }, log: pino({ level: 'silent' }), pollInterval: 2_000,
    visibilityTimeout: 300_000, maxAttempts: 3,
  });
  const rate = async (put: (client: postgres.Sql) => PromiseLike<unknown>) => {
    let count = 0;
    const end = performance.now() + seconds * 1_000;
    await Promise.all(clients.map(async client => {
      while (performance.now() < end) {
        await put(client);
        count += 1;
      }
    }));
    return count / seconds;
  };
  const found = await alternated({
    bare: () => rate(client => client`insert into bare (task, payload) values ('noop', '{}')`),
    enqueued: () => rate(client => client`select service.enqueue('noop')`),
  }, rounds);
  await worker.close(1_000);
  await Promise.all([...clients, owner].map(client => client.end()));
  await presence.end();
  return found;
}
