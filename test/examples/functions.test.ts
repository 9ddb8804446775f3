// The functions and jobs of the example store.
import { createHmac } from 'node:crypto';
import { test, type Test } from 'tap';
import { createService, storeCode, tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const KEY = 'the key of a payment service';

async function store(t: Test) {
  process.env['PAYMENT_KEY'] = KEY;
  t.teardown(() => { Reflect.deleteProperty(process.env, 'PAYMENT_KEY'); });
  const service = await createService(t, { env: storeCode });
  const { request, sql } = service;
  const [placed] = await sql<{ id: string; email: string }[]>`
    with placed as (
      insert into orders (customer_id, address)
      select id, '{"street": "Harbour Lane 1", "city": "Leith", "country": "GB"}' from customers order by id limit 1
      returning id, customer_id)
    select placed.id, c.email from placed join customers c on c.id = placed.customer_id`;
  const order = Number(placed?.id);
  await sql`insert into order_items (order_id, product_id, quantity, unit_price) values (${order}, 1, 2, 16.50)`;
  const status = async () => (await request(`/data/orders/${order}?fields=status`)).body.status as string;
  return { ...service, order, email: placed?.email, status, pay };

  /** A call of the payment service; its body is signed as it is sent. */
  async function pay(body: string, { key = KEY, at = Math.floor(Date.now() / 1000), signed = body } = {}): Promise<number> {
    const v1 = createHmac('sha256', key).update(`${at}.${signed}`).digest('hex');
    const headers = { 'payment-signature': `t=${at},v1=${v1}` };
    return (await request('/functions/payment', { method: 'POST', as: null, headers, body })).status;
  }
}

test('a payment that is signed makes an order paid, once, and its customer gets one mail', async t => {
  const { pay, order, email, status, sql, mailbox } = await store(t);
  const paid = `{ "type": "payment.succeeded",\n  "order": ${order} }`;
  t.equal(await pay(paid, { key: 'another key' }), 401);
  t.equal(await pay(paid, { signed: JSON.stringify(JSON.parse(paid)) }), 401, 'the raw bytes are signed');
  t.equal(await pay(paid, { at: Math.floor(Date.now() / 1000) - 3_600 }), 401, 'one of an hour ago, sent again');
  t.equal(await status(), 'pending');
  t.equal(await pay('{"type": "payment.failed"}'), 204);
  t.equal(await status(), 'pending');
  t.equal(await pay(paid), 204);
  t.equal(await status(), 'paid');
  t.equal(await pay(paid), 204, 'heard again');
  const jobs = await until('the mail is sent', async () => {
    const found = await sql<{ status: string; result: unknown }[]>`
      select status, result from service.jobs where task = 'order-mail'`;
    return found.every(job => job.status === 'succeeded') && found;
  });
  t.same([...jobs], [{ status: 'succeeded', result: { sent: true } }]);
  const mails = JSON.stringify(await mailbox?.list());
  t.match(mails, email ?? '-');
  t.match(mails, `Your order ${order}`);
});

test('the report streams its progress to admins', async t => {
  const { request } = await store(t);
  const { status, headers, text } = await request('/functions/report');
  t.match([status, headers.get('content-type')], [200, /^text\/event-stream/]);
  const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)]
    .map(([, event, data = '']) => ({ event, data: JSON.parse(data) as Record<string, unknown> }));
  const steps = events.filter(({ event }) => event === 'progress').map(({ data }) => data);
  t.ok(steps.length > 1);
  t.same(steps.map(({ done }) => done), steps.map((_, i) => i + 1));
  const total = steps.reduce((sum, { revenue }) => sum + Number(revenue), 0);
  t.ok(total > 0);
  t.match(events.at(-1), { event: 'report', data: { total } });
  t.equal((await request('/functions/report', { as: await tokenFor('liam') })).status, 403);
});
