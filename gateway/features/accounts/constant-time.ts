import { setTimeout } from 'node:timers/promises';

/** Milliseconds that nothing takes longer than when all is well. */
const FLOOR = 400;

/** Does what an answer must not tell of, by its time neither. */
export async function withConstantTime(work: () => Promise<unknown>): Promise<void> {
  await Promise.all([work(), setTimeout(FLOOR)]);
}
