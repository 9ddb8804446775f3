import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Test } from 'tap';

/** Until the test ends, what nothing holds is collected all the time: a deadline that nothing holds is missed then. */
export function collectGarbage(t: Test): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const timer = setInterval(collect, 10);
  t.teardown(() => { clearInterval(timer); });
}
