import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import postgres from 'postgres';
import { test, type Test } from 'tap';
import { createFairQueue } from '../../gateway/database/fair-queue.ts';
import { createFairExecutor, type FairExecutor } from '../../gateway/database/fair-executor.ts';
import { createDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { ask, lane } from './lanes.ts';

test('callers take turns', t => {
  const queue = createFairQueue<string>(8);
  for (const name of ['a1', 'a2']) t.ok(queue.push('a', name));
  t.notOk(queue.push('a', 'a3'), 'a caller has a quarter of the places');
  t.ok(queue.push('b', 'b1'));
  t.ok(queue.push('c', 'c1'));
  t.equal(queue.next(caller => caller !== 'a'), 'b1', 'who may not go is passed over');
  t.same([queue.next(), queue.next(), queue.next(), queue.next()], ['a1', 'c1', 'a2', undefined]);
  for (const caller of ['d', 'e', 'f', 'g']) for (const n of [1, 2]) t.ok(queue.push(caller, `${caller}${n}`));
  t.notOk(queue.push('h', 'h1'), 'it is full');
  t.same(queue.remove(item => item.endsWith('1')), ['d1', 'e1', 'f1', 'g1']);
  t.equal(queue.size, 4);
  t.same([queue.next(), queue.next()], ['d2', 'e2']);
  t.end();
});

async function turns(t: Test, size: number, deadline = 60_000): Promise<{ turn: FairExecutor; sql: postgres.Sql; url: string }> {
  const { sql, url } = await createDatabase(t);
  const owner = postgres(url, { max: size, fetch_types: false });
  t.teardown(() => owner.end({ timeout: 0 }));
  return { turn: createFairExecutor(() => owner, { size, deadline }), sql, url };
}

test('a caller has one statement at work, and others do not wait for it', async t => {
  const { turn, sql } = await turns(t, 2);
  const order: string[] = [];
  const held = await sql.reserve();
  await held`select pg_advisory_lock(1)`;
  const blocked = [1, 2, 3].map(n => turn('greedy', s => s`select pg_advisory_lock_shared(1)`).then(() => order.push(`greedy ${n}`)));
  for (let n = 0; n < 5; n++) await turn('innocent', s => s`select 1`);
  await turn('another', s => s`select 1`);
  t.same(order, [], 'they were answered while the first one was at work');
  await held`select pg_advisory_unlock(1)`;
  held.release();
  await Promise.all(blocked);
  t.same(order, ['greedy 1', 'greedy 2', 'greedy 3']);
});

test('a statement is cancelled at its deadline, and a caller with too many is told so', async t => {
  const { turn } = await turns(t, 1, 300);
  await t.rejects(turn('slow', s => s`select pg_sleep(60)`), { code: '57014' });
  t.same(await turn('next', s => s`select 1 as one`), [{ one: 1 }]);
  const asked = Array.from({ length: 300 }, () => turn('greedy', s => s`select 1`));
  const refused = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  t.equal(refused.length, 49, 'one was at work, 250 waited');
  t.match(refused[0]?.reason, { status: 503, code: 'SERVICE_UNAVAILABLE' });
});

test('a server that says nothing any more is given up, and its connection with it', async t => {
  const { url } = await createDatabase(t);
  const { hostname, port } = new URL(url);
  let isMute = false;
  const between = createServer(client => {
    const server = connect(Number(port), hostname);
    for (const [from, to] of [[client, server], [server, client]] as const) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy()).on('data', data => { if (!isMute) to.write(data); });
    }
  });
  await once(between.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => between.close());
  const through = new URL(url);
  through.host = `127.0.0.1:${(between.address() as { port: number }).port}`;
  const opened = [through.href, url].map(to => postgres(to, { max: 1, fetch_types: false }));
  t.teardown(() => Promise.all(opened.map(sql => sql.end({ timeout: 0 }))));
  let current = 0;
  const turn = createFairExecutor(() => opened[current] as postgres.Sql, { size: 1, deadline: 500, onSilence: () => { current = 1; } });
  t.same(await turn('anyone', s => s`select 1 as one`), [{ one: 1 }]);
  isMute = true;
  const [first, second] = [turn('anyone', s => s`select 1 as one`), turn('anyone', s => s`select 2 as two`)];
  await t.rejects(first, { status: 503, code: 'SERVICE_UNAVAILABLE' });
  t.same(await second, [{ two: 2 }], 'who waited for its turn has an answer');
});

test('in a lane a caller has no more connections than the share, and the others pass by', async t => {
  const { sql, url } = await createDatabase(t);
  const shared = lane(t, url, { size: 3, share: 2 });
  const held = await sql.reserve();
  await held`select pg_advisory_lock(1)`;
  const run = (caller: string, text: string) => shared.run({ text, prepare: false, enterFirst: false }, [], { key: () => caller });
  const greedy = Array.from({ length: 6 }, () => run('greedy', 'select pg_advisory_lock_shared(1)::text'));
  const atWork = async () => Number((await sql`select count(*) from pg_locks where locktype = 'advisory' and not granted`)[0]?.['count']);
  await until('two wait for the lock', async () => (await atWork()) === 2);
  for (let n = 0; n < 5; n++) await run('innocent', 'select 1::text');
  t.equal(await atWork(), 2);
  await held`select pg_advisory_unlock(1)`;
  held.release();
  t.equal((await Promise.all(greedy)).length, 6);
  t.equal(await ask(shared, 'select 7::text'), '7', 'without a caller there is no share');
});

test('a very long statement is never prepared, and a connection keeps so many characters of them', async t => {
  const { url } = await createDatabase(t);
  const one = lane(t, url, { preparedLimit: 1000 });
  const prepared = async () => Number(await ask(one, 'select count(*)::text from pg_prepared_statements'));
  const text = (n: number, length: number) => `select '${String(n).padEnd(length, 'x')}' || $1::text`;
  await ask(one, text(1, 40_000), ['x'], { prepare: true });
  t.equal(await prepared(), 0);
  const first = await ask(one, 'select pg_backend_pid()::text');
  for (let n = 0; n < 60; n++) await ask(one, text(n, 30_000), ['x'], { prepare: true });
  t.equal(await prepared(), 60);
  for (let n = 60; n < 80; n++) await ask(one, text(n, 30_000), ['x'], { prepare: true });
  t.not(await ask(one, 'select pg_backend_pid()::text'), first, 'the connection was replaced');
});
