// What proves that a code is reached: every error that a service under test answers over HTTP to `fetch` is written
// down, one file a test file, and `npm test` compares that with docs/errors.md at its end.
import { appendFileSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './server.ts';

/** An error as it was answered, and the test file that it was answered to. */
export type ErrorAnswer = { code: string; status: number; hasDetails: boolean; test: string };

const FOLDER = join(ROOT, '.tap/answers');
const SUFFIX = '.jsonl';

/** From here on in this process. What the file's last run had is forgotten. */
export function recordAnswers(): void {
  const test = relative(ROOT, process.argv[1] ?? '');
  if (!test.endsWith('.test.ts')) return;
  const file = join(FOLDER, test + SUFFIX);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  const seen = new Set<string>();
  const { fetch } = globalThis;
  globalThis.fetch = async (...request) => {
    const response = await fetch(...request);
    const line = response.status < 400 ? undefined : await errorLine(response.clone());
    if (line !== undefined && !seen.has(line)) appendFileSync(file, `${line}\n`);
    if (line !== undefined) seen.add(line);
    return response;
  };
}

async function errorLine(response: Response): Promise<string | undefined> {
  const text = await response.text();
  if (!text.startsWith('{"error"')) return undefined;
  const { error: { code, details } } = JSON.parse(text) as { error: { code: string; details?: object } };
  return JSON.stringify({ code, status: response.status, hasDetails: details !== undefined });
}

/** Before a run of all tests, so that none of a test that is gone is left. */
export function forgetAnswers(): void {
  rmSync(FOLDER, { recursive: true, force: true });
}

/** Of each test file its last run's. */
export function recordedAnswers(): ErrorAnswer[] {
  return globSync(`**/*${SUFFIX}`, { cwd: FOLDER }).sort().flatMap(name =>
    readFileSync(join(FOLDER, name), 'utf8').trim().split('\n').map(line => ({ ...JSON.parse(line) as ErrorAnswer, test: name.slice(0, -SUFFIX.length) })));
}
