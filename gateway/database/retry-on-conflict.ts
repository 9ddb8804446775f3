import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { isCollision } from './sqlstate.ts';

/** Milliseconds, at random, so that two retries do not collide again. */
const PAUSE = { from: 10, below: 40 };

/** Runs once more what the database gave up because of a conflict, unless `isWorthIt` says otherwise. */
export async function retryOnConflict<T>(run: () => Promise<T>, isWorthIt: (error: unknown) => boolean = isCollision): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isWorthIt(error)) throw error;
  }
  await backOff();
  return run();
}

/** Waits until others that wait for the same locks have them; an immediate retry would be in their way again. */
export async function backOff(): Promise<void> {
  await setTimeout(randomInt(PAUSE.from, PAUSE.below));
}
