// Random steps of two runners with sessions, of one without, and of a reaper, on a clock that is set: compared with a model of the table.
import { isDeepStrictEqual } from 'node:util';
import { test, type Test } from 'tap';
import { generator, runs, seed } from '../harness/effort.ts';
import { apply, isFree, take, type Claim, type Model, type Options, type Row, type Step } from './model.ts';
import { ask, openTable } from './steps.ts';

type Draw = (below: number) => number;
type Runner = { workerId: string; tasks: string[] };

const TASKS = ['a', 'b', 'c'];
const pick = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)] as T;

test(`jobs do what a model of their table does, and none is stuck (RANDOM_SEED=${seed})`, async t => {
  const seen = new Map<string, number>();
  for (const start of [seed, seed + 1, seed + 2]) {
    const wrong = await walk(t, runs(3_000), start, seen);
    t.equal(wrong && JSON.stringify(wrong), undefined, `RANDOM_SEED=${start}`);
  }
  console.log(`# ${JSON.stringify(Object.fromEntries([...seen].toSorted()))}`);
  for (const name of ['enqueue false', 'complete false', 'heartbeat true', 'reap true', 'sweep true', 'crossed', 'claimed at once']) {
    t.ok((seen.get(name) ?? 0) > 0, name);
  }
});

test('a job that is retried while jobs are swept stays', async t => {
  const { sql, found, together } = await openTable(t);
  await ask(sql, { act: 'enqueue', n: 1, task: 'a', options: {} });
  await ask(sql, { act: 'cancel', n: 1 });
  await sql`update service.jobs set updated_at = now() - interval '1 year'`;
  t.same(await together([{ act: 'retry', n: 1 }, { act: 'sweep', succeeded: 10, failed: 10 }]), [true, 0]);
  t.match(await found(), [{ n: 1, status: 'pending' }]);
});

/** So many random steps, and then those that end what is left. @returns the first that does not do what the model does */
async function walk(t: Test, count: number, start: number, seen: Map<string, number>): Promise<unknown> {
  const draw = generator(start);
  const { sql, second, holders, found, show, together } = await openTable(t);
  const runners: Runner[] = [
    { tasks: ['a', 'b'], workerId: '' }, { tasks: ['b', 'c'], workerId: '' }, { tasks: TASKS, workerId: 'a runner without a session' },
  ];
  let model: Model = { rows: [], now: 0, present: new Set() };
  /** Handed out lately; most are gone by now. */
  const claims: Claim[] = [];
  const trace: unknown[] = [];
  let [jobs, sessions] = [0, 0];
  for (const [number, holder] of holders.entries()) await renew(number, holder);
  for (let n = 0; n < count; n++) {
    await clock(pick(draw, [0, 1, 1, 1, 1, 2, 6, 40, -1, -5]));
    const wrong = await pick(draw, [alone, alone, alone, alone, crossed, crossed, atOnce])();
    if (wrong !== undefined) return { n, wrong, trace: trace.slice(-5) };
  }
  return drain();

  async function clock(ticks: number): Promise<void> {
    model.now += ticks;
    await show(model.now);
  }

  /** A runner's session is gone, and it has another. */
  async function renew(number = draw(2), holder = holders[number] ?? sql): Promise<void> {
    const runner = runners[number] as Runner;
    const [before, next] = [runner.workerId, `${start}-${(sessions++).toString(16).padStart(8, '0')}`];
    await holder`select service_private.hold_presence(${next}, ${before === '' ? null : before})`;
    model.present.delete(before);
    model.present.add(next);
    runner.workerId = next;
  }

  async function alone(step = drawn()): Promise<unknown> {
    if (draw(30) === 0) await renew();
    trace.push([model.now, step]);
    const answer = await ask(sql, step);
    note(`${step.act} ${typeof answer === 'string' ? answer : Array.isArray(answer) ? answer.length > 0 : Boolean(answer)}`);
    const wrong = difference(answer, apply(model, step), await found());
    if (step.act === 'claim') handOut(answer as number[], step.workerId);
    return wrong;
  }

  /** Two steps that meet do what they do one after the other, in one order or the other. */
  async function crossed(): Promise<unknown> {
    const [a, b] = [crossing(), crossing()];
    const acts = [a.act, b.act].sort().join();
    if (acts === 'sweep,sweep' || acts === 'heartbeat,reap') return undefined; // one leaves to the next time what the other holds
    trace.push([model.now, a, b]);
    const answers = await together([a, b]);
    const rows = await found();
    const orders = [[a, b], [b, a]].map(order => {
      const after = structuredClone(model);
      const meant = new Map(order.map(step => [step, apply(after, step)]));
      return { after, wrong: difference(answers, [meant.get(a), meant.get(b)], rows, after) };
    });
    const fitting = orders.find(({ wrong }) => wrong === undefined);
    if (fitting === undefined) return orders.map(({ wrong }) => wrong);
    model = fitting.after;
    note('crossed');
    return undefined;
  }

  /** Two runners that claim at once may pass over what the other one has just locked, and none has a job that the other has. */
  async function atOnce(): Promise<unknown> {
    const steps = [pick(draw, runners), pick(draw, runners)].map(runner => ({ act: 'claim' as const, ...runner, most: 1 + draw(3) }));
    trace.push([model.now, ...steps]);
    const free = steps.map(({ tasks }) => model.rows.filter(row => isFree(model, row, tasks)).map(({ n }) => n));
    const taken = await Promise.all(steps.map((step, i) => ask(i === 0 ? sql : second, step))) as number[][];
    const all = taken.flat();
    const isSound = new Set(all).size === all.length && (all.length > 0 || free.flat().length === 0)
      && taken.every((numbers, i) => numbers.length <= (steps[i]?.most ?? 0) && numbers.every(n => free[i]?.includes(n)));
    if (!isSound) return { free, taken };
    for (const [i, { workerId }] of steps.entries()) {
      take(model, taken[i] ?? [], workerId);
      handOut(taken[i] ?? [], workerId);
    }
    if (taken.every(({ length }) => length > 0)) note('claimed at once');
    return difference(undefined, undefined, await found());
  }

  /** When all runners have ended, a last one does all that is left. */
  async function drain(): Promise<unknown> {
    for (const number of holders.keys()) await renew(number);
    await clock(1_000);
    const wrong = await alone({ act: 'reap', silence: 3.5 });
    if (wrong !== undefined) return wrong;
    const last = runners[2] as Runner;
    const left = () => model.rows.filter(({ status }) => status === 'pending' || status === 'running').length;
    while (left() > 0) {
      const before = left();
      await clock(1);
      const claimed = await alone({ act: 'claim', ...last, most: 5 });
      if (claimed !== undefined) return claimed;
      for (const row of model.rows.filter(({ status }) => status === 'running')) {
        const ended = await alone({ act: 'complete', claim: claimOf(row) });
        if (ended !== undefined) return ended;
      }
      if (left() === before) return { stuck: model.rows };
    }
    return undefined;
  }

  function difference(answer: unknown, meant: unknown, rows: Row[], after = model): unknown {
    if (isDeepStrictEqual(answer, meant) && isDeepStrictEqual(rows, after.rows)) return undefined;
    const other = (_: Row, n: number) => !isDeepStrictEqual(rows[n], after.rows[n]);
    return { answer, meant, rows: rows.filter(other), expected: after.rows.filter(other) };
  }

  function note(name: string): void {
    seen.set(name, (seen.get(name) ?? 0) + 1);
  }

  function handOut(taken: readonly number[], workerId: string): void {
    claims.push(...model.rows.filter(({ n }) => taken.includes(n)).map(({ n, attempts }) => ({ n, workerId, attempt: attempts })));
    claims.splice(0, claims.length - 30);
  }

  function crossing(): Step {
    for (;;) {
      const step = drawn();
      if (step.act !== 'claim') return step;
    }
  }

  function drawn(): Step {
    const { rows, now } = model;
    const running = rows.filter(({ status }) => status === 'running').map(claimOf);
    const failed = rows.filter(({ status }) => status === 'failed').map(({ n }) => n);
    const any = draw(jobs + 1);
    const known = running.length > 0 && draw(4) > 0 ? running : claims;
    const claim = known.length > 0 ? pick(draw, known) : { n: any, workerId: 'none', attempt: 1 };
    switch (pick(draw, ['enqueue', 'enqueue', 'enqueue', 'claim', 'claim', 'claim', 'complete', 'complete', 'fail', 'heartbeat', 'cancel',
      'retry', 'retry', 'reap', 'sweep'] satisfies Step['act'][])) {
      case 'enqueue': return { act: 'enqueue', n: jobs++, task: pick(draw, TASKS), options: options(draw, now) };
      case 'claim': return { act: 'claim', ...pick(draw, runners), most: draw(5) };
      case 'complete': return { act: 'complete', claim };
      case 'fail': return { act: 'fail', claim, retryAt: pick(draw, [null, now, now + 0.5, now + 3.5]) };
      case 'heartbeat': return { act: 'heartbeat', claim };
      case 'cancel': return { act: 'cancel', n: rows.length > 0 ? pick(draw, rows).n : any };
      case 'retry': return { act: 'retry', n: pick(draw, [...failed, any]) };
      case 'reap': return { act: 'reap', silence: 3.5 };
      case 'sweep': return { act: 'sweep', succeeded: pick(draw, [0.5, 10.5]), failed: pick(draw, [0.5, 30.5, 30.5]) };
    }
  }
}

function claimOf({ n, lockedBy, attempts }: Row): Claim {
  return { n, workerId: lockedBy ?? '', attempt: attempts };
}

function options(draw: Draw, now: number): Options {
  const runAt = pick(draw, [undefined, undefined, undefined, now - 5.5, now + 0.5, now + 10.5]);
  return {
    priority: pick(draw, [0, 0, 0, 5, -5]), queue: pick(draw, [null, null, 'q', 'r']), key: pick(draw, [null, null, 'k', 'l', 'm']),
    maxAttempts: pick(draw, [null, null, 1, 2]), ...(runAt !== undefined && { runAt }),
  };
}
