import { test, type Test } from 'tap';
import { textConnection } from '../../gateway/database/connection.ts';
import { createSharedLane } from '../../gateway/database/shared-lane.ts';
import type { Lane } from '../../gateway/database/lane.ts';
import { createDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { ask, running } from './lanes.ts';

const BACKEND = 'select pg_backend_pid()::text from pg_sleep($1::float8)';
/** Longer than these statements take on average on the slowest machine, and a tenth of less than what the slow one takes. */
const SHORT = 200;

function sharedLane(t: Pick<Test, 'teardown'>, url: string, lockTimeout?: number): Lane {
  const made = createSharedLane({
    connect: () => textConnection(url, { connectTimeout: 5_000, applicationName: 'rowgate test lane' }),
    size: 5, depth: 1, deadline: 60_000, preparedLimit: 1_000,
  }, { size: 1, depth: 8, ...(lockTimeout !== undefined && { lockTimeout }) }, SHORT);
  t.teardown(() => made.close(100));
  return made;
}

const many = (lane: Lane, count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, () => ask(lane, BACKEND, ['0'])));

async function learned(lane: Lane): Promise<void> {
  for (let n = 0; n < 30; n++) await ask(lane, BACKEND, ['0']);
}

test('statements share a connection once they have shown to be short', async t => {
  const { url } = await createDatabase(t);
  const lane = sharedLane(t, url);
  t.equal(new Set(await many(lane, 60)).size, 4, 'unknown: a connection each');
  await learned(lane);
  t.equal(new Set(await many(lane, 60)).size, 1, 'known');
});

test('a statement that is slow once delays only those on its connection', async t => {
  const { url, sql } = await createDatabase(t);
  const lane = sharedLane(t, url);
  await learned(lane);
  const [shared] = await many(lane, 1);
  const slow = ask(lane, BACKEND, ['600']).catch(() => 'ended');
  const behind = many(lane, 3).catch(() => 'ended');
  await until('it is seen to be slow', async () => (await sql`select from pg_stat_activity
    where pid = ${Number(shared)}::int and state = 'active' and query_start < clock_timestamp() - interval '4 seconds'`).length === 1);
  t.notOk((await many(lane, 3)).includes(shared ?? ''), 'others pass it');
  await sql`select pg_terminate_backend(${Number(shared)}::int)`;
  t.equal(await slow, 'ended');
  t.equal(await behind, 'ended');
  t.not(new Set(await many(lane, 20)).size, 1, 'it is no short one any more');
  await learned(lane);
  t.equal(new Set(await many(lane, 20)).size, 1, 'until it has shown that it is');
});

test('a statement that is not known to be short is cancelled when its client leaves', async t => {
  const { url, sql } = await createDatabase(t);
  const lane = sharedLane(t, url);
  const leaving = new AbortController();
  const slow = t.rejects(ask(lane, BACKEND, ['600'], { signal: leaving.signal }), { code: '57014' });
  await until('it runs', async () => (await running(sql, '%pg_sleep%')).length === 1);
  leaving.abort();
  await slow;
});

test('a statement that waits for a lock continues where it delays none', async t => {
  const { url, sql } = await createDatabase(t);
  await sql`create table counted (id integer primary key, n integer default 0)`;
  await sql`insert into counted select generate_series(1, 20)`;
  const lane = sharedLane(t, url, 50);
  const COUNT = 'update counted set n = n + 1 where id = $1::integer returning n::text';
  for (let n = 0; n < 30; n++) await ask(lane, COUNT, ['2']);
  const release = await sql.reserve();
  await release`begin`;
  await release`select from counted where id = 1 for update`;
  const waiting = [ask(lane, COUNT, ['1']), ask(lane, COUNT, ['1'])];
  const behind = await Promise.all(Array.from({ length: 7 }, (_, i) => ask(lane, COUNT, [String(i + 3)])));
  t.same(behind, Array.from({ length: 7 }, () => '1'), 'while the lock is held');
  await release`commit`;
  release.release();
  t.same((await Promise.all(waiting)).toSorted(), ['1', '2'], 'each is done once');
});
