import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { collections } from '../write/client.ts';
import { createHooked, createReceiver, hook, hooksFile } from './receiver.ts';

test('callers of requests reach nothing of webhooks, and their writes are told all the same', async t => {
  const receiver = await createReceiver(t);
  const { sql, request } = await createHooked(t, [hook(receiver.url, { ordered: true })]);
  const answer = await request('/data/orders', {
    method: 'POST', body: JSON.stringify({ id: 1, name: 'by a caller' }), as: await tokenFor('ada'),
  });
  t.equal(answer.status, 201, answer.text);
  t.match(JSON.parse((await receiver.wait(1))[0]?.body ?? ''), { type: 'INSERT', record: { id: 1, name: 'by a caller' } });
  const statements = [
    'select from service.webhooks', 'select from service.webhook_deliveries', 'insert into service.webhooks (id) values (\'x\')',
    'delete from service.webhook_deliveries', 'select service.webhook_replay(gen_random_uuid())',
    'select service.webhook_resume(\'orders\')',
    'select service_private.use_webhooks(\'[]\')', 'select service_private.pause_webhook(\'orders\')',
    'select service_private.record_deliveries(\'[]\')', 'select service_private.plan_webhooks()',
    'select service_private.resolve_webhooks()', 'select service_private.exclude_columns()',
    'select service_private.put_job(\'service.webhook\', \'{}\')',
    'select service.enqueue(\'service.webhook\')', 'select service.enqueue(\'x\', \'{}\', \'{"queue": "service.webhook/orders/{1}"}\')',
  ];
  for (const statement of statements) {
    const tried = sql.begin(async transaction => {
      await transaction`set local role service_user`;
      await transaction`select service.enter('ada')`;
      await transaction.unsafe(statement);
    });
    await t.rejects(tried, { code: /^(42501|GW400)$/ }, statement);
  }
  for (const path of ['webhooks', 'data/webhooks', 'data/webhook_deliveries']) t.equal((await request(`/${path}`)).status, 404, path);
});

test('a soft delete by the API is DELETE, restoring UPDATE, and an excluded property never leaves', async t => {
  const receiver = await createReceiver(t);
  const id = { type: 'number', isId: 'increment' };
  const posts = {
    slug: 'posts', softDelete: true, securityRules: [{ operation: 'all', access: 'public' }], properties: {
      id, title: { type: 'string' }, deletedAt: { type: 'date' }, hidden: { type: 'string', excludeFromApi: true, defaultValue: 'hush' },
      seo: { type: 'map', properties: { words: { type: 'string' }, score: { type: 'number', excludeFromApi: true } } },
    },
  };
  const env = {
    SERVICE_COLLECTIONS_DIR: collections(t, posts), ...hooksFile(t, [hook(receiver.url, { table: 'posts', ordered: true })]),
  };
  const { request, sql } = await createHooked(t, [], { env });
  const send = async (method: string, path: string, body?: object) => {
    const { status, text } = await request(`/data/${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    t.ok(status < 300, `${method} ${path}: ${status} ${text}`);
  };
  await sql`alter table posts alter column seo set default '{"words": "w", "score": 7}'`;
  await send('POST', 'posts', { title: 'one' });
  await send('PATCH', 'posts/1', { title: 'two' });
  await send('DELETE', 'posts/1');
  await send('PATCH', 'posts/1', { deletedAt: null });
  await send('DELETE', 'posts/1?hard=true');
  const events = await receiver.wait(5);
  t.same(events.map(({ body }) => (JSON.parse(body) as { type: string }).type), ['INSERT', 'UPDATE', 'DELETE', 'UPDATE', 'DELETE']);
  t.match(await sql`select excluded, soft_delete from service.webhooks`, [{ excluded: ['hidden'], soft_delete: /deleted/ }]);
  for (const { body } of events) t.notMatch(body, /hush|hidden|score/);
  t.match(JSON.parse(events[0]?.body ?? ''), { record: { seo: { words: 'w' } } }, 'nor does an excluded part');
  await until('the jobs are over', async () => (await sql`select from service.jobs where status <> 'succeeded'`).length === 0);
});
