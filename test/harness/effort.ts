/** Whether what is random or long runs whole (`npm run proof`). Else it runs short, with the same code. */
const isProof = process.env['ROWGATE_PROOF'] === '1';

/** One in so many cases of a long table is tried, and one in twice as many random ones. */
const ONE_IN = isProof ? 1 : process.env['ROWGATE_LONGER'] === '1' ? 3 : 5;

/** The seed of everything random in this process. */
export const seed = Number(process.env['RANDOM_SEED'] ?? Date.now() % 2 ** 31);

/** A generator of its own (mulberry32), so that a failure can be had again. */
export function generator(start: number): (below: number) => number {
  let state = start;
  return below => {
    state = state + 0x6d2b79f5 | 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) % below;
  };
}

/** How many of so many random cases are tried. */
export function runs(whole: number): number {
  return isProof ? whole : Math.ceil(whole / (2 * ONE_IN));
}

/** For fast-check: so many runs, from a seed that is printed. */
export function random(whole: number): { numRuns: number; seed: number } {
  console.log(`# RANDOM_SEED=${seed}`);
  return { numRuns: runs(whole), seed };
}

/** A random selection of a long table of cases, as many as are tried; at least one. */
export function some<T>(cases: T[]): T[] {
  console.log(`# RANDOM_SEED=${seed}`);
  return cases.filter((_, n) => isTried(n, cases.length));
}

/** The same for cases that come one by one: whether the nth is tried. */
export function isTried(n: number, length = Infinity): boolean {
  const every = Math.min(ONE_IN, length);
  return n % every === seed % every;
}
