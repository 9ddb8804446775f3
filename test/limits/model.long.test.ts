import { test, type Test } from 'tap';
import { WINDOW } from '../../gateway/limits/limiters.ts';
import { memoryStore } from '../../gateway/limits/memory-store.ts';
import type { Verdict } from '../../gateway/limits/store.ts';
import { createDatabase } from '../harness/database.ts';
import { generator } from '../harness/effort.ts';
import '../harness/service.ts';

type Take = (key: string, most: number, at: number) => Promise<Verdict>;
type Step = { key: string; most: number; at: number };

/** The model, as simple as possible: every allowed request, and when. Seconds. */
function model(): (step: Step) => Verdict {
  const allowed = new Map<string, number[]>();
  return ({ key, most, at }) => {
    const times = allowed.get(key) ?? [];
    allowed.set(key, times);
    const count = (second: number): number => times.filter(time => second - time <= WINDOW).length;
    const second = Math.max(Math.floor(at), ...times.slice(-1));
    if (count(second) < most) {
      times.push(second);
      return { allowed: true, remaining: most - count(second), retryAfter: 0 };
    }
    let wait = 1;
    while (count(second + wait) >= most) wait++;
    return { allowed: false, remaining: 0, retryAfter: wait };
  };
}

/** Bursts, pauses about as long as a window, and now and then a clock that is set back. */
function steps(count: number, seed: number): Step[] {
  const below = generator(seed);
  let at = 1_700_000_000;
  return Array.from({ length: count }, () => {
    at += [0, 0, 0.3, 1, 7.5, below(WINDOW), WINDOW - 1, WINDOW, WINDOW + 1][below(9)] ?? 0;
    if (below(50) === 0) at -= below(30);
    at = Math.round(at * 10) / 10; // what PostgreSQL keeps too
    return { key: `key ${below(4)}`, most: [1, 3, 10][below(3)] ?? 1, at };
  });
}

async function isTheModel(t: Test, take: Take, count: number): Promise<void> {
  for (const seed of [1, 2, 3]) {
    const expected = model();
    const wrong: unknown[] = [];
    let refused = 0;
    for (const { key, most, at } of steps(count, seed)) {
      const step = { key: `${seed} ${key}`, most, at };
      const [found, meant] = [await take(step.key, most, at), expected(step)];
      if (!meant.allowed) refused++;
      if (JSON.stringify(found) !== JSON.stringify(meant)) wrong.push({ step, found, meant });
    }
    t.same(wrong.slice(0, 1), [], `seed ${seed}`);
    t.ok(refused > count / 10, `${refused} of ${count} were refused`);
  }
}

test('in memory exactly as many are allowed as the model says', async t => {
  let now = 0;
  const store = memoryStore(() => now * 1000);
  await isTheModel(t, async (key, most, at) => { now = at; return store.take(key, most); }, 3_000);
});

test('in the database too', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  await isTheModel(t, async (key, most, at) => {
    const [row] = await sql<Verdict[]>`select allowed, remaining, retry_after as "retryAfter"
      from service_private.rate_limit(${key}, ${most}, to_timestamp(${at}))`;
    return { ...row } as Verdict;
  }, 500);
});

test('no window of fifteen minutes has more than the limit, wherever it begins', async t => {
  let now = 1_700_000_000_000;
  const store = memoryStore(() => now);
  const below = generator(9);
  const allowed: number[] = [];
  for (let n = 0; n < 20_000; n++) {
    now += below(20_000);
    if ((await store.take('key', 20)).allowed) allowed.push(now);
  }
  const over = allowed.filter((time, i) => (allowed[i + 20] ?? Infinity) - time < WINDOW * 1000);
  t.same(over, []);
  const late = allowed.filter((time, i) => (allowed[i + 20] ?? 0) - time < (WINDOW + 30) * 1000 && allowed[i + 20] !== undefined);
  t.ok(late.length > 0, 'and none is withheld for long');
  t.end();
});

test('a flood of new addresses takes a bounded memory, and spares who was just here', t => {
  const store = memoryStore();
  const take = (key: string) => store.take(key, 2) as Verdict;
  take('mine');
  take('mine');
  for (let n = 0; n < 500_000; n++) {
    take(`address ${n}`);
    if (n % 20_000 === 0) t.equal(take('mine').allowed, false);
  }
  t.ok(store.kept <= 200_000, `${store.kept} numbers and keys are kept`);
  t.equal(take('address 0').remaining, 1, 'the oldest is forgotten');
  t.end();
});

test('a long window of many requests is one number and one count a second', t => {
  let now = 0;
  const store = memoryStore(() => now);
  for (let n = 0; n < 200_000; n++) {
    now += 100;
    void store.take('busy', 1_000_000);
  }
  t.ok(store.kept <= 2 * (WINDOW + 1) + 2, `${store.kept}`);
  t.end();
});

test('the table keeps no more keys than a window uses', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const take = (key: string, at: number) => sql`select service_private.rate_limit(${key}, 5, to_timestamp(${at}))`;
  for (let n = 0; n < 100; n++) await take(`old ${n}`, 1_000);
  for (let n = 0; n < 50; n++) await take(`new ${n}`, 1_000 + 2 * WINDOW + 5);
  const [row] = await sql`select count(*)::int as count from service.rate_limits`;
  t.equal(row?.['count'], 50);
});

test('requests of one key that come at once are counted one after the other', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const answers = await Promise.all(Array.from({ length: 200 },
    () => sql<{ allowed: boolean }[]>`select allowed from service_private.rate_limit('key', 70)`));
  t.equal(answers.filter(([row]) => row?.allowed).length, 70);
});

test('callers reach neither the table nor what clears it', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  for (const statement of [
    'select * from service.rate_limits', 'delete from service.rate_limits', 'select service_private.forget_rate_limits(0)',
  ]) {
    await t.rejects(sql.begin(async transaction => {
      await transaction`set local role service_user`;
      await transaction.unsafe(statement);
    }), { code: '42501' }, statement);
  }
});
