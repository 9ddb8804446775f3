import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scaled } from './until.ts';

const PROGRAM = fileURLToPath(new URL('files.ts', import.meta.url));

/** Milliseconds on the usual machine for a file, and for the process to end after its last: what is open then was not closed by a test. */
const LIMIT = 300_000;
/** The same where random tests have their full length. */
const PROOF_LIMIT = 900_000;
/** The same for files that run for an hour then. */
const HOUR_LIMIT = 4_500_000;
const HOURS = ['test/client/realtime/memory.long.test.ts'];
/** Milliseconds in which a process that took too long may say what it waits for. */
const LAST_WORDS = 10_000;

/** TAP's first line, which is once in a run. */
export const VERSION = 'TAP version 14';

/** The line that a process writes after a file. */
const COUNTS = /^# (\{"total":.*\})$/;

/** How many assertions; kinds that there were none of may be missing. */
export type Counts = Partial<Record<'total' | 'pass' | 'fail' | 'skip' | 'todo', number>>;

/** The outcome of a file, or of the end of a process, as lines of TAP. The times are of Date.now. */
export type Outcome = { ok: boolean; counts: Counts; began: number; ended: number; lines: string[] };

export type TestProcess = {
  run: (file: string) => Promise<Outcome>;
  /** Whether it ended in the last file. */
  isGone: () => boolean;
  /** Resolves when it has ended. Not ok if something failed that was in none of its files. */
  end: () => Promise<Outcome>;
  kill: () => void;
};

/** A process that runs test files, one after the other. */
export function startProcess(): TestProcess {
  const child = spawn(process.execPath, [...process.execArgv, PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, TAP_TIMEOUT: '0', TAP_CHILD_ID: '1' },
  });
  child.stdin.on('error', () => undefined); // it is gone, as the end of its output tells
  const ended = once(child, 'close') as Promise<[code: number | null]>;
  const output = createInterface(child.stdout)[Symbol.asyncIterator]();
  let [isGreen, isGone] = [true, false];

  return {
    async run(file) {
      const began = Date.now();
      child.stdin.write(`${file}\n`);
      const { lines, counts } = await read(file);
      isGone = counts === undefined;
      const ok = !isGone && lines.some(line => line.startsWith('ok '));
      isGreen &&= ok;
      return { ok, counts: counted(ok, counts), began, ended: Date.now(), lines };
    },
    isGone: () => isGone,
    async end() {
      const began = Date.now();
      child.stdin.end();
      const { lines } = await read();
      const [code] = await ended;
      const ok = code === 0 || !isGreen;
      return { ok, counts: counted(ok), began, ended: Date.now(), lines };
    },
    kill: () => void child.kill(),
  };

  /** Up to a file's counts, or to the end of the output. */
  async function read(file = ''): Promise<{ lines: string[]; counts?: Counts }> {
    const proof = HOURS.includes(file) ? HOUR_LIMIT : PROOF_LIMIT;
    const limit = scaled(process.env['ROWGATE_PROOF'] === '1' ? proof : LIMIT);
    const alarm = setTimeout(() => child.kill('SIGALRM'), limit); // tap then says what is open
    const end = setTimeout(() => child.kill('SIGKILL'), limit + LAST_WORDS);
    try {
      return await section(output);
    } finally {
      clearTimeout(alarm);
      clearTimeout(end);
    }
  }
}

async function section(output: AsyncIterator<string>): Promise<{ lines: string[]; counts?: Counts }> {
  const lines: string[] = [];
  for (let line = await output.next(); line.done !== true; line = await output.next()) {
    const counts = COUNTS.exec(line.value)?.[1];
    if (counts !== undefined) return { lines, counts: JSON.parse(counts) as Counts };
    if (line.value !== VERSION) lines.push(line.value);
  }
  return { lines };
}

/** A failure without a failed assertion counts as one. */
function counted(ok: boolean, counts: Counts = {}): Counts {
  return ok || counts.fail !== undefined ? counts : { ...counts, total: (counts.total ?? 0) + 1, fail: 1 };
}
