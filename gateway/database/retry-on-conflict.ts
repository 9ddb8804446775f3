import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { isCollision } from './sqlstate.ts';

/** Milliseconds, at random, so that two who gave up do not meet again. */
const PAUSE = { from: 10, below: 40 };

/** What the database gave up for another's sake, if nothing else is said, is tried once more. */
export async function retryOnConflict<T>(run: () => Promise<T>, isWorthIt: (error: unknown) => boolean = isCollision): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isWorthIt(error)) throw error;
  }
  await backOff();
  return run();
}

/** Whoever waits for the same locks has them by then; asked at once, one would stand in its way again. */
export async function backOff(): Promise<void> {
  await setTimeout(randomInt(PAUSE.from, PAUSE.below));
}
