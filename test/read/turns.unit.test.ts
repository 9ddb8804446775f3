import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { test } from 'tap';
import { newConnection, served } from '../../gateway/database/lane-connection.ts';
import { arrival, thisTurn } from '../../gateway/database/turns.ts';

function connection() {
  return newConnection(() => undefined as never);
}

/** Keeps the process busy for some milliseconds. */
function work(milliseconds: number): void {
  for (const begun = performance.now(); performance.now() < begun + milliseconds;);
}

test('an answer that the loop waited for arrived when it was woken', async t => {
  const told = thisTurn();
  await delay(20);
  t.ok(arrival() > told.ended);
  t.ok(served(connection(), told) > 0, 'the server took the time');
});

test('the time in which this process was busy is none of the server', async t => {
  // The machine may do other things between two turns, and then it looks like waiting.
  for (let tries = 1; tries <= 50; tries++) {
    await nextTurn();
    const told = thisTurn();
    work(5);
    await nextTurn();
    thisTurn();
    work(5);
    await nextTurn();
    if (served(connection(), told) < 5) return t.pass(`try ${tries}`);
  }
  return t.fail('the work of two turns was counted');
});

test('an answer behind another on its connection has the time since that one', async t => {
  const [told, one] = [thisTurn(), connection()];
  await delay(5);
  t.ok(served(one, told) > 0);
  t.equal(served(one, told), 0, 'they came together');
});
