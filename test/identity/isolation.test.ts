import t, { test, type Test } from 'tap';
import { createService, type TestService } from '../harness/service.ts';
import { runs, some } from '../harness/effort.ts';
import { mismatches, type Mismatch } from './isolation-run.ts';
import { SHAPE_NAMES } from './isolation-requests.ts';
import { ROWS, TABLES } from './isolation-tables.ts';

/**
 * Two relations are enough for the genetic planner, which then takes the last one first: the join order that a reader of the statement
 * least expects. A statement that is right only by join order is wrong under it.
 */
const LAST_FIRST = { geqo_threshold: '2' };

/** It is only read from. */
const service = await open(t);

test('64 callers on one pipelined connection, each sees exactly what the policies give', async t => {
  const { asked, together, wrong } = await mismatches(service, { rounds: runs(5) });
  t.same(wrong.slice(0, 3), []);
  t.ok(asked > 1700, `${asked} answers compared`);
  t.ok(together > 50, `${together} requests under way at once`);
});

for (const plan_cache_mode of some(['force_generic_plan', 'force_custom_plan'])) {
  test(`the same in the least expected join order, ${plan_cache_mode}`, async t => {
    const { wrong } = await mismatches(service, { settings: { ...LAST_FIRST, plan_cache_mode } });
    t.same(wrong.slice(0, 3), []);
  });
}

test('it is noticed, in every shape, when the gate is missing', async t => {
  const { wrong } = await mismatches(service, { settings: LAST_FIRST, alter: text => text.replaceAll('ctx.ok', 'true') });
  t.same(SHAPE_NAMES.filter(shape => !shapesOf(wrong).has(shape)), [], 'shapes whose answers stayed right');
  t.ok(wrong.some(leaks), 'a row was shown that is hidden');
});

test('it is noticed when a lateral is not closed', async t => {
  const { wrong } = await mismatches(service,
    { settings: LAST_FIRST, alter: text => text.replaceAll(' offset 0', ''), shapes: SHAPE_NAMES.filter(shape => shape.includes('get')) });
  t.ok(shapesOf(wrong).has('get'));
  t.ok(wrong.some(leaks), 'a row was shown that is hidden');
});

test('it is noticed when settings outlive their statement', async t => {
  const leaking = await open(t,
    'do $$ begin execute replace(pg_get_functiondef(\'service.enter\'::regproc), \', true)\', \', false)\'); end $$;');
  const { wrong } = await mismatches(leaking, { shapes: ['get', 'list', 'count'] });
  t.ok(shapesOf(wrong).has('nobody entered'));
});

async function open(t: Pick<Test, 'teardown'>, change = ''): Promise<TestService> {
  return createService(t, { template: 'served', setup: TABLES + ROWS + change });
}

function shapesOf(wrong: readonly Mismatch[]): Set<string> {
  return new Set(wrong.map(({ shape }) => shape));
}

function leaks({ expected, answered }: Mismatch): boolean {
  return expected === undefined && typeof answered === 'object' && answered !== null && !('failed' in answered);
}
