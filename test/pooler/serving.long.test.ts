import { test } from 'tap';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { refusedUpgrade } from '../harness/socket.ts';
import { until } from '../harness/until.ts';
import { NOTES, pooler } from './poolers.ts';

test('one session for many callers: each reads and writes as itself, in whatever order, failures among them', async t => {
  const pooled = await pooler(t, { settings: { default_pool_size: '1' } });
  if (!pooled) return;
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(NOTES).simple();
  const service = await openService(url, {}, pooled(url));
  t.teardown(service.close);
  const tokens = await Promise.all(Array.from({ length: 8 }, (_, n) => tokenFor(`user${n}`)));
  const turns = Array.from({ length: 200 }, (_, n) => n);
  const answers = await Promise.all(turns.map(async n => {
    const as = tokens[n % 8] ?? null;
    const fails = n % 10 === 7; // 7 and 17 …: the check refuses, and what the session keeps outlives the rollback
    const body = { text: `t${n}`, n: fails ? 5000 : n, ...(n % 3 === 0 && { m: n }), ...(n % 5 === 0 && { o: n }) };
    const made = await service.request('/data/note', { method: 'POST', as, body: JSON.stringify(body) });
    const read = await service.request('/data/note?limit=1000&fields=owner', { as });
    return {
      fails, status: made.status, owner: made.body.owner, owners: [...new Set(read.body.data.map(({ owner }: { owner: string }) => owner))],
    };
  }));
  t.same(answers.map(({ fails, status, owner, owners }, n) =>
    [status, owner, fails ? [] : owners.filter(found => found !== `user${n % 8}`)]),
    turns.map(n => n % 10 === 7 ? [400, undefined, []] : [201, `user${n % 8}`, []]));
  const [row] = await sql`select count(*)::int as count, count(distinct owner)::int as owners from note`;
  t.same(row, { count: 180, owners: 8 });
  t.match(await service.request('/data/note/count'), { body: { count: 0 } }, 'the service key is nobody\'s owner');
});

test('in session mode LISTEN works without a second URL, and prepared statements need nothing of the pooler', async t => {
  const pooled = await pooler(t, { mode: 'session', settings: { max_prepared_statements: '0' } });
  if (!pooled) return;
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(NOTES).simple();
  const service = await openService(pooled(url));
  t.teardown(service.close);
  for (const text of ['a', 'b', 'c']) t.equal((await service.request('/data/note', {
    method: 'POST', as: await tokenFor('me'), body: JSON.stringify({ text }),
  })).status, 201);
  await sql.unsafe(NOTES.replaceAll('note', 'later')).simple();
  await until('DDL is heard', async () => (await service.request('/data/later')).status === 200);
});

test('in transaction mode with one URL it serves, and says that it does not hear of changes', async t => {
  const pooled = await pooler(t);
  if (!pooled) return;
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(NOTES).simple();
  const gateway = startGateway(t, { DATABASE_URL: pooled(url) });
  const said: string[] = [];
  gateway.process.stdout?.on('data', part => said.push(String(part)));
  const address = await addressOf(gateway);
  t.equal((await fetch(`${address}/data/note`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } })).status, 200);
  t.match(said.join(''), /LISTEN does not work through a pooler .* Set DATABASE_DIRECT_URL/);
  t.match(await refusedUpgrade(t, new URL(address).origin),
    [501, { code: 'FEATURE_DISABLED', details: { feature: 'realtime', setting: 'DATABASE_DIRECT_URL' } }]);
});
