/** Whether what is random or long runs whole (`npm run proof`). Else it runs short, with the same code. */
const isProof = process.env['ROWGATE_PROOF'] === '1';

/** Whether long tables of cases are gone through whole, as .ci/run does too. */
const isWhole = isProof || process.env['ROWGATE_WHOLE'] === '1';

/** Of everything random in this process. */
const seed = Number(process.env['RANDOM_SEED'] ?? Date.now() % 2 ** 31);

/** How many of so many cases are tried. */
export function runs(whole: number): number {
  return isProof ? whole : Math.ceil(whole / 5);
}

/** For fast-check: so many runs, from a seed that is printed. */
export function random(whole: number): { numRuns: number; seed: number } {
  console.log(`# RANDOM_SEED=${seed}`);
  return { numRuns: runs(whole), seed };
}

/** Of a long table of cases a fifth, another one each time. */
export function some<T>(cases: T[]): T[] {
  console.log(`# RANDOM_SEED=${seed}`);
  return isWhole ? cases : cases.filter((_, n) => n % 5 === seed % 5);
}
