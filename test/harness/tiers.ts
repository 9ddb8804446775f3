import { basename } from 'node:path';

/** When a test file runs, as its name says: `x.unit.test.ts`, `x.test.ts`, `x.timing.test.ts`, `x.long.test.ts`. */
export type Tier = 'unit' | 'plain' | 'timing' | 'long';

type Rule = { needsServer: boolean; isAlone: boolean; isInNpmTest: boolean };

export const TIERS: Record<Tier, Rule> = {
  /** Asks for no database. */
  unit: { needsServer: false, isAlone: false, isInNpmTest: true },
  plain: { needsServer: true, isAlone: false, isInNpmTest: true },
  /** Compares durations, or has limits in wall clock time: one file at a time, when all others are over. */
  timing: { needsServer: true, isAlone: true, isInNpmTest: true },
  /** Takes minutes, kills servers, installs packages or a browser: CI and proof, or when it is named. */
  long: { needsServer: true, isAlone: false, isInNpmTest: false },
};

const NAME = /^[a-z0-9-]+(?:\.(unit|timing|long))?\.test\.ts$/;

/** @throws when the name says no tier, or one that there is not. */
export function tierOf(file: string): Tier {
  const found = NAME.exec(basename(file));
  if (!found) throw new Error(`${file} is no name of a test file: x.test.ts, x.unit.test.ts, x.timing.test.ts or x.long.test.ts.`);
  return (found[1] ?? 'plain') as Tier;
}

export function ruleOf(file: string): Rule {
  return TIERS[tierOf(file)];
}
