import { fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { createAsk, type Answer, type Ask } from '../ask.ts';

/** Memory of finished work is returned to the system: 20 MiB less. */
const FRUGAL = { NODE_OPTIONS: '--max-semi-space-size=1', MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '262144' };
/** Milliseconds without a task until the process ends. */
const IDLE = 60_000;

/** A process for work in the background. Never blocks the parent, not even its exit. */
export type Background = {
  /** @throws Error when the process ended before it answered. */
  ask: Ask;
  /** Both ways, beside the questions, for what is large: 64 MiB take 25 ms of CPU here, and 120 ms and 190 MiB as a message. */
  bytes: Socket;
  /** Aborted, with an Error that says how, once the process has ended. */
  ended: AbortSignal;
  kill: () => void;
};

/** @param threads how many questions it answers at the same time */
export function startBackground(program: string, threads: number): Background {
  const child = fork(program, {
    env: { ...FRUGAL, PATH: process.env['PATH'], UV_THREADPOOL_SIZE: String(threads) },
    serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
  });
  const bytes = child.stdio[4] as Socket;
  const ending = new AbortController();
  const { ask, hear, fail } = createAsk(question => child.send(question));
  let asked = 0;
  const idle = setTimeout(rest, IDLE).unref();

  child.on('message', (answer: Answer) => { hear(answer); });
  child.on('error', end);
  child.on('exit', (code, signal) => { end(new Error(`It ended with ${signal ?? `exit code ${code ?? ''}`}.`, { cause: signal })); });
  child.unref();
  child.channel?.unref();
  bytes.on('error', () => undefined); // the end of the process says more
  bytes.unref();
  return { ask: askCounted, bytes, ended: ending.signal, kill: () => { child.kill('SIGKILL'); } };

  function askCounted(of: string, given?: unknown): Promise<unknown> {
    asked += 1;
    return ask(of, given).finally(() => {
      asked -= 1;
      idle.refresh();
    });
  }

  function rest(): void {
    if (asked > 0) return;
    end(new Error('Nobody asked it anything.'));
    child.disconnect();
  }

  function end(reason: Error): void {
    clearTimeout(idle);
    ending.abort(reason);
    fail(reason);
  }
}
