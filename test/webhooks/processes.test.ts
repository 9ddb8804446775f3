// Gateways and workers that share a database, each with its own settings file.
import { test, type Test } from 'tap';
import { createDatabase, type TestDatabase } from '../harness/database.ts';
import { openService, provisionOnly, SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { answeredBy, BOTH, startOn } from '../workers/service.ts';
import { createReceiver, hook, hooksFile, ORDERS, putEvent, type Job } from './receiver.ts';

type Sql = TestDatabase['sql'];

async function withOrders(t: Test): Promise<TestDatabase> {
  const database = await createDatabase(t, { template: 'served' });
  await database.sql.unsafe(ORDERS).simple();
  return database;
}

/** A gateway whose deliveries have its name in a header. */
async function open(t: Test, url: string, name: string, webhooks: object[]) {
  const named = webhooks.map(webhook => ({ ...webhook, headers: { 'x-gateway': { env: 'GATEWAY' } } }));
  const service = await openService(url, { ...hooksFile(t, named), GATEWAY: name });
  let closing: Promise<void> | undefined;
  const close = () => closing ??= service.close();
  t.teardown(close);
  return { ...service, close };
}

const jobsOf = async (sql: Sql) => [...await sql<(Job & { webhook: string })[]>`
  select status, attempts, last_error, concurrency_key as webhook from service.jobs order by place`];

const over = (sql: Sql) => until('the jobs are over', async () => {
  const jobs = await jobsOf(sql);
  return jobs.every(({ status }) => status === 'succeeded' || status === 'failed') && jobs;
});

test('each event is sent once, by either of two gateways', async t => {
  const { url, sql } = await withOrders(t);
  const gateways = new Set<unknown>();
  const waiting: (() => void)[] = [];
  const receiver = await createReceiver(t, (answer, { headers }) => {
    gateways.add(headers['x-gateway']);
    waiting.push(() => { answer.end(); });
    if (gateways.size === 2) for (const end of waiting.splice(0)) end();
  });
  const webhooks = [hook(receiver.url, { secret: 'a secret' })];
  await open(t, url, 'one', webhooks);
  await open(t, url, 'two', webhooks);
  await Promise.all(Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; n < 25; n++) await sql`insert into orders (id) values (${writer * 25 + n})`;
  }));
  const jobs = await over(sql);
  t.equal(jobs.filter(({ status, attempts }) => status === 'succeeded' && attempts === 1).length, 100);
  t.equal(receiver.received.length, 100);
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 100);
  t.equal((await sql`select distinct event_id from service.webhook_deliveries`).length, 100);
});

test('the pause after a 410 holds for every gateway, and each sends again what is replayed', async t => {
  const { url, sql } = await withOrders(t);
  const receiver = await createReceiver(t, (answer, _, number) => { answer.writeHead(number === 1 ? 410 : 200).end(); });
  const webhooks = [hook(receiver.url)];
  const gateways = new Map<unknown, Awaited<ReturnType<typeof open>>>();
  for (const name of ['one', 'two']) gateways.set(name, await open(t, url, name, webhooks));
  await sql`insert into orders (id) values (1)`;
  t.match(await over(sql), [{ status: 'failed', last_error: /410/ }]);
  const paused = receiver.received[0]?.headers['x-gateway'];
  await gateways.get(paused)?.close();
  await sql`insert into orders (id) values (2)`;
  t.match(await over(sql), [{}, { status: 'failed', attempts: 1, last_error: /is paused/ }], 'the other one has not heard the 410');
  t.equal(receiver.received.length, 1);
  await sql`select service.webhook_resume('orders')`;
  await sql`select service.webhook_replay(id) from service.jobs`;
  await over(sql);
  const resent = (await receiver.wait(3)).slice(1);
  t.same(resent.map(({ body }) => (JSON.parse(body) as { record: { id: number } }).record.id).sort(), [1, 2]);
  t.not(resent[0]?.headers['x-gateway'], paused);
  t.equal(receiver.received[0]?.body, resent.find(({ body }) => body.includes('"id": 1,'))?.body);
});

test('events of a webhook that only the newer start has are left to its gateways, without an attempt', async t => {
  const { url, sql } = await withOrders(t);
  const receiver = await createReceiver(t);
  const before = [hook(receiver.url), hook(receiver.url, { id: 'enabled later', enabled: false })];
  const after = [hook(receiver.url), hook(receiver.url, { id: 'enabled later' }), hook(receiver.url, { id: 'added' })];
  await open(t, url, 'old', before);
  await provisionOnly(url, hooksFile(t, after));
  const waiting = (webhook: string, error: unknown) => ({ webhook, status: 'pending', attempts: 0, last_error: error });
  await sql`insert into orders (id) values (1)`;
  const states = async (done: number) => until(`${done} events are delivered and the others left`, async () => {
    const jobs = await jobsOf(sql);
    const count = (status: string) => jobs.filter(job => job.status === status).length;
    return count('succeeded') === done && count('pending') === 2 * done && jobs;
  });
  const left = /^The settings of this process do not have the webhook/;
  t.match(await states(1), [{ webhook: 'orders', attempts: 1 }, waiting('enabled later', left), waiting('added', left)]);
  await sql`insert into orders (id) values (2)`;
  t.match((await states(2)).slice(3), [{ webhook: 'orders' }, waiting('enabled later', null), waiting('added', null)],
    'and it claims no further ones');
  t.same(receiver.received.map(({ headers }) => headers['x-gateway']), ['old', 'old']);
  await open(t, url, 'new', after);
  t.same((await over(sql)).filter(({ status, attempts }) => status !== 'succeeded' || attempts !== 1), []);
  t.same(receiver.received.filter(({ headers }) => headers['x-webhook-id'] !== 'orders').map(({ headers }) => headers['x-gateway']),
    Array(4).fill('new'));
  await provisionOnly(url, hooksFile(t, before));
  await putEvent(sql, 'added');
  t.match((await over(sql)).at(-1), { status: 'failed', attempts: 1, last_error: 'The settings have no webhook added.' },
    'and one that is gone fails');
});

test('with workers each event of their writes is sent once, those of a row in their order', async t => {
  const { url, sql } = await withOrders(t);
  const receiver = await createReceiver(t, (answer, { headers }, number) => {
    answer.writeHead(headers['x-webhook-attempt'] === '1' && number % 5 === 0 ? 503 : 200, { 'retry-after': '0' }).end();
  });
  const env = hooksFile(t, [hook(receiver.url, { ordered: true })]);
  const service = await startOn(t, { DATABASE_URL: url, SERVICE_SOURCE: 'tables', ...env });
  await answeredBy(service, BOTH, '/data/orders', ({ status }) => status === 200);
  const send = async (method: string, path: string, body: object) => {
    const headers = { 'authorization': `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json', 'connection': 'close' };
    const response = await fetch(`${service.address}/data/${path}`, { method, headers, body: JSON.stringify(body) });
    t.ok(response.ok, await response.text());
  };
  const rows = [1, 2, 3];
  await Promise.all(rows.map(async id => {
    await send('POST', 'orders', { id, name: '0' });
    for (let n = 1; n <= 10; n++) await send('PATCH', `orders/${id}`, { name: String(n) });
  }));
  t.equal((await over(sql)).filter(({ status }) => status === 'succeeded').length, 33);
  const taken = receiver.received.filter(({ headers }, i) => headers['x-webhook-attempt'] !== '1' || (i + 1) % 5 !== 0)
    .map(({ body }) => (JSON.parse(body) as { record: { id: number; name: string } }).record);
  for (const row of rows) {
    t.same(taken.filter(({ id }) => id === row).map(({ name }) => name), Array.from({ length: 11 }, (_, n) => String(n)), `row ${row}`);
  }
});
