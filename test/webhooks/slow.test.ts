// Receivers that take their time, against the handler alone, whose deadline is shorter here.
import { pino } from 'pino';
import { test, type Test } from 'tap';
import { createFairExecutor } from '../../gateway/database/fair-executor.ts';
import { createDelivery } from '../../gateway/features/webhooks/deliver.ts';
import { readWebhooks } from '../../gateway/features/webhooks/webhooks.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the template
import { scaled } from '../harness/until.ts';
import { createReceiver, hook, ORDERS, type AnswerTo } from './receiver.ts';

async function delivering(t: Test, answerTo: AnswerTo) {
  const receiver = await createReceiver(t, answerTo);
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(ORDERS).simple();
  const { webhooks } = readWebhooks([hook(receiver.url) as never], {});
  await sql`select service_private.use_webhooks(${JSON.stringify(webhooks.map(({ told }) => told))}::text::jsonb)`;
  const ask = createFairExecutor(() => sql, { size: 2, deadline: 5_000 });
  const { run } = createDelivery({ webhooks, ask, log: pino({ level: 'silent' }), deadline: scaled(500) });
  const payload = { webhookId: 'orders', eventId: '01234567-89ab-4def-8123-456789abcdef', event: 'INSERT', body: '{}' };
  const [row] = await sql<{ id: string }[]>`
    select service_private.put_job('service.webhook', ${JSON.stringify(payload)}::text::jsonb) as id`;
  const job = {
    id: row?.id ?? '', task: 'service.webhook', payload, payloadText: JSON.stringify(payload), attempt: 1, maxAttempts: 3,
    createdAt: new Date(), concurrencyKey: 'orders',
  };
  const deliver = (signal = new AbortController().signal) => run(job, { signal, workerId: 'test' });
  return { sql, receiver, deliver, deliveries: async () => [...await sql`select * from service.webhook_deliveries`] };
}

function drip(response: Parameters<AnswerTo>[0], text = ''): void {
  response.write(text);
  const timer = setInterval(() => { response.write('.'); }, 20);
  response.on('close', () => { clearInterval(timer); });
}

test('a receiver that says nothing fails the attempt with status 0', async t => {
  const { deliver, deliveries } = await delivering(t, () => undefined);
  await t.rejects(deliver(), { message: /did not answer in time/ });
  t.match(await deliveries(), [{ status_code: 0, error: /did not answer in time/, response_body: null }]);
});

test('a receiver that takes the event and drips its answer is left after the deadline, and counts by its status', async t => {
  const { deliver, deliveries } = await delivering(t, answer => { answer.writeHead(202); drip(answer, 'taken'); });
  t.same(await deliver(), { statusCode: 202 });
  t.match(await deliveries(), [{ status_code: 202, error: null, response_body: /^taken\.+$/ }]);
});

test('a receiver that drips its head fails the attempt', async t => {
  const { deliver } = await delivering(t, ({ socket }) => {
    socket?.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket?.write('X-A: b\r\n'), 20);
    socket?.on('close', () => { clearInterval(timer); }).on('error', () => undefined);
  });
  await t.rejects(deliver(), { message: /did not answer in time/ });
});

test('a job that is taken away gives its request up', async t => {
  const away = new AbortController();
  const { deliver, deliveries } = await delivering(t, () => { away.abort(new Error('taken away')); });
  await t.rejects(deliver(away.signal), { message: 'taken away' });
  t.match(await deliveries(), [{ status_code: 0, error: /was given up/ }]);
});

test('a job that is gone leaves no record', async t => {
  const { sql, deliver, deliveries } = await delivering(t, answer => { answer.end(); });
  await sql`delete from service.jobs`;
  t.same(await deliver(), { statusCode: 200 });
  t.same(await deliveries(), []);
});

test('deliveries go with their job', async t => {
  const { sql, deliver, deliveries } = await delivering(t, answer => { answer.end(); });
  await deliver();
  t.equal((await deliveries()).length, 1);
  await sql`update service.jobs set status = 'succeeded', updated_at = now() - interval '4 days'`;
  await sql`select service.job_sweep()`;
  t.same(await deliveries(), []);
  await sql`insert into service.webhook_deliveries (id, job_id, webhook_id, event_id, attempt, status_code, duration_ms)
    values (gen_random_uuid(), gen_random_uuid(), 'orders', gen_random_uuid(), 1, 200, 1)`;
  await sql`truncate service.jobs`;
  t.same(await deliveries(), []);
});
