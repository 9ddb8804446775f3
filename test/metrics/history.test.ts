import { pino } from 'pino';
import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { createFairExecutor } from '../../gateway/database/fair-executor.ts';
import { keepHistory } from '../../gateway/features/metrics/history.ts';
import { Totals } from '../../gateway/metrics/totals.ts';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, SERVICE_KEY, storeFiles } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { startOn } from '../workers/service.ts';

const SERIES = ['cpu_millicores', 'memory_bytes', 'requests_total', 'errors_total', 'event_loop_delay_ms'];
const METRICS = { SERVICE_METRICS: 'true' };

type Point = { at: string; value: number; instances: number };
type History = { series: string; minutes: number; points: Point[] };

async function historyOf(sql: postgres.Sql, series: string, minutes = 60): Promise<History> {
  const [row] = await sql<{ history: History }[]>`select service.metric_history(${series}, ${minutes}) as history`;
  return row?.history as History;
}

const sum = ({ points }: History): number => points.reduce((total, { value }) => total + value, 0);

test('a start that ends writes its last minute, and the next one adds to it', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const gets = 7;
  for (const starts of [1, 2, 3]) {
    const service = await openService(url, METRICS);
    for (let n = 0; n < gets; n++) t.equal((await fetch(`${service.address}/livez`)).status, 200);
    await service.close();
    t.equal(sum(await historyOf(sql, 'requests_total')), starts * gets);
  }
  t.equal(sum(await historyOf(sql, 'errors_total')), 0);
  const { points: [memory] } = await historyOf(sql, 'memory_bytes');
  t.ok((memory?.value ?? 0) > 10_000_000);
  const { points: [cpu] } = await historyOf(sql, 'cpu_millicores');
  t.ok((cpu?.value ?? 0) > 0);
  t.ok(sum(await historyOf(sql, 'event_loop_delay_ms')) >= 0);
  const rows = await sql<{ series: string; second: number }[]>`
    select distinct series, extract(second from at)::integer as second from service.metric_samples order by series`;
  t.same(rows.map(({ series }) => series), SERIES.toSorted());
  t.ok(rows.every(({ second }) => second === 0), 'at the begin of a minute');
});

test('with workers the numbers are those of the whole start', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served_store' });
  const { gateway, ask } = await startOn(t, { DATABASE_URL: url, ...storeFiles, ...METRICS });
  const before = 1; // the start is waited for by a request
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask('/data/tags')));
  t.same([...new Set(answers.map(({ status }) => status))], [200]);
  gateway.process.kill('SIGTERM');
  await gateway.ended;
  const requests = sum(await historyOf(sql, 'requests_total'));
  t.ok(requests >= answers.length && requests <= answers.length + before, `${requests} requests`);
});

test('two starts are two instances of one history, and what is old goes', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served_store' });
  await sql`
    insert into service.metric_samples (series, at, instance, value)
    select 'requests_total', date_trunc('minute', now()) - d * interval '1 day', 'earlier', 1 from unnest('{13,15,30}'::integer[]) d`;
  const env = { DATABASE_URL: url, ...storeFiles, ...METRICS, SERVICE_WORKERS: '1' };
  const starts = [await startOn(t, env), await startOn(t, env)];
  await until('old numbers are gone', async () =>
    (await sql`select from service.metric_samples where at < now() - interval '14 days'`).length === 0);
  for (const [i, { ask }] of starts.entries()) for (let n = 0; n < 4 + i; n++) t.equal((await ask('/data/tags/count')).status, 200);
  for (const { gateway } of starts) {
    gateway.process.kill('SIGTERM');
    await gateway.ended;
  }
  const counts = await sql<{ instance: string; value: number }[]>`
    select instance, sum(value) as value from service.metric_samples where series = 'requests_total' group by instance`;
  t.same(Object.fromEntries(counts.map(({ instance, value }) => [instance, value])),
    Object.fromEntries([['earlier', 1], ...starts.map(({ gateway }, i) => [`pid-${gateway.process.pid ?? ''}`, 4 + i])]));
  for (const series of SERIES) {
    const { points } = await historyOf(sql, series);
    t.same(points.map(({ value, instances }) => ({ value, instances })), await sql`
      select case when ${series} = 'event_loop_delay_ms' then avg(value) else sum(value) end as value, count(*)::integer as instances
      from service.metric_samples where series = ${series} and instance <> 'earlier' group by at order by at`, series);
  }
});

test('errors are answers of 500 and more', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const service = await openService(url, METRICS);
  t.equal((await fetch(`${service.address}/nothing`)).status, 404);
  t.equal((await fetch(`${service.address}/mcp`)).status, 501);
  await service.close();
  t.equal(sum(await historyOf(sql, 'errors_total')), 1);
  t.equal(sum(await historyOf(sql, 'requests_total')), 2);
});

test('the route returns what SQL does, by default of an hour', async t => {
  const { address, sql } = await createService(t, { template: 'served', env: METRICS });
  await sql`
    insert into service.metric_samples (series, at, instance, value)
    select s, date_trunc('minute', now()) - m * interval '1 minute', i, m
    from unnest(${SERIES}::text[]) s, generate_series(0, 20200, 10) m, unnest('{one,two}'::text[]) i`;
  const asked = async (query: string) => {
    const response = await fetch(`${address}/metrics/history?${query}`);
    return { status: response.status, body: await response.json() as History };
  };
  for (const series of SERIES) {
    const { status, body } = await asked(`series=${series}&minutes=25`);
    t.equal(status, 200);
    t.same(body, await historyOf(sql, series, 25));
    t.same(body.points.map(({ value }) => value), series === 'event_loop_delay_ms' ? [20, 10, 0] : [40, 20, 0], series);
    t.same([...new Set(body.points.map(({ instances }) => instances))], [2]);
    t.ok(body.points.every(({ at }) => new Date(at).toISOString() === at));
  }
  const minutes: [string, number][] = [
    ['', 60], ['&minutes=', 60], ['&minutes=x', 60], ['&minutes=NaN', 60], ['&minutes=5.6', 6], ['&minutes=0', 1], ['&minutes=-7', 1],
    ['&minutes=1e9', 20_160], ['&minutes=Infinity', 20_160], ['&minutes=20160', 20_160], ['&minutes=%00', 60], ['&minutes=3&minutes=4', 3],
    ['&minutes=1001', 1001], ['&minutes=0.4', 1], ['&minutes=-Infinity', 1], ['&minutes=1e400', 20_160],
    [`&minutes=${'9'.repeat(400)}`, 20_160], ['&minutes=20160.4', 20_160], ['&minutes=7%00', 60], ['&minutes=%ED%A0%80', 60],
    ['&minutes=%FF', 60], ['&minutes=[7]', 60], ['&minutes[]=7', 60], ['&minutes={}', 60], ['&minutes=7,8', 60],
    ['&minutes=%D9%A7', 60], ['&minutes=%20', 60], ['&MINUTES=7', 60],
  ];
  for (const [query, expected] of minutes) {
    const { status, body } = await asked(`series=memory_bytes${query}`);
    t.equal(status, 200, query);
    t.equal(body.minutes, expected, query);
  }
  t.equal((await asked('series=memory_bytes&minutes=20160')).body.points.length, 2016);
  const odd = [
    '', '%00', 'memory_bytes%00', 'memory_bytes%0A', '%ED%A0%80', '%FF', 'MEMORY_BYTES', '[memory_bytes]', 'toString', 'x'.repeat(5_000),
    'x&series=memory_bytes',
  ];
  const queries = ['', 'minutes=5', 'series[]=memory_bytes', ...odd.map(value => `series=${value}`)];
  for (const query of queries) {
    const { status, body } = await asked(query);
    t.equal(status, 400, query);
    t.match(body, { error: 'unknown_series', message: /cpu_millicores/ });
  }
  for (const [series, minutes] of [['x', 5], [null, 5]] as const) {
    await t.rejects(sql`select service.metric_history(${series}, ${minutes})`, { code: 'GW400' });
  }
});

test('the history asks for the token of /metrics', async t => {
  const { address } = await createService(t, { template: 'served', env: { ...METRICS, SERVICE_METRICS_TOKEN: 'a-token' } });
  for (const authorization of ['', 'Bearer', 'Bearer another', `Bearer ${SERVICE_KEY}`]) {
    const response = await fetch(`${address}/metrics/history?series=memory_bytes`, { headers: { authorization } });
    t.equal(response.status, 401);
    t.equal(await response.text(), 'Unauthorized');
  }
  const response = await fetch(`${address}/metrics/history?series=memory_bytes`, { headers: { authorization: 'Bearer a-token' } });
  t.equal(response.status, 200);
});

test('a database that does not answer is 503 in the words of the history', async t => {
  const { address, sql } = await createService(t, { template: 'served', env: METRICS });
  await sql`alter function service_private.history_text(text, integer) rename to away`;
  const response = await fetch(`${address}/metrics/history?series=memory_bytes`);
  t.equal(response.status, 503);
  t.match(await response.json(), { error: 'history_unavailable', message: /database/ });
});

/** Keeps a history with short intervals, of numbers that the test sets. */
async function kept(t: Test) {
  const { sql } = await createDatabase(t, { template: 'served' });
  const totals = new Totals();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => { lines.push(line); } });
  const ask = createFairExecutor(() => sql, { size: 1, deadline: 5_000 });
  let samples = 0;
  const end = keepHistory({
    ask, totals, log, instance: 'this', interval: 20,
    collect: () => {
      samples += 1;
      const row = totals.requests.rowOf({ surface: 'data', method: 'GET', status: samples % 2 === 0 ? 500 : 200 });
      totals.requests.record(row, 1);
      return Promise.resolve();
    },
  });
  return { sql, lines, end, samples: () => samples };
}

test('samples that cannot be written are kept, and written later', async t => {
  const { sql, lines, end, samples } = await kept(t);
  await until('a sample is written', async () => sum(await historyOf(sql, 'requests_total')) > 0);
  await sql`alter function service_private.record_metrics(text, jsonb) rename to away`;
  const before = samples();
  await until('some samples are not', () => samples() > before + 5);
  t.equal(lines.filter(line => line.includes('are kept until they can')).length, 1, 'the log is told once');
  await sql`alter function service_private.away(text, jsonb) rename to record_metrics`;
  await end();
  t.equal(sum(await historyOf(sql, 'requests_total')), samples());
  t.equal(sum(await historyOf(sql, 'errors_total')), Math.floor(samples() / 2));
});

test('numbers of more than 14 days ago go, by one session at a time', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql`
    insert into service.metric_samples (series, at, instance, value)
    select s, now() - d * interval '1 day', 'this', 1 from unnest(${SERIES}::text[]) s, generate_series(10.5, 20) d`;
  const sweep = async (most: number) => (await sql<{ swept: number }[]>`select service_private.sweep_metrics(${most}) as swept`)[0]?.swept;
  const other = await sql.reserve();
  await other`begin`;
  await other`select pg_advisory_xact_lock(7261947, 4)`;
  t.equal(await sweep(1000), 0);
  await other`commit`;
  other.release();
  t.equal(await sweep(7), 7);
  t.equal(await sweep(1000), 6 * SERIES.length - 7);
  const [left] = await sql<{ count: number }[]>`
    select count(*)::integer as count from service.metric_samples where at > now() - interval '14 days'`;
  t.equal(left?.count, 4 * SERIES.length);
  t.equal(await sweep(1000), 0);
});
