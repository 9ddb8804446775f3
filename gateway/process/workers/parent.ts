import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BootError } from '../../error.ts';
import type { FromWorker } from '../bus/messages.ts';
import type { ParentBus } from '../bus/parent-bus.ts';

export type Workers = {
  /** Closes everything, after the work in progress. */
  close: () => Promise<void>;
};
export type WorkersOptions = {
  count: number;
  /** The module that each of them runs. */
  program: string;
  /** The task of the worker with this number, from 1 on. */
  taskOf: (number: number) => object;
  bus: Pick<ParentBus, 'join'>;
  log: Logger;
};

/** Milliseconds until a worker that ended is replaced: twice as long each time, until one has lived for STEADY. */
const SHORTEST = 50;
const LONGEST = 5_000;
const STEADY = 30_000;

/**
 * Starts worker processes and replaces those that end. Not node:cluster, whose one listening socket is Node's own: uWebSockets.js listens
 * by itself, once a worker, and the kernel distributes the connections of a port.
 * @throws BootError when one cannot start.
 */
export async function startWorkers({ count, program, taskOf, bus, log }: WorkersOptions): Promise<Workers> {
  const closing = new AbortController();
  const isClosing = () => closing.signal.aborted;
  const children = new Map<number, ChildProcess>();
  const kill = () => { for (const child of children.values()) child.kill('SIGKILL'); };
  process.once('exit', kill);
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  const kept: Promise<void>[] = [];

  try {
    const started = numbers.map(number => start(number));
    await Promise.all(started.map(({ serving }) => serving));
    kept.push(...started.map((worker, i) => keep(i + 1, worker)));
  } catch (error) {
    kill();
    throw new BootError((error as Error).message, { cause: error });
  }

  return { close };

  function start(number: number): Worker {
    const child = fork(program, { serialization: 'advanced' });
    children.set(number, child);
    bus.join(child, number);
    child.send({ serve: taskOf(number) }, () => undefined);
    return watch(child);
  }

  async function keep(number: number, first: Worker): Promise<void> {
    let pause = SHORTEST / 2;
    for (let worker = first; ; worker = start(number)) {
      worker.serving.catch((error: unknown) => log.error(`Worker ${number} could not start: ${(error as Error).message}`));
      const how = await worker.ended;
      if (isClosing()) return;
      pause = Date.now() - worker.since > STEADY ? SHORTEST : Math.min(pause * 2, LONGEST);
      log.warn(`Worker ${number} ended unexpectedly (${how}). Starting it again in ${pause} ms.`);
      await setTimeout(pause, undefined, { signal: closing.signal }).catch(() => undefined);
      if (isClosing()) return;
    }
  }

  async function close(): Promise<void> {
    closing.abort();
    for (const child of children.values()) child.kill('SIGTERM');
    await Promise.all(kept);
  }
}

/** `serving` resolves when it listens, and rejects with what it said when it did not come so far. `ended` never rejects. */
type Worker = { since: number; serving: Promise<void>; ended: Promise<string> };

function watch(child: ChildProcess): Worker {
  const ended = once(child, 'exit').then(
    ([code, signal]: (number | string | null)[]) => signal === null ? `exit code ${code ?? ''}` : `killed by ${signal ?? ''}`,
    (error: unknown) => (error as Error).message,
  );
  const serving = new Promise<void>((resolve, reject) => {
    child.on('message', (message: FromWorker) => {
      if ('listening' in message) resolve();
      if ('failed' in message) reject(new Error(message.failed));
    });
    void ended.then(how => reject(new Error(`It ended before it served (${how}).`)));
  });
  return { since: Date.now(), serving, ended };
}
