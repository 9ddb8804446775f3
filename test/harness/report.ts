import type { Counts } from './process.ts';
import type { Result } from './runner.ts';

/** A result with what the file said when it failed, where it ran again. */
export type Final = Result & { first?: Result };

/** At most so many lines of what an assertion says of its failure. */
const SAID = 40;

/** The line of a whole file. */
const RESULT = /^(not )?ok \d+ - /;

/** The result as TAP, as number n of the run; of a file that is green a terminal shows its last line. */
export function tapOf(result: Final, n: number, isTerminal: boolean): string {
  const last = `${result.ok ? 'ok' : 'not ok'} ${n} - ${result.name} # time=${result.ended - result.began}ms`;
  const lines = result.lines.map(line => RESULT.test(line) ? last : line);
  if (!lines.includes(last)) lines.push(last);
  const own = isTerminal && result.ok ? [last] : lines;
  return [...result.first ? before(result, result.first) : [], ...own].join('\n');
}

/** Says how the file failed first: with its whole output where it is flaky, else with the assertions that failed. */
function before({ ok, name }: Final, first: Result): string[] {
  return ok ? [`flaky: ${name}`, ...first.lines.map(line => `#   ${line}`)] : ['# When it ran first:', ...failuresOf(first)];
}

/** Repeats at the end the assertions that failed, with what they say. A subtest, which has a time, failed of one. */
export function failuresOf({ ok, name, lines }: Result): string[] {
  if (ok) return [];
  const found = lines.flatMap((line, n) => /^\s*not ok (?!.*# time=)/.test(line) ? [`# ${name}:`, ...lines.slice(n, n + SAID)] : []);
  return [`# ${name} failed.`, ...found].map(line => line.startsWith('#') ? line : `#   ${line}`);
}

/** The time that the files of each folder took together, the longest first. */
export function tableOf(results: Result[]): string {
  const folders = [...Map.groupBy(results, ({ folder }) => folder)].map(([folder, files]) => ({
    folder, counts: sumOf(files), seconds: files.reduce((sum, { began, ended }) => sum + ended - began, 0) / 1000,
  }));
  return folders.sort((a, b) => b.seconds - a.seconds)
    .map(({ folder, seconds, counts: { pass, fail } }) =>
      `# ${seconds.toFixed(1).padStart(6)} s  ${folder.padEnd(16)}  ${pass ?? 0} passed, ${fail ?? 0} failed`)
    .join('\n');
}

export function sumOf(results: Result[]): Counts {
  const counts: Counts = { total: 0, pass: 0 };
  for (const result of results) {
    for (const [kind, count] of Object.entries(result.counts) as [keyof Counts, number][]) counts[kind] = (counts[kind] ?? 0) + count;
  }
  return counts;
}
