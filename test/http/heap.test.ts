import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { isOver } from '../../gateway/process/heap.ts';

/** Something that is dead, but lived long enough that only a whole search finds it. */
async function forgotten(): Promise<WeakRef<object>> {
  const ref = new WeakRef({});
  await setTimeout(10); // in the turn that made it, it lives
  return ref;
}

test('what large requests held is looked for when there is no other for a second, and after small ones nothing is', async t => {
  const dead = await forgotten();
  isOver(100_000);
  await setTimeout(1500);
  t.ok(dead.deref());
  await setTimeout(10);
  isOver(2_000_000);
  await setTimeout(1500);
  t.notOk(dead.deref());
});
