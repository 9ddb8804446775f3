/** The price of counting each request, and how long a get waits for a scrape of 512 sets of labels. */
import { Agent, request as httpRequest } from 'node:http';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { createRecorder } from '../gateway/features/metrics/record.ts';
import { RequestSets } from '../gateway/metrics/request-sets.ts';
import { CASES } from './cases.ts';
import { connection } from './database.ts';
import { measure, median, type Rounds } from './measure.ts';
import { cell, number, ratio, type Table } from './report.ts';
import { SERVICE_KEY, start, type Running } from './servers.ts';

/** Each has a get, a HEAD and a refusal: more than 512 sets. */
const TABLES = 172;
const SCRAPES = 100;

export async function metrics(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  await makeTables(url);
  const off = await start('rowgate', url);
  const on = await start('rowgate', url, { env: { SERVICE_METRICS: 'true' } });
  const workers = await start('rowgate', url, { env: { SERVICE_METRICS: 'true', SERVICE_WORKERS: '2' } });
  try {
    const rows = [recording(), ...await counting(postgres, { off, on }, rounds)];
    for (const [name, server] of Object.entries({ 'one process': on, 'two workers': workers })) {
      await fillSets(server);
      rows.push(...await scraping(name, server));
    }
    rows.push(await history(url, on));
    return { header: ['', 'without', 'with', 'with / without', 'by CPU time'], rows };
  } finally {
    for (const server of [off, on, workers]) await server.stop();
  }
}

/** One request, without all else: on a busy machine the rates below tell less. */
function recording(): string[] {
  const slugs = new Set(['posts']);
  const record = createRecorder({ basePath: '/api', slugs: () => slugs }, new RequestSets());
  const ended = Array.from({ length: 1000 }, (_, n) => ({ method: 'GET' as const, url: `/api/data/posts/${n}` }));
  const times = Array.from({ length: 9 }, () => {
    const began = performance.now();
    for (let n = 0; n < 1000; n++) for (const request of ended) record(request, 200, 1);
    return performance.now() - began;
  });
  return ['recording one request', '', `${number(median(times) / 1000)} µs`, '', ''];
}

async function makeTables(url: string): Promise<void> {
  const sql = connection(url);
  await sql.unsafe(Array.from({ length: TABLES }, (_, n) => `
    create table set_${n} (id int primary key);
    alter table set_${n} enable row level security;
    create policy all_rows on set_${n} using (true);`).join('')).simple();
  await sql.end();
}

async function counting(postgres: Embedded, servers: Record<'off' | 'on', Running>, rounds: Rounds): Promise<string[][]> {
  const rows: string[][] = [];
  for (const { name, connections, asks } of CASES.filter(({ topic }) => topic === 'get')) {
    const ask = asks.rowgate;
    if (ask === undefined) continue;
    const entries = new Map(Object.entries(servers).map(([key, server]) => [key, { server, ask, connections }]));
    const measured = await measure(postgres, entries, rounds);
    const [off, on] = [measured.get('off'), measured.get('on')];
    rows.push([name, cell(off), cell(on), ...ratio(on, off)]);
  }
  return rows;
}

async function fillSets({ url, headers }: Running): Promise<void> {
  for (let n = 0; n < TABLES; n++) {
    for (const [method, path] of [['GET', ''], ['HEAD', ''], ['GET', '?limit=x']]) {
      await (await fetch(`${url}/api/data/set_${n}${path}`, { method: method ?? 'GET', headers })).arrayBuffer();
    }
  }
}

/** Gets one after another on one connection: the longest while a scrape runs, and the longest of as many without one. */
async function scraping(name: string, server: Running): Promise<string[][]> {
  const agent = new Agent({ keepAlive: true });
  const [waits, calm, scrapes]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < SCRAPES; n++) {
    const began = performance.now();
    const over = new AbortController();
    const scrape = timed(server, '/metrics').finally(() => { over.abort(); });
    const beside = await gets(server, agent, times => times.length === 0 || !over.signal.aborted);
    await scrape;
    scrapes.push(performance.now() - began);
    waits.push(Math.max(...beside));
    calm.push(Math.max(...await gets(server, agent, times => times.length < beside.length)));
  }
  agent.destroy();
  const milliseconds = (value: number) => `${number(value)} ms`;
  return [
    [`${name}: a get beside a scrape of 512 sets, median of the longest`, milliseconds(median(calm)), milliseconds(median(waits)), '', ''],
    [`${name}: the longest of ${SCRAPES} scrapes`, milliseconds(Math.max(...calm)), milliseconds(Math.max(...waits)), '', ''],
    [`${name}: the scrape itself`, '', milliseconds(median(scrapes)), '', ''],
  ];
}

/** The longest history that there is: a series of 14 days, of four gateways. */
async function history(url: string, server: Running): Promise<string[]> {
  const sql = connection(url);
  await sql`
    insert into service.metric_samples (series, at, instance, value)
    select s, date_trunc('minute', now()) - m * interval '1 minute', 'gateway ' || g, random() * 1000
    from unnest('{cpu_millicores,memory_bytes,requests_total,errors_total,event_loop_delay_ms}'::text[]) s,
      generate_series(1, 20160) m, generate_series(1, 4) g`;
  await sql`vacuum analyze service.metric_samples`; // as autovacuum, which is off here, leaves a table that grows by the minute
  await sql.end();
  const agent = new Agent({ keepAlive: true });
  const asked = { ...server, headers: { authorization: `Bearer ${SERVICE_KEY}` } };
  const times: number[] = [];
  for (let n = 0; n < 21; n++) times.push(await timed(asked, '/metrics/history?series=requests_total&minutes=20160', agent));
  agent.destroy();
  return ['a history of 14 days and four gateways', '', `${number(median(times))} ms`, '', ''];
}

/** Milliseconds of each get, as long as more are wanted. */
async function gets(server: Running, agent: Agent, wants: (times: number[]) => boolean): Promise<number[]> {
  const times: number[] = [];
  while (wants(times)) times.push(await timed(server, '/api/data/posts/1', agent));
  return times;
}

/** Milliseconds of a request, its answer thrown away unread. */
function timed({ url, headers }: Running, path: string, agent?: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const began = performance.now();
  httpRequest(`${url}${path}`, { headers, ...(agent && { agent }) })
    .on('response', response => response.resume().on('end', () => { resolve(performance.now() - began); }))
    .on('error', reject)
    .end();
  return promise;
}
