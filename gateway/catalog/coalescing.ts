import type { Coalescing } from './compiled.ts';

/** Milliseconds of the server for an answer. Slower ones go one by one, so that none waits for the slow rows of another. */
const SLOW = 2;
/** How many times as slow coalesced reads may be. They are faster, unless values want plans of their own. */
const SLOWER = 1.5;
/** Most reads in one statement, and what they are expected to return and to take of the server at most. */
const MOST = { reads: 32, bytes: 1024 * 1024, milliseconds: 5 };
/**
 * Most reads in a statement until so many have been measured: its plan may be a worse one, since the values are not in it, and one alone
 * may have waited for a busy machine.
 */
const PROBE = { reads: 4, statements: 8 };
/** How much the last one counts for an average. */
const WEIGHT = 0.1;
const REST = { least: 64, most: 65_536 };

export function createCoalescing(given: Pick<Coalescing, 'find' | 'takes'>): Coalescing {
  const averages = { alone: 0, coalesced: 0, bytes: 0, together: 0 };
  return { ...given, averages, measured: 0, rest: 0, nextRest: REST.least, counts: { alone: 0, coalesced: 0, statements: 0 } };
}

export function note(coalescing: Coalescing, which: keyof Coalescing['averages'], value: number): void {
  const before = coalescing.averages[which];
  coalescing.averages[which] = before === 0 ? value : before + (value - before) * WEIGHT;
}

export function isSlow({ averages: { alone }, rest }: Coalescing): boolean {
  return alone > SLOW || rest > 0;
}

export function mostTogether({ averages: { alone, coalesced, bytes }, measured }: Coalescing): number {
  if (measured < PROBE.statements) return Math.min(PROBE.reads, MOST.bytes / bytes, MOST.milliseconds / alone);
  return Math.min(MOST.reads, MOST.bytes / bytes, MOST.milliseconds / coalesced);
}

export function wentAlone(coalescing: Coalescing, milliseconds: number): void {
  note(coalescing, 'alone', milliseconds);
  if (coalescing.rest > 0) coalescing.rest -= 1;
}

/** A statement that ends while none are tried was sent before: the next ones are measured anew. */
export function wentTogether(coalescing: Coalescing, milliseconds: number, requests: number): void {
  if (coalescing.rest > 0) return;
  note(coalescing, 'coalesced', milliseconds / requests);
  coalescing.measured += 1;
  if (coalescing.measured < PROBE.statements) return;
  const { averages: { alone, coalesced } } = coalescing;
  if (coalesced > SLOW || coalesced > alone * SLOWER) restFrom(coalescing);
  else coalescing.nextRest = Math.max(REST.least, coalescing.nextRest / 2);
}

/** Several at once are not tried for a while, the longer the oftener that was needed. Statements that fail together count once. */
export function restFrom(coalescing: Coalescing): void {
  if (coalescing.rest > 0) return;
  coalescing.rest = coalescing.nextRest;
  coalescing.nextRest = Math.min(REST.most, coalescing.nextRest * 2);
  coalescing.averages.coalesced = coalescing.measured = 0;
}
