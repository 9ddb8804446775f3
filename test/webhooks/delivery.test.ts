// Deliveries to real HTTP receivers, which take events, refuse them, or misbehave.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { test, type Test } from 'tap';
import { until } from '../harness/until.ts';
import { provisionOnly, type TestService } from '../harness/service.ts';
import { createHooked, createReceiver, hook, hooksFile, ORDERS, putEvent, type Received } from './receiver.ts';

const SECRET = 'a secret of plain text';
const BASE64_SECRET = `whsec_${Buffer.from('thirty-two bytes, or as many as ').toString('base64')}`;

const verified = (verifier: Webhook, { body, headers }: Received): unknown => verifier.verify(body, headers as Record<string, string>);
const insert = (id: number) => `insert into orders (id, name, price) values (${id}, 'order ${id}', ${id}.50)`;

test('an event arrives after the commit, with its headers and both signatures', async t => {
  const receiver = await createReceiver(t);
  const { sql, over, deliveries } = await createHooked(t, [hook(receiver.url, { secret: SECRET, headers: { 'X-Shop': 'shop 7' } })]);
  await sql.begin(async transaction => {
    await transaction.unsafe(insert(1));
    t.equal((await sql`select from service.jobs`).length, 0, 'nothing before the commit');
  });
  await sql.begin(async transaction => {
    await transaction.unsafe(insert(2));
    throw new Error('rolled back');
  }).catch(() => undefined);
  const [received] = await receiver.wait(1);
  if (received === undefined) throw new Error('unreachable');
  const { headers, body } = received;
  t.match(JSON.parse(body), {
    type: 'INSERT', table: 'orders', schema: 'public', record: { id: 1, name: 'order 1', price: 1.5, secret: null },
    timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  });
  t.notOk('old_record' in JSON.parse(body));
  t.match(headers, {
    'content-type': 'application/json', 'x-webhook-id': 'orders', 'x-webhook-event': 'INSERT', 'x-webhook-attempt': '1',
    'x-webhook-delivery': /^[0-9a-f-]{36}$/, 'x-shop': 'shop 7', 'webhook-id': /^[0-9a-f-]{36}$/,
    'x-webhook-signature': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
  });
  t.same(verified(new Webhook(SECRET, { format: 'raw' }), received), JSON.parse(body));
  t.throws(() => verified(new Webhook('another secret', { format: 'raw' }), received));
  t.match(await over(), [{ status: 'succeeded', attempts: 1 }]);
  t.match(await deliveries(), [{
    webhook_id: 'orders', attempt: 1, status_code: 200, response_body: 'thanks', error: null, id: headers['x-webhook-delivery'],
    event_id: headers['webhook-id'],
  }]);
  t.equal(receiver.received.length, 1, 'what was rolled back is told to no one');
});

test('a secret in Base64 is its bytes, and of several each gives a signature', async t => {
  const receiver = await createReceiver(t);
  const { sql } = await createHooked(t, [
    hook(receiver.url, { secret: [{ env: 'NEW_SECRET' }, SECRET] }), hook(receiver.url, { id: 'one', secret: BASE64_SECRET }),
    hook(receiver.url, { id: 'none' }),
  ], { env: { NEW_SECRET: BASE64_SECRET } });
  await sql.unsafe(insert(1));
  const events = await receiver.wait(3);
  const of = (id: string) => events.find(({ headers }) => headers['x-webhook-id'] === id) ?? t.fail(id) as never;
  for (const secret of [new Webhook(BASE64_SECRET), new Webhook(SECRET, { format: 'raw' })]) t.ok(verified(secret, of('orders')));
  t.ok(verified(new Webhook(BASE64_SECRET), of('one')));
  const key = Buffer.from(BASE64_SECRET.slice(6), 'base64');
  const signature = `sha256=${createHmac('sha256', key).update(of('orders').body).digest('hex')}`;
  t.equal(of('orders').headers['x-webhook-signature'], signature, 'by the first');
  const signing = ['x-webhook-signature', 'webhook-signature', 'webhook-id'];
  t.same(signing.filter(name => name in of('none').headers), [], 'without a secret none');
});

test('headers of the settings take the place of the service\'s own', async t => {
  const receiver = await createReceiver(t);
  const headers = { 'x-webhook-event': 'mine', 'Content-Type': 'application/vnd.orders+json', 'Authorization': { env: 'TOKEN' } };
  const { sql } = await createHooked(t, [hook(receiver.url, { headers })], { env: { TOKEN: 'Bearer 0123456789' } });
  await sql.unsafe(insert(1));
  t.match((await receiver.wait(1))[0]?.headers,
    { 'x-webhook-event': 'mine', 'content-type': 'application/vnd.orders+json', 'authorization': 'Bearer 0123456789' });
});

test('each attempt and each replay sends the same bytes under the same id', async t => {
  const receiver = await createReceiver(t, (answer, _, number) => { answer.writeHead(number < 3 ? 500 : 200).end('later'); });
  const { sql, over, hurry, deliveries } = await createHooked(t, [hook(receiver.url, { secret: SECRET })]);
  await sql`insert into orders values (1, ${'"quoted" \\ ü 😀\n\t'}, 12345678901234567890.00100, null)`;
  for (const count of [1, 2]) {
    await receiver.wait(count);
    await until('the failure is recorded', async () =>
      (await sql`select from service.jobs where status = 'pending' and attempts = ${count}`).length === 1);
    await hurry();
  }
  const [job] = await over();
  t.match(job, { status: 'succeeded', attempts: 3, last_error: 'The receiver answered 500.' });
  const [replay] = await sql`select service.webhook_replay(${job?.id ?? ''}) as id`;
  t.not(replay?.['id'], job?.id);
  const events = await receiver.wait(4);
  t.equal(new Set(events.map(({ body }) => body)).size, 1);
  t.match(events[0]?.body, '"price": 12345678901234567890.00100', 'with every digit');
  t.equal(new Set(events.map(({ headers }) => headers['webhook-id'])).size, 1);
  t.equal(new Set(events.map(({ headers }) => headers['x-webhook-delivery'])).size, 4);
  t.same(events.map(({ headers }) => headers['x-webhook-attempt']), ['1', '2', '3', '1']);
  for (const event of events) t.ok(verified(new Webhook(SECRET, { format: 'raw' }), event));
  await over();
  t.match(await deliveries(), [{ status_code: 500, error: /500/ }, { status_code: 500 }, { status_code: 200, attempt: 3 }, { attempt: 1 }]);
  await t.rejects(sql`select service.webhook_replay(gen_random_uuid())`, { code: 'GW404', hint: 'NOT_FOUND' });
  const [other] = await sql`select service.enqueue('mine') as id`;
  await t.rejects(sql`select service.webhook_replay(${other?.['id'] as string})`, { code: 'GW404' });
});

test('the waits between attempts are the sheet\'s, and those that a receiver asks for', async t => {
  const asked: Record<string, string> = {
    'X-1': '', 'X-2': '30', 'X-3': '86400', 'X-4': new Date(Date.now() + 600_000).toUTCString(), 'X-5': 'soon',
    'X-6': new Date(Date.now() - 60_000).toUTCString(),
  };
  const receiver = await createReceiver(t, (answer, { path }) => {
    const after = asked[path.slice(1)] ?? '';
    answer.writeHead(503, after === '' ? {} : { 'retry-after': after }).end();
  });
  const hooks = Object.keys(asked).map(id => hook(`${receiver.url}/${id}`, { id, maxAttempts: 2 }));
  const { sql } = await createHooked(t, hooks);
  await sql.unsafe(insert(1));
  await receiver.wait(6);
  const waits = await until('each has failed once', async () => {
    const rows = await sql<{ id: string; wait: number }[]>`
      select payload ->> 'webhookId' as id, extract(epoch from run_at - updated_at)::float8 as wait
      from service.jobs where attempts = 1 and status = 'pending' and payload ->> 'webhookId' <> 'X-6' order by 1`;
    return rows.length === 5 && Object.fromEntries(rows.map(({ id, wait }) => [id, Math.round(wait)]));
  });
  t.match(waits, { 'X-1': 1, 'X-2': 30, 'X-3': 3_600, 'X-5': 1 });
  t.ok(Math.abs((waits['X-4'] ?? 0) - 600) < 60, 'until a date');
  await until('a time that is over is now', async () =>
    (await sql`select from service.jobs where payload ->> 'webhookId' = 'X-6' and status = 'failed' and attempts = 2`).length === 1);
});

test('a receiver that answers 410 hears no more until the webhook is resumed, or a start', async t => {
  const receiver = await createReceiver(t, (answer, _, number) => { answer.writeHead(number === 1 ? 410 : 200).end(); });
  const { sql, url, over } = await createHooked(t, [hook(receiver.url)]);
  await sql.unsafe(insert(1));
  t.match(await over(), [{ status: 'failed', attempts: 1, last_error: 'The receiver answered 410. The webhook is paused.' }]);
  await sql.unsafe(insert(2));
  t.match((await over())[1], { status: 'failed', attempts: 1, last_error: /The webhook orders is paused.*service\.webhook_resume/ });
  t.equal(receiver.received.length, 1);
  t.match(await sql`select service.webhook_resume('orders') as resumed`, [{ resumed: true }]);
  t.match(await sql`select service.webhook_resume('orders') as resumed`, [{ resumed: false }]);
  await sql`select service.webhook_replay(id) from service.jobs where last_error like '%paused%' and payload ->> 'body' like '%order 2%'`;
  t.match(JSON.parse((await receiver.wait(2))[1]?.body ?? ''), { record: { id: 2 } }, 'with what was told meanwhile');
  await sql`select service_private.pause_webhook('orders')`;
  await provisionOnly(url, hooksFile(t, [hook(receiver.url)]));
  await sql.unsafe(insert(3));
  t.match(JSON.parse((await receiver.wait(3))[2]?.body ?? ''), { record: { id: 3 } }, 'a start ends the pause too');
});

test('a redirect is the last attempt, and is not followed', async t => {
  const elsewhere = await createReceiver(t);
  const receiver = await createReceiver(t, (answer, { path }) => {
    answer.writeHead(Number(path.slice(1)), path === '/304' ? {} : { location: `${elsewhere.url}/` }).end();
  });
  const statuses = [301, 302, 303, 307, 308, 304];
  const { sql, over, deliveries } = await createHooked(t, statuses.map(status => hook(`${receiver.url}/${status}`, { id: `${status}` })));
  await sql.unsafe(insert(1));
  t.same((await over()).map(({ status, attempts }) => `${status} ${attempts}`), statuses.map(() => 'failed 1'));
  t.same((await deliveries()).map(({ status_code: code }) => code as number).sort(), statuses.toSorted());
  t.equal(elsewhere.connections(), 0);
});

test('of a gigabyte no more is read than is kept', async t => {
  let sent = 0;
  const receiver = await createReceiver(t, (answer, { path }) => {
    answer.writeHead(path === '/refused' ? 500 : 200);
    const piece = Buffer.from('ü'.repeat(32_768));
    const more = () => {
      while (!answer.destroyed && sent < 1e9) {
        sent += piece.length;
        if (!answer.write(piece)) return;
      }
    };
    answer.on('drain', more);
    more();
  });
  const { sql, over, deliveries } = await createHooked(t, [
    hook(receiver.url), hook(`${receiver.url}/refused`, { id: 'refused', maxAttempts: 1 }),
  ]);
  await sql.unsafe(insert(1));
  t.same((await over()).map(({ status }) => status).sort(), ['failed', 'succeeded']);
  t.same((await deliveries()).map(({ response_body: body }) => body as string), ['ü'.repeat(1_000), 'ü'.repeat(1_000)]);
  t.ok(sent < 100e6, `${sent} bytes`);
});

test('an answer that PostgreSQL cannot hold is kept as far as it can', async t => {
  const receiver = await createReceiver(t, answer => { answer.end(Buffer.from([0x61, 0, 0xff, 0x62])); });
  const { sql, over, deliveries } = await createHooked(t, [hook(receiver.url)]);
  await sql.unsafe(insert(1));
  t.match(await over(), [{ status: 'succeeded' }]);
  t.match(await deliveries(), [{ response_body: 'a\uFFFD\uFFFDb' }]);
});

test('a receiver that is away, breaks off or speaks no HTTP fails the attempt with status 0', async t => {
  const rude = createServer(socket => { socket.end('good day\r\n\r\n'); }).listen(0, '127.0.0.1');
  const brief = createServer(socket => { socket.destroy(); }).listen(0, '127.0.0.1');
  await Promise.all([once(rude, 'listening'), once(brief, 'listening')]);
  t.teardown(() => { rude.close(); brief.close(); });
  const at = (server: typeof rude) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { sql, over, deliveries } = await createHooked(t, [
    hook('http://127.0.0.1:1', { id: 'away', maxAttempts: 1 }), hook(at(rude), { id: 'rude', maxAttempts: 1 }),
    hook(at(brief), { id: 'brief', maxAttempts: 1 }),
  ]);
  await sql.unsafe(insert(1));
  for (const { status, last_error: error } of await over()) t.match([status, error], ['failed', /could not be asked/]);
  for (const { status_code: code, error } of await deliveries()) t.match([code, error], [0, /could not be asked/]);
  t.equal((await deliveries()).length, 3);
});

/** A receiver that answers only when it is told to. */
async function createHanging(t: Test) {
  const held: (() => void)[] = [];
  let isLetting = false;
  const receiver = await createReceiver(t, answer => {
    if (isLetting) answer.end();
    else held.push(() => { answer.end(); });
  });
  return { ...receiver, let: () => { isLetting = true; for (const end of held.splice(0)) end(); } };
}

const runningOf = (sql: TestService['sql']) => sql`
  select concurrency_key as webhook, count(*)::integer as running from service.jobs where status = 'running' group by 1 order by 1`;

test('a receiver that hangs takes half of the places at most, and the others hear of everything', async t => {
  const hanging = await createHanging(t);
  const receiver = await createReceiver(t);
  const { sql, over, deliveries } = await createHooked(t, [hook(hanging.url, { id: 'hangs' }), hook(receiver.url)]);
  await sql`insert into orders select n from generate_series(1, 20) n`;
  await receiver.wait(20);
  t.match(await runningOf(sql), [{ webhook: 'hangs', running: 2 }], 'of five');
  const [replayed] = await sql`select service.webhook_replay(id) from service.jobs where concurrency_key = 'orders' limit 1`;
  t.ok(replayed);
  await receiver.wait(21);
  t.match(await runningOf(sql), [{ webhook: 'hangs', running: 2 }]);
  hanging.let();
  await over();
  t.equal((await deliveries()).length, 41);
});

test('receivers that hang leave one place to other work', async t => {
  const hanging = await createHanging(t);
  const ids = ['a', 'b', 'c'];
  const noting = `${ORDERS}
    create schema app;
    grant usage on schema app to service_user;
    create function app.note(job jsonb) returns jsonb language sql as $$ select '"noted"'::jsonb $$;`;
  const { sql, over } = await createHooked(t, [], {
    setup: noting, env: hooksFile(t, ids.map(id => hook(hanging.url, { id })), { jobs: { tasks: { noted: { function: 'app.note' } } } }),
  });
  await sql`insert into orders select n from generate_series(1, 6) n`;
  await hanging.wait(4);
  const [job] = await sql<{ id: string }[]>`select service.enqueue('noted') as id`;
  await until('the job is done', async () =>
    (await sql`select from service.jobs where id = ${job?.id ?? ''} and status = 'succeeded'`).length === 1);
  const running = (await runningOf(sql)).map(row => row['running'] as number);
  t.same(running.reduce((sum, count) => sum + count, 0), 4, 'of five');
  t.ok(running.every(count => count <= 2), String(running));
  hanging.let();
  await over();
});

test('a webhook that is gone or disabled when its job comes fails the job with that reason', async t => {
  const receiver = await createReceiver(t);
  const { sql, url, over, deliveries } = await createHooked(t, [hook(receiver.url), hook(receiver.url, { id: 'former' })]);
  // The last start decides, whatever the process that claims the job began with.
  await provisionOnly(url, hooksFile(t, [hook(receiver.url, { enabled: false })]));
  for (const id of ['former', 'orders']) await putEvent(sql, id);
  t.match(await over(), [
    { status: 'failed', attempts: 1, last_error: 'The settings have no webhook former.' },
    { status: 'failed', attempts: 1, last_error: 'The webhook orders is disabled.' },
  ]);
  t.same(await deliveries(), []);
});
