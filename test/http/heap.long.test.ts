import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../harness/server.ts';

/** In a process of its own, without other reasons for a garbage collection: some data lives for a while, then the requests are over. */
const PROGRAM = `
  const { collectAfter } = await import(${JSON.stringify(join(ROOT, 'gateway/process/heap.ts'))});
  const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
  const dead = new WeakRef({});
  await pause(10);
  collectAfter(100_000);
  await pause(4000);
  const isThere = dead.deref() !== undefined;
  await pause(10);
  collectAfter(2_000_000);
  await pause(7000);
  console.log(JSON.stringify([isThere, dead.deref() !== undefined]));`;

test('memory of large requests is collected after a quiet time, and small ones cause no collection', t => {
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { encoding: 'utf8' });
  t.same(JSON.parse(output), [true, false]);
  t.end();
});
