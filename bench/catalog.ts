/** A database of 2,000 tables: how long a start takes, and how long DDL takes to be served, while others go on asking. */
import { setTimeout } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { migrate } from '../gateway/start/migrate.ts';
import { readSchema } from '../gateway/start/schema-files.ts';
import { connection, emptyDatabase } from './database.ts';
import { median, type Rounds } from './measure.ts';
import { cpuTime, memory } from './processes.ts';
import { number, type Table } from './report.ts';
import { start, type Running } from './servers.ts';

const TABLES = 2_000;
const FIRST = { method: 'GET', path: '/api/data/item_1', body: '' } as const;

export async function catalog(server: Embedded, _url: string, { rounds }: Rounds): Promise<Table> {
  const { url, sql } = await manyTables(server);
  await (await start('rowgate', url, { first: FIRST })).stop(); // grants once
  const gateway = await start('rowgate', url, { first: FIRST });
  const cpu = cpuTime(gateway.pid) / 1000;
  const held = memory(gateway.pid);
  const asking = new AbortController();
  const others = keepAsking(gateway, asking.signal);
  const reloads: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const begun = performance.now();
    await sql.unsafe(table(TABLES + round)).simple();
    while (!(await ask(gateway, `/api/data/item_${TABLES + round}`)).ok) await setTimeout(5);
    reloads.push(performance.now() - begun);
  }
  asking.abort();
  const { asked, refused } = await others;
  await gateway.stop();
  await sql.end();
  return {
    header: ['2,000 tables', ''],
    rows: [
      ['first answer after', `${number(gateway.startup)} ms, ${number(cpu)} ms of CPU time`],
      ['memory after start', `${number(held)} MiB`],
      ['a new table is served after', `${number(median(reloads))} ms`],
      ['requests for other tables meanwhile', `${asked}, refused ${refused}`],
    ],
  };
}

/** A database of 2,000 tables, each with a policy. */
export async function manyTables(server: Embedded): Promise<{ url: string; sql: Sql }> {
  const url = await emptyDatabase(server, 'bench_catalog');
  const sql = connection(url);
  await migrate(sql, readSchema());
  await sql`insert into service.users (uid, email) values ('bench', 'bench@example.org')`;
  for (let n = 1; n <= TABLES; n++) await sql.unsafe(table(n)).simple();
  await sql`vacuum analyze`; // as autovacuum does, which is off
  return { url, sql };
}

function table(n: number): string {
  return `begin; create table item_${n} (id integer primary key, name text not null, size integer, parent_id integer ${n > 1
    ? `references item_${n - 1}`
    : ''}, created_at timestamptz(3));
    alter table item_${n} enable row level security; create policy everybody on item_${n} using ((select service.uid()) is not null);
    commit;`;
}

async function keepAsking(gateway: Running, signal: AbortSignal): Promise<{ asked: number; refused: number }> {
  let [asked, refused] = [0, 0];
  for (; !signal.aborted; asked++) if (!(await ask(gateway, `/api/data/item_${1 + asked % TABLES}?limit=1`)).ok) refused++;
  return { asked, refused };
}

async function ask({ url, headers }: Running, path: string): Promise<Response> {
  const response = await fetch(url + path, { headers });
  await response.arrayBuffer();
  return response;
}
