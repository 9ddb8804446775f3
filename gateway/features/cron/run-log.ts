import { storable } from './failure.ts';

const MOST_LINES = 500;
const LONGEST_LINE = 2_000;

/**
 * The lines of one run, with a bound: the first 500, each of at most 2000 characters, and how many there were beyond. `times`: for how many
 * lines one stands.
 */
export type RunLog = { add: (line: string, times?: number) => void; lines: () => string[] };

export function createRunLog(): RunLog {
  const kept: string[] = [];
  let left = 0;
  return {
    add(line, times = 1) {
      if (kept.length < MOST_LINES) kept.push(storable(line.slice(0, LONGEST_LINE)));
      else left += times;
    },
    lines: () => left === 0 ? kept : [...kept, `… and ${left} more lines`],
  };
}

/** Characters of a result, as JSON. */
const LARGEST_RESULT = 100_000;

/** A result, given as JSON, as PostgreSQL can keep it; undefined for none. */
export function resultText(text: string | null): string | undefined {
  if (text === null || text === 'null') return undefined;
  if (text.length > LARGEST_RESULT) return JSON.stringify({ omitted: `a result of ${text.length} characters` });
  // JSON.stringify and PostgreSQL escape no whole pair of surrogates, so an escaped one is alone.
  return text.replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, escape => /^\\u(?:0000|d[89a-f])/.test(escape) ? '\ufffd' : escape);
}
