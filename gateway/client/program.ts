import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { BootError } from '../error.ts';
import { printable } from '../process/printable.ts';

export type Program = {
  path: string;
  args: readonly string[];
  /** Besides what every program gets: passwords stand here and never among the arguments, which all users of a machine can read. */
  env: Readonly<Record<string, string>>;
  /** An open file, or a pipe; nothing by default. */
  stdin?: number | 'pipe';
  /** An open file; a pipe by default. */
  stdout?: number;
  /** Ends it. */
  signal?: AbortSignal | undefined;
};
export type Started = {
  child: ChildProcess;
  /** Rejects with a BootError of one line. */
  ended: Promise<void>;
};

/** Milliseconds until a program that was told to end is killed. */
const LAST_WORDS = 1_000;
/** Bytes of its messages that are kept. */
const MOST_SAID = 16_384;
const LONGEST_REASON = 500;

/** Starts a program at the lowest priority. */
export function startProgram({ path, args, env, stdin, stdout, signal }: Program): Started {
  const child = spawn(path, args, { env: { ...ENVIRONMENT, ...env }, stdio: [stdin ?? 'ignore', stdout ?? 'pipe', 'pipe'] });
  if (child.pid !== undefined) lower(child.pid);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => { said = (said + part).slice(-MOST_SAID); });
  const end = (): void => {
    child.kill();
    setTimeout(() => child.kill('SIGKILL'), LAST_WORDS).unref();
  };
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end, { once: true });
  const ended = outcome().finally(() => { signal?.removeEventListener('abort', end); });
  ended.catch(() => undefined);
  return { child, ended };

  async function outcome(): Promise<void> {
    const name = basename(path);
    const [code, by] = await once(child, 'close').catch((error: unknown) => {
      throw new BootError(`${path} cannot be run: ${(error as Error).message}.`, { cause: error });
    }) as [number | null, string | null];
    if (signal?.aborted) throw new BootError(`${name} was ended: ${reasonOf(signal)}`);
    if (by !== null) throw new BootError(`${name} was killed by ${by}.`);
    if (code !== 0) throw new BootError(`${name} failed: ${errorIn(said) ?? `exit code ${code ?? ''}`}.`);
  }
}

/** Runs a program to its end. @returns its output */
export function outputOf(program: Omit<Program, 'stdout'>): Promise<string> {
  return outputOfStarted(startProgram(program));
}

/** The output of a program that has just been started. */
export async function outputOfStarted({ child, ended }: Started): Promise<string> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => { text += part; });
  await ended;
  return text;
}

/** Messages that are read here are in English. No setting of the service is passed on. */
const ENVIRONMENT = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR|PGSSL\w*)$/.test(name))),
  LC_ALL: 'C', TZ: 'UTC',
};

function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already.
  }
}

/** The first line that tells of an error: those below it show statements and values. */
function errorIn(said: string): string | undefined {
  const lines = said.split('\n').map(line => line.trim()).filter(line => line !== '');
  const line = lines.find(text => /\b(error|FATAL|ERROR):/.test(text)) ?? lines[0];
  return line === undefined ? undefined : printable(line.replace(/^.*?\b(error|ERROR): +/, '').replace(/\.$/, '')).slice(0, LONGEST_REASON);
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : 'it took too long.';
}
