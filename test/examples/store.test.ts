// The example store with its settings file: jobs that give stock back, a schedule, a webhook with its receiver.
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import type postgres from 'postgres';
import { ROOT } from '../harness/server.ts';
import { createService, tokenFor, type Answer, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const SETTINGS = join(ROOT, 'examples/store/rowgate.json');
const SECRET = `whsec_${Buffer.from('the secret of a test').toString('base64')}`;

type Line = { product: number; quantity: number };
type Job = { status: string; result: unknown; wait: string };

async function store(t: Test, env: Record<string, string> = {}) {
  const service = await createService(t, { env: { SERVICE_CONFIG_FILE: SETTINGS, ...env } });
  const { request, sql } = service;
  const send = (method: string, path: string, body?: unknown) =>
    request(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const [customer] = await sql<{ id: string }[]>`select id from customers order by id limit 1`;

  const stock = async (product: number) => (await request(`/data/products/${product}`)).body.stock as number;
  const status = async (order: number) => (await request(`/data/orders/${order}`)).body.status as string;

  return { ...service, send, place, order, stock, status, job, anHourLater, untilDone };

  /** Sends an order with its lines, in one transaction. */
  function place(...lines: Line[]): Promise<Answer> {
    const address = { street: 'Harbour Lane 1', city: 'Leith', country: 'GB' };
    return send('POST', '/data/_batch', { operations: [
      { op: 'create', collection: 'orders', values: { customerId: customer?.id, address }, ref: 'order' },
      ...lines.map(({ product, quantity }) => ({
        op: 'create', collection: 'order_items', values: { orderId: { $ref: 'order.id' }, productId: product, quantity, unitPrice: 10 },
      })),
    ] });
  }

  async function order(...lines: Line[]): Promise<number> {
    const { status, body } = await place(...lines);
    t.match([status, body.data?.[0]?.status], [200, 'pending'], 'an order is placed');
    return body.data[0].id as number;
  }

  /** Has the job of an order come due, as after an hour. Resolves with its result. */
  async function anHourLater(order: number): Promise<unknown> {
    await comeDue(sql, order);
    return untilDone(order);
  }

  async function job(order: number): Promise<Job | undefined> {
    const [found] = await sql<Job[]>`
      select status, result, (run_at - created_at)::text as wait from service.jobs
      where task = 'cancel-unpaid-order' and payload = ${sql.json({ order })}`;
    return found;
  }

  function untilDone(order: number): Promise<unknown> {
    return until('the job is done', async () => {
      const { status, result } = await job(order) ?? {};
      return status === 'succeeded' && result;
    });
  }
}

const comeDue = (sql: postgres.Sql, order: number) => sql`
  update service.jobs set run_at = now() where task = 'cancel-unpaid-order' and payload = ${sql.json({ order })}`;

/** Resolves when a transaction waits for another one's row. */
function untilWaiting({ sql }: Pick<TestService, 'sql'>): Promise<unknown> {
  return until('a transaction waits for a row', async () => (await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length > 0);
}

test('an order that stays unpaid for an hour is cancelled, and its pieces are back on the shelf', async t => {
  const { order, job, anHourLater, status, stock } = await store(t);
  const before = [await stock(1), await stock(2)];
  const unpaid = await order({ product: 1, quantity: 3 }, { product: 2, quantity: 1 });
  t.same([await stock(1), await stock(2)], [(before[0] ?? 0) - 3, (before[1] ?? 0) - 1]);
  t.match(await job(unpaid), { status: 'pending', wait: '01:00:00' });
  t.same(await anHourLater(unpaid), { cancelled: true });
  t.equal(await status(unpaid), 'cancelled');
  t.same([await stock(1), await stock(2)], before);
});

test('an order that is paid, cancelled by hand or gone is left alone', async t => {
  const { order, send, anHourLater, status, stock } = await store(t);
  const before = await stock(1);
  const paid = await order({ product: 1, quantity: 2 });
  t.equal((await send('PATCH', `/data/orders/${paid}`, { status: 'paid' })).status, 200);
  t.same(await anHourLater(paid), { cancelled: false });
  t.equal(await status(paid), 'paid');
  t.equal(await stock(1), before - 2);

  const cancelled = await order({ product: 1, quantity: 2 });
  t.equal((await send('PATCH', `/data/orders/${cancelled}`, { status: 'cancelled' })).status, 200);
  t.equal(await stock(1), before - 2, 'who cancels gives back at once');
  t.same(await anHourLater(cancelled), { cancelled: false });
  t.equal(await stock(1), before - 2, 'and not twice');

  const gone = await order();
  t.equal((await send('DELETE', `/data/orders/${gone}`)).status, 204);
  t.same(await anHourLater(gone), { cancelled: false });
});

test('an order that is not placed leaves no job', async t => {
  const { place, sql, stock } = await store(t);
  const left = await stock(1);
  const { status, body } = await place({ product: 1, quantity: left + 1 });
  t.match([status, body.error.code], [400, 'PG_23514'], 'more pieces than there are');
  t.same([...await sql`select from service.jobs where task = 'cancel-unpaid-order'`], []);
  t.equal(await stock(1), left);
});

test('a payment and the end of the hour wait for each other', async t => {
  const service = await store(t);
  const { order, sql, send, anHourLater, untilDone, status, stock } = service;
  const before = await stock(1);
  const first = await order({ product: 1, quantity: 1 });
  await sql.begin(async transaction => {
    await transaction`update orders set status = 'paid' where id = ${first}`;
    await comeDue(sql, first);
    await untilWaiting(service);
  });
  t.same(await untilDone(first), { cancelled: false }, 'it was being paid');
  t.equal(await status(first), 'paid');

  const second = await order({ product: 1, quantity: 1 });
  t.same(await anHourLater(second), { cancelled: true });
  const late = await send('PATCH', `/data/orders/${second}`, { status: 'paid' });
  t.match([late.status, late.body.error.code, late.body.error.message], [400, 'CALLBACK_REJECTED', /^Order \d+ is cancelled/]);
  t.equal(await stock(1), before - 1);
});

test('stock follows the lines of an order until it is sent', async t => {
  const service = await store(t);
  const { order, sql, send, stock } = service;
  const before = await stock(1);
  const open = await order({ product: 1, quantity: 2 });
  const [line] = await sql<{ id: number }[]>`select id from order_items where order_id = ${open}`;
  const path = `/data/order_items/${line?.id ?? ''}`;
  t.equal((await send('PATCH', path, { quantity: 5 })).status, 200);
  t.equal(await stock(1), before - 5);
  const other = await stock(2);
  t.equal((await send('PATCH', path, { productId: 2 })).status, 200);
  t.same([await stock(1), await stock(2)], [before, other - 5]);
  t.equal((await send('DELETE', path)).status, 204);
  t.equal(await stock(2), other);

  const sent = await order({ product: 1, quantity: 1 });
  t.equal((await send('PATCH', `/data/orders/${sent}`, { status: 'shipped' })).status, 200);
  await sql`delete from order_items where order_id = ${sent}`;
  t.equal(await stock(1), before - 1, 'it has left the shop');

  const [product] = await sql<{ id: number }[]>`select id from products where stock > 0 and id > 2 order by id limit 1`;
  const { id = 0 } = product ?? {};
  const left = await stock(id);
  const adding = sql.begin(async transaction => {
    await transaction`update orders set status = 'cancelled' where id = ${open}`;
    const added = sql`insert into order_items (order_id, product_id, quantity, unit_price) values (${open}, ${id}, 1, 1)`.execute();
    await untilWaiting(service);
    return { added };
  });
  await (await adding).added;
  t.equal(await stock(id), left, 'a line that meets a cancellation takes nothing');
});

test('each night a report tells of the day before, however often it is written', async t => {
  const { order, send, sql, request } = await store(t);
  const path = '/admin/cron/nightly-report';
  const missed = await until('the start makes up for the last night', async () => (await request(`${path}/logs`)).body.logs[0]);
  t.match(missed, { success: true, manual: false, result: { orders: 0, revenue: 0 }, logs: [/^Makes up/, /: 0 orders, 0\.00 euros\.$/] });

  const placed = [];
  for (const [product, quantity, status] of [[1, 1, 'paid'], [2, 3, 'paid'], [2, 1, 'cancelled'], [1, 9, 'pending']] as const) {
    const id = await order({ product, quantity });
    await send('PATCH', `/data/orders/${id}`, { status, shipping: 4.9 });
    placed.push(id);
  }
  await sql`update orders set placed_at = placed_at - interval '1 day' where id = any (${placed})`;
  const { name } = (await request('/data/products/2')).body as { name: string };
  const { status, body: { log, job } } = await send('POST', `${path}/trigger`);
  t.equal(status, 200);
  const { day } = log.result as { day: string };
  t.match(log, {
    success: true, manual: true, result: { day, orders: 2, revenue: 49.8, best_product: name },
    logs: [`${day}: 2 orders, 49.80 euros.`, `Most pieces: ${name}.`],
  });
  t.match(job, { state: 'idle', schedule: '0 2 * * *', timezone: 'UTC' });
  t.match((await request(`/data/daily_reports?day=${day}`)).body.data, [{ day, orders: 2, revenue: 49.8, bestProduct: name }]);

  await send('PATCH', `/data/orders/${placed[3] ?? 0}`, { status: 'paid' });
  t.match((await send('POST', `${path}/trigger`)).body.log.result, { day, orders: 3 });
  const reports = async (as: string) => (await request(`/data/daily_reports?day=${day}`, { as })).body;
  t.match(await reports(await tokenFor('ann', ['staff'])), { data: [{ orders: 3 }], meta: { total: 1 } }, 'one a day');
  t.match(await reports(await tokenFor('bob')), { data: [] }, 'for staff');
});

test('the receiver prints what becomes of an order', async t => {
  const receiver = await startReceiver(t, join(ROOT, 'examples/store/receiver.mjs'), SECRET);
  const { webhooks: [webhook], ...settings } = JSON.parse(readFileSync(SETTINGS, 'utf8')) as { webhooks: [Record<string, unknown>] };
  t.match(webhook, { enabled: false, url: 'http://127.0.0.1:4000/' });
  const file = join(t.testdir(), 'rowgate.json');
  writeFileSync(file, JSON.stringify({ ...settings, webhooks: [{ ...webhook, enabled: true, url: receiver.url }] }));
  const { order, send, anHourLater } = await store(t, { SERVICE_CONFIG_FILE: file, ORDERS_SECRET: SECRET });

  const [paid, unpaid] = [await order(), await order()];
  await send('PATCH', `/data/orders/${paid}`, { status: 'paid' });
  await send('PATCH', `/data/orders/${paid}`, { note: 'no change of the status' });
  await anHourLater(unpaid);
  const events = [
    `INSERT order ${paid}: pending`, `UPDATE order ${paid}: pending → paid`,
    `INSERT order ${unpaid}: pending`, `UPDATE order ${unpaid}: pending → cancelled`,
  ];
  const printed = await until('the events are printed', () => {
    const lines = receiver.printed().trim().split('\n').slice(1);
    return lines.length >= events.length && lines;
  });
  t.same(printed.sort(), events.sort());
  t.equal(receiver.printed().split('\n')[0], `Waiting for events on ${receiver.url}`);

  const body = JSON.stringify({ type: 'INSERT', record: { id: 0, status: 'forged' } });
  const told = async (timestamp: number, secret = SECRET): Promise<number> => {
    const signature = createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`1.${timestamp}.${body}`).digest('base64');
    const headers = { 'webhook-id': '1', 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,old v1,${signature}` };
    return (await fetch(receiver.url, { method: 'POST', body, headers })).status;
  };
  const now = Math.floor(Date.now() / 1000);
  t.equal(await told(now, `whsec_${Buffer.from('another secret').toString('base64')}`), 401);
  t.equal(await told(now - 3_600), 401, 'an event of an hour ago, sent again');
  t.notMatch(receiver.printed(), /forged/);
  t.equal(await told(now), 204);
});
