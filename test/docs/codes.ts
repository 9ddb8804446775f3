// The error codes: what docs/errors.md says of them, where the sources raise them, which tests were answered with them.
// As a program (npm run codes) it prints the list, from the record of the last run.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordedAnswers, SOCKET, type ErrorAnswer } from '../harness/answers.ts';
import { ROOT } from '../harness/server.ts';

export type Code = { code: string; statuses: number[]; when: string };

/** Documented, and yet no test can be answered so: why. */
const UNREACHED: Record<string, string> = {};

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The table of docs/errors.md. `socket`: also, or only, over a WebSocket, by a meaning of its own there. */
export function documented(): Code[] {
  return [...read('docs/errors.md').matchAll(/^\| `(\w+…?)` \| ((?:\d{3}|socket)(?:, (?:\d{3}|socket))*) \| (.*) \|$/gm)]
    .map(([, code = '', statuses = '', when = '']) => ({ code, statuses: statuses.split(', ').map(status => status === 'socket' ? SOCKET : Number(status)), when }));
}

/** Codes with their statuses, as the sources spell them at an error; below zero where it is told over a socket. Those of tables and of SQLSTATEs are not among them. */
export function raised(): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  for (const path of globSync(['gateway/**/*.ts', 'sql/**/*.sql'], { cwd: ROOT })) {
    for (const [, status = '', code = ''] of read(path).matchAll(/(?:service\.fail|ApiError)\(\s*(\d{3}),\s*'([A-Z][A-Z0-9_]+)'/g)) {
      found.set(code, (found.get(code) ?? new Set()).add(path.startsWith('gateway/features/realtime/') ? -Number(status) : Number(status)));
    }
  }
  return found;
}

/** The contract's own list, where the project lies beside it. */
export function contracted(): (Code & { reach: string })[] {
  const file = join(ROOT, '../shared/contract/codes.tsv');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').trim().split('\n').slice(1).map(line => {
    const [, code = '', statuses = '', reach = '', when = ''] = line.split('\t');
    return { code, statuses: statuses.split('|').map(Number), reach, when };
  });
}

/** Whether an entry of the table, which may be a family such as `PG_…`, is about this code. */
export function isAbout({ code: entry }: Code, code: string): boolean {
  return entry.endsWith('…') ? code.startsWith(entry.slice(0, -1)) : code === entry;
}

/** What the answers of a whole run leave unproven: documented and never answered, or answered and not documented. A line each. */
export function disagreements(answers: ErrorAnswer[], known = documented()): string[] {
  const missing = known.flatMap(entry => entry.statuses
    .filter(status => UNREACHED[entry.code] === undefined && !answers.some(answer => answer.status === status && isAbout(entry, answer.code)))
    .map(status => `docs/errors.md has ${status || 'socket'} ${entry.code}, and no test was answered so.`));
  const unknown = answers
    .filter(answer => !known.some(entry => isAbout(entry, answer.code) && (answer.status === SOCKET || entry.statuses.includes(answer.status))))
    .map(({ code, status, test }) => `${test} was answered ${status || 'socket'} ${code}, which docs/errors.md does not have.`);
  const exempt = Object.keys(UNREACHED).filter(code => answers.some(answer => answer.code === code)).map(code => `${code} is answered after all: strike it from UNREACHED.`);
  return [...missing, ...unknown, ...exempt];
}

if (import.meta.main) {
  const answers = recordedAnswers();
  const known = documented();
  if (answers.length === 0) console.log('No test has run here yet: run npm test first.');
  else for (const entry of known) printEntry(entry, answers);
  for (const { code, statuses, reach } of contracted()) {
    if (reach === 'http' && !known.some(entry => isAbout(entry, code))) printLine(statuses.join('|'), code, 'not built');
  }
}

/** Each code of a family, and each status of a code, on a line of its own. */
function printEntry(entry: Code, answers: ErrorAnswer[]): void {
  const mine = answers.filter(({ code }) => isAbout(entry, code));
  const codes = mine.length === 0 ? [entry.code] : [...new Set(mine.map(({ code }) => code))].sort();
  for (const code of codes) {
    const statuses = entry.code === code ? entry.statuses : [...new Set(mine.filter(answer => answer.code === code).map(({ status }) => status))];
    for (const status of statuses) {
      const found = mine.filter(answer => answer.code === code && answer.status === status);
      const tests = [...new Set(found.map(({ test }) => test))];
      const details = found.every(({ hasDetails }) => hasDetails) ? 'details' : found.some(({ hasDetails }) => hasDetails) ? 'details, not always' : 'no details';
      printLine(status, code, tests.length === 0 ? UNREACHED[code] ?? 'NOT ANSWERED' : `${details}: ${tests.join(' ')}`);
    }
  }
}

function printLine(status: string | number, code: string, text: string): void {
  console.log(`${String(status).padEnd(8)} ${code.padEnd(40)} ${text}`);
}
