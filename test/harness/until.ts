import { setTimeout } from 'node:timers/promises';
import { slowness } from './slowness.ts';

/** Milliseconds on the usual machine. Longer than anything that tests wait for takes: only a test that fails waits for it. */
const LIMIT = 30_000;

/** Milliseconds between two probes. */
const PAUSE = 10;

/** Returns the milliseconds on this machine for so many on the usual one: an integer, since `AbortSignal.timeout` takes no other. */
export function scaled(milliseconds: number): number {
  return Math.ceil(milliseconds * slowness());
}

/**
 * Resolves with the first answer of the probe other than undefined and false, for what no event announces.
 * @throws when `limit` is over, in milliseconds on the usual machine, with `what` was waited for; what the probe throws is passed on.
 */
export async function until<T>(
  what: string, probe: () => T | Promise<T>, { limit = LIMIT, pause = PAUSE } = {},
): Promise<Exclude<T, undefined | false>> {
  const end = performance.now() + scaled(limit);
  for (;;) {
    const answer: unknown = await probe();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    if (performance.now() > end) throw new Error(`Waited ${Math.round(scaled(limit) / 1000)} seconds in vain: ${what}`);
    await setTimeout(pause);
  }
}
