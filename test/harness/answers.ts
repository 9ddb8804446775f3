// The record of reached codes: every error that a service under test answers over HTTP to `fetch` is written down, one file a test file,
// and `npm test` compares them with docs/errors.md at its end.
import { appendFileSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './server.ts';

/** An error as it was answered, and the test file that it was answered to. */
export type ErrorAnswer = { code: string; status: number; hasDetails: boolean; test: string };

const FOLDER = join(ROOT, '.tap/answers');
const SUFFIX = '.jsonl';

/** Ports of servers whose routes a test made up. */
const leftOut = new Set<number>();
let recording: { file: string; seen: Set<string> } | undefined;

/** From now on, answers of this process belong to this test file. The record of the file's last run is removed. */
export function recordAnswers(test: string): void {
  if (!recording) listen();
  const file = join(FOLDER, test + SUFFIX);
  rmSync(file, { force: true });
  recording = { file, seen: new Set() };
}

/** The answers of this server are not the service's. */
export function leaveOut(port: number): void {
  leftOut.add(port);
}

function listen(): void {
  const { fetch } = globalThis;
  globalThis.fetch = async (...request) => {
    const response = await fetch(...request);
    const isOurs = response.status >= 400 && !leftOut.has(Number(new URL(response.url).port));
    const line = isOurs ? await errorLine(response.clone()) : undefined;
    if (line !== undefined) keep(line);
    return response;
  };
}

/** The status of an error over a socket. */
export const SOCKET = 0;

export function recordSocketError({ code, details }: { code: string; details?: object }): void {
  keep(JSON.stringify({ code, status: SOCKET, hasDetails: details !== undefined }));
}

function keep(line: string): void {
  if (!recording || recording.seen.has(line)) return;
  recording.seen.add(line);
  mkdirSync(dirname(recording.file), { recursive: true });
  appendFileSync(recording.file, `${line}\n`);
}

async function errorLine(response: Response): Promise<string | undefined> {
  const text = await response.text();
  if (!text.startsWith('{"error":{')) return undefined; // in the envelope
  const { error: { code, details } } = JSON.parse(text) as { error: { code: string; details?: object } };
  return JSON.stringify({ code, status: response.status, hasDetails: details !== undefined });
}

/** Before a run of all tests, so that none of a test that is gone is left. */
export function forgetAnswers(): void {
  rmSync(FOLDER, { recursive: true, force: true });
}

/** The answers of each test file's last run. */
export function recordedAnswers(): ErrorAnswer[] {
  return globSync(`**/*${SUFFIX}`, { cwd: FOLDER }).sort().flatMap(name =>
    readFileSync(join(FOLDER, name), 'utf8').trim().split('\n').map(line =>
      ({ ...JSON.parse(line) as ErrorAnswer, test: name.slice(0, -SUFFIX.length) })));
}
