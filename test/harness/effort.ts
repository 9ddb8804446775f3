/** Whether what is random or long runs whole (`npm run proof`). Else it runs short, with the same code. */
const isProof = process.env['ROWGATE_PROOF'] === '1';

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
