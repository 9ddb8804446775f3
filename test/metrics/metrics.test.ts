import { pino } from 'pino';
import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, SERVICE_KEY, type ServiceOptions, type TestService } from '../harness/service.ts';
import { connect } from '../harness/socket.ts';
import { until } from '../harness/until.ts';
import { rawClient } from '../http/serve.ts';
import { samplesOf, sumOf, type Samples } from './exposition.ts';

type Metered = TestService & { scrape: () => Promise<Samples> };

async function metered(t: Pick<Test, 'teardown'>, { env, ...options }: ServiceOptions = {}): Promise<Metered> {
  const service = await createService(t, { ...options, env: { SERVICE_METRICS: 'true', ...env } });
  return { ...service, scrape: async () => samplesOf(await (await fetch(`${service.address}/metrics`)).text()) };
}

/** The SQL of tables that are served, each with nothing in it. */
function tablesNamed(names: string[]): string {
  const quoted = names.map(name => `"${name.replaceAll('"', '""')}"`);
  return quoted.map(name => `
    create table ${name} (id int primary key);
    alter table ${name} enable row level security;
    create policy all_rows on ${name} using (true);`).join('');
}

const portOf = ({ address }: TestService): number => Number(new URL(address).port);
const requests = (samples: Samples, labels: Record<string, string> = {}) => sumOf(samples, 'service_requests_total', labels);

test('the answer is the text format, and has the numbers of the process', async t => {
  const { address } = await metered(t, { template: 'served' });
  const response = await fetch(`${address}/metrics`);
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  t.equal(response.headers.get('cache-control'), 'no-store');
  const samples = samplesOf(await response.text());
  for (const name of ['service_uptime_seconds', 'service_process_heap_bytes', 'service_process_rss_bytes']) {
    t.ok((samples.get(name) ?? 0) > 0, name);
  }
  t.ok((samples.get('service_process_rss_bytes') ?? 0) > (samples.get('service_process_heap_bytes') ?? 0));
  const again = samplesOf(await (await fetch(`${address}/metrics`, { headers: { 'accept-encoding': 'gzip' } })).text());
  t.equal(requests(again, { surface: 'other', method: 'GET', status: '200' }), 1, 'scrapes count from the next one on');
  t.equal((await fetch(`${address}/metrics`, { method: 'HEAD' })).status, 200);
});

test('every request is counted: answered, refused before a route, thrown, left', async t => {
  const service = await metered(t);
  const { address, request, scrape, sql } = service;
  const expected: [labels: Record<string, string>, ask: () => Promise<unknown>][] = [
    [{ surface: 'data', status: '200', collection: 'products' }, () => request('/data/products/7')],
    [{ surface: 'data', status: '404', collection: 'products' }, () => request('/data/products/-1')],
    [{ surface: 'data', status: '400', collection: 'products' }, () => request('/data/products?limit=x')],
    [{ surface: 'data', status: '401', collection: 'orders' }, () => request('/data/orders', { as: null })],
    [{ surface: 'data', status: '404' }, () => request('/data/nothing')],
    [{ surface: 'data', status: '400' }, () => request('/data/%zz')],
    [{ surface: 'auth', method: 'POST', status: '400' }, () => request('/auth/login', { method: 'POST', body: '{}' })],
    [{ surface: 'admin', status: '401' }, () => request('/admin/users', { as: null })],
    [{ surface: 'other', status: '404' }, () => fetch(`${address}/nothing`)],
    [{ surface: 'other', status: '414' }, () => fetch(`${address}/nothing?${'x'.repeat(40_000)}`).catch(() => undefined)],
    [{ surface: 'data', method: 'OPTIONS', status: '204', collection: 'products' }, () => fetch(`${address}/api/data/products`, {
      method: 'OPTIONS', headers: { 'origin': 'http://localhost:3000', 'access-control-request-method': 'GET' },
    })],
    [{ surface: 'other', status: '101' }, () => connect(t, service)],
  ];
  for (const [labels, ask] of expected) {
    const before = await scrape();
    await ask();
    const after = await scrape();
    t.equal(requests(after, labels), requests(before, labels) + 1, JSON.stringify(labels));
    t.equal(requests(after), requests(before) + 2, 'and nothing else but the scrape');
  }

  const ambiguous = await rawClient(t, portOf(service));
  ambiguous.send('POST /api/data/tags HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}');
  await ambiguous.rest();
  const method = await rawClient(t, portOf(service));
  method.send('BREW /api/data/products HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await method.until(/^HTTP\/1\.1 404/);
  const samples = await scrape();
  t.equal(requests(samples, { surface: 'data', method: 'POST', status: '400', collection: 'tags' }), 1);
  t.equal(requests(samples, { method: '(other)', status: '404', collection: 'products' }), 1);

  const left = { surface: 'data', method: 'GET', status: '499', collection: 'tags' };
  await sql.begin(async holder => {
    await holder`lock table tags in access exclusive mode`;
    const impatient = await rawClient(t, portOf(service));
    impatient.send(`GET /api/data/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SERVICE_KEY}\r\n\r\n`);
    await until('it waits', async () => (await sql`select from pg_stat_activity where wait_event_type = 'Lock'`).length > 0);
    t.equal(requests(await scrape(), left), 0);
    impatient.socket.destroy();
    await until('it has left', async () => requests(await scrape(), left) === 1);
  });
});

test('a token is asked for where there is one', async t => {
  const token = 'scrape-token-0123456789';
  const { address } = await metered(t, { template: 'served', env: { SERVICE_METRICS_TOKEN: token } });
  const asked = (authorization?: string) => fetch(`${address}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
  const refused = [
    undefined, '', token, `Basic ${token}`, 'Bearer', 'Bearer ', `Bearer ${token.slice(0, -1)}`, `Bearer ${token}0`, `Bearer x ${token}`,
    `Bearer ${token.toUpperCase()}`, `Bearer ${token.slice(0, -1)}8`, `Bearer ${'x'.repeat(token.length)}`, 'Bearer undefined',
  ];
  for (const authorization of refused) {
    const response = await asked(authorization);
    t.equal(response.status, 401, authorization ?? 'none');
    t.match(response.headers.get('content-type'), /^text\/plain\b/);
    t.equal(response.headers.get('www-authenticate'), 'Bearer');
    t.equal(await response.text(), 'Unauthorized');
  }
  for (const authorization of [`Bearer ${token}`, `bearer ${token}`]) t.equal((await asked(authorization)).status, 200);
  const samples = samplesOf(await (await asked(`Bearer ${token}`)).text());
  t.equal(requests(samples, { surface: 'other', status: '401' }), refused.length);
});

test('a start without a token warns, once', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  for (const [env, times] of [[{}, 1], [{ SERVICE_METRICS_TOKEN: 'x' }, 0], [{ SERVICE_METRICS: 'false' }, 0]] as const) {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => { lines.push(line); } });
    const service = await openService(url, { SERVICE_METRICS: 'true', ...env }, url, log);
    await service.close();
    t.equal(lines.filter(line => line.includes('SERVICE_METRICS_TOKEN is not set')).length, times);
  }
});

test('it is off by default, in the words of a feature that is off; on, it answers GET', async t => {
  const off = await createService(t, { template: 'served' });
  for (const path of ['/metrics', '/metrics/history']) {
    const response = await fetch(off.address + path);
    t.equal(response.status, 501);
    t.match(await response.json(), { error: { code: 'FEATURE_DISABLED', details: { feature: 'metrics', setting: 'SERVICE_METRICS' } } });
  }
  const on = await metered(t, { template: 'served', env: { SERVICE_METRICS_TOKEN: 'x' } });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const response = await fetch(`${on.address}/metrics`, { method });
    t.equal(response.status, 404, method);
    t.match(await response.json(), { error: { code: 'NOT_FOUND' } });
  }
  t.equal((await fetch(`${on.address}/metrics`, { method: 'OPTIONS' })).headers.get('allow'), 'GET, HEAD, OPTIONS');
  t.equal((await fetch(`${on.address}/api/metrics`)).status, 404);
});

test('names of collections are escaped, whatever is in them', async t => {
  const names = ['quo"te', 'back\\slash', 'new\nline', 'sp ace', 'brace}{', 'émile', '👍', 'com,ma="x"'];
  const { request, address } = await metered(t, {
    template: 'served', setup: tablesNamed(names),
  });
  for (const name of names) t.equal((await request(`/data/${encodeURIComponent(name)}`)).status, 200, name);
  const text = await (await fetch(`${address}/metrics`)).text();
  samplesOf(text);
  for (const name of names) {
    const value = name.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    t.ok(text.includes(`service_requests_total{surface="data",method="GET",status="200",collection="${value}"} 1\n`), name);
  }
});

test('the 513th set of labels, and those after it, are (other)', async t => {
  const tables = Array.from({ length: 150 }, (_, n) => `t${n}`);
  const { request, scrape } = await metered(t, { template: 'served', setup: tablesNamed(tables) });
  const asks = tables.flatMap(table => [
    () => request(`/data/${table}`), () => request(`/data/${table}/1`), () => request(`/data/${table}?limit=x`),
    () => request(`/data/${table}`, { method: 'HEAD' }),
  ]);
  for (let start = 0; start < asks.length; start += 20) await Promise.all(asks.slice(start, start + 20).map(ask => ask()));
  for (const ask of asks.slice(-5)) await ask();
  const samples = await scrape();
  const sets = [...samples.keys()].filter(series => series.startsWith('service_requests_total'));
  t.equal(sets.filter(series => !series.includes('collection="(other)"')).length, 512);
  t.equal(requests(samples), 605);
  t.equal(requests(samples, { collection: '(other)' }), 605 - sets.filter(series => series.includes('collection="t')).length);
  t.equal(sumOf(samples, 'service_request_duration_ms_count'), 605);
});

test('jobs that are due or have failed are counted by task, at most a hundred tasks', async t => {
  const { scrape, sql } = await metered(t, { template: 'served', env: { SERVICE_JOB_WORKERS: 'false' } });
  t.equal((await scrape()).get('service_jobs_oldest_due_seconds'), 0);
  await sql`
    insert into service.jobs (task, status, run_at)
    select 'mail', status, now() + after
    from (values ('pending', interval '-1 minute'), ('pending', '0'), ('pending', '1 hour'), ('running', '0'), ('failed', '0'),
      ('succeeded', '0')) j (status, after)`;
  await sql`insert into service.jobs (task, status) values (${'a "task"'}, 'failed')`;
  const samples = await scrape();
  t.equal(samples.get('service_jobs_due{task="mail"}'), 2);
  t.equal(samples.get('service_jobs_failed{task="mail"}'), 1);
  t.equal(samples.get('service_jobs_failed{task="a \\"task\\""}'), 1);
  t.ok((samples.get('service_jobs_oldest_due_seconds') ?? 0) >= 60);
  await sql`insert into service.jobs (task, status) select 'task ' || n, 'failed' from generate_series(1, 200) n`;
  const many = await scrape();
  t.equal([...many.keys()].filter(series => series.startsWith('service_jobs_failed')).length, 101);
  t.equal(sumOf(many, 'service_jobs_failed'), 202);
  t.equal(many.get('service_jobs_due{task="mail"}'), 2);
});

test('reads that went together, the lanes and the statement cache are counted', async t => {
  const { request, scrape } = await metered(t, { env: { SERVICE_COALESCE: 'always' } });
  const count = 40;
  await request('/data/products/1');
  const before = await scrape();
  await Promise.all(Array.from({ length: count }, (_, n) => request(`/data/products/${n + 1}`)));
  const after = await scrape();
  const growth = (name: string, labels = {}) => sumOf(after, name, labels) - sumOf(before, name, labels);
  t.equal(growth('service_reads_total'), count);
  t.equal(growth('service_reads_total', { sent: 'together' }), count);
  const statements = growth('service_coalesced_statements_total');
  t.ok(statements > 0 && statements < count, `${statements} statements`);
  t.equal(growth('service_statements_total', { lane: 'point' }), statements);
  t.equal(growth('service_statement_cache_hits_total') + growth('service_statement_cache_misses_total'), count + statements);
  t.ok(sumOf(after, 'service_statement_cache_entries') > 0);
  t.ok((after.get('service_lane_connections{lane="point"}') ?? 0) > 0);
  t.equal(after.get('service_lane_connections{lane="write"}'), 0);
});

test('statements that wait for a connection are seen', async t => {
  const { request, scrape, sql } = await metered(t, { template: 'served', setup: tablesNamed(['locked']) });
  const answers = await sql.begin(async holder => {
    await holder`lock table locked in access exclusive mode`;
    const asked = Array.from({ length: 4 }, (_, n) => request(`/data/locked?limit=${n + 1}&orderBy=id`));
    await until('one waits', async () => ((await scrape()).get('service_statements_waiting{lane="scan"}') ?? 0) > 0);
    return { all: Promise.all(asked) };
  });
  t.same((await answers.all).map(({ status }) => status), [200, 200, 200, 200]);
  t.equal((await scrape()).get('service_statements_waiting{lane="scan"}'), 0);
  t.ok(((await scrape()).get('service_statement_wait_seconds_total{lane="scan"}') ?? 0) > 0);
});

test('sockets and subscriptions are counted while they are there', async t => {
  const service = await metered(t, { env: { AUTH_REQUIRE: 'false' } });
  const socket = await connect(t, service, {});
  socket.send({ type: 'subscribe_collection', payload: { subscriptionId: 'a', path: 'products', limit: 1 } });
  await until('it is counted', async () => (await service.scrape()).get('service_subscriptions') === 1);
  t.equal((await service.scrape()).get('service_sockets'), 1);
  socket.raw.terminate();
  await until('it is gone', async () => {
    const samples = await service.scrape();
    return samples.get('service_sockets') === 0 && samples.get('service_subscriptions') === 0;
  });
});

test('without a database all but the numbers of jobs are there', async t => {
  const { scrape, sql } = await metered(t, { template: 'served' });
  t.ok((await scrape()).has('service_jobs_oldest_due_seconds'));
  await sql`alter function service_private.job_backlog() rename to away`;
  const samples = await scrape();
  t.notOk(samples.has('service_jobs_oldest_due_seconds'));
  t.ok(samples.has('service_process_rss_bytes'));
  await sql`alter function service_private.away() rename to job_backlog`;
  await sql.begin(async holder => {
    await holder`lock table service.jobs in access exclusive mode`;
    t.notOk((await scrape()).has('service_jobs_oldest_due_seconds'), 'nor are they waited for');
  });
});

test('every role answers /metrics, with what it serves in it', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  for (const role of ['all', 'api', 'functions', 'worker']) {
    const service = await openService(url, { SERVICE_METRICS: 'true', SERVICE_ROLE: role });
    for (const path of ['/health', '/livez']) t.equal((await fetch(service.address + path)).status, 200, `${role} ${path}`);
    const refused = (await service.request('/data/nothing')).status;
    const samples = samplesOf(await (await fetch(`${service.address}/metrics`)).text());
    await service.close();
    t.equal(requests(samples, { surface: 'data', status: String(refused) }), 1, role);
    t.equal(requests(samples), 3, role);
    t.ok((samples.get('service_process_rss_bytes') ?? 0) > 0, role);
  }
});
