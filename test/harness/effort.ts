/** Whether what is random or long runs whole (`npm run proof`). Else it runs short, with the same code. */
const isProof = process.env['ROWGATE_PROOF'] === '1';

/** Whether long tables of cases are gone through whole, as .ci/run does too. */
const isWhole = isProof || process.env['ROWGATE_WHOLE'] === '1';

/** Of everything random in this process. */
const seed = Number(process.env['RANDOM_SEED'] ?? Date.now() % 2 ** 31);

/** How many of so many cases are tried: of what is random .ci/run takes a fifth, `npm test` a tenth. */
export function runs(whole: number): number {
  if (isProof) return whole;
  return Math.ceil(whole / (isWhole ? 5 : 10));
}

/** For fast-check: so many runs, from a seed that is printed. */
export function random(whole: number): { numRuns: number; seed: number } {
  console.log(`# RANDOM_SEED=${seed}`);
  return { numRuns: runs(whole), seed };
}

/** Of a long table of cases a fifth, another one each time; at least one. */
export function some<T>(cases: T[]): T[] {
  console.log(`# RANDOM_SEED=${seed}`);
  return cases.filter((_, n) => isTried(n, cases.length));
}

/** The same for cases that come one by one: whether the nth is tried. */
export function isTried(n: number, length = Infinity): boolean {
  return isWhole || n % 5 === seed % Math.min(5, length);
}
