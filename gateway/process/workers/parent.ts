import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { type Logger } from 'pino';
import { BootError } from '../../error.ts';
import { answerTo } from './ask.ts';
import { TELL_ALL, type Answers, type FromWorker, type Heard, type News, type ToWorker } from './messages.ts';

export type Workers = {
  /** Passes on to all what is new. */
  pass: (news: News) => void;
  /** Ends all, each after what it has under way. */
  close: () => Promise<void>;
};
export type WorkersOptions = {
  count: number;
  /** The module that each of them runs. */
  program: string;
  /** What the worker of this number is told to serve, from 1 on. */
  taskOf: (number: number) => object;
  answers: Answers;
  log: Logger;
};

/** Milliseconds until a worker that ended is replaced: twice as long each time, until one has lived for STEADY. */
const SHORTEST = 50;
const LONGEST = 5_000;
const STEADY = 30_000;

/**
 * Starts worker processes and replaces those that end. Not node:cluster, whose one listening socket is Node's
 * own: uWebSockets.js listens by itself, once a worker, and the kernel shares the connections of a port out.
 * @throws BootError when one cannot start.
 */
export async function startWorkers({ count, program, taskOf, answers, log }: WorkersOptions): Promise<Workers> {
  const closing = new AbortController();
  const isClosing = () => closing.signal.aborted;
  const children = new Map<number, ChildProcess>();
  const kill = () => { for (const child of children.values()) child.kill('SIGKILL'); };
  process.once('exit', kill);
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  const kept: Promise<void>[] = [];
  const answering: Answers = { ...answers, [TELL_ALL]: heard => tellAll(heard as Heard) };
  let told = 0;
  /** Whether each channel is heard, as it was last said: a worker that starts later must not believe otherwise. */
  const hearing = new Map<string, News>();

  try {
    const started = numbers.map(number => start(number));
    await Promise.all(started.map(({ serving }) => serving));
    kept.push(...started.map((worker, i) => keep(i + 1, worker)));
  } catch (error) {
    kill();
    throw new BootError((error as Error).message, { cause: error });
  }

  return { pass, close };

  function start(number: number): Worker {
    const child = fork(program, { serialization: 'advanced' });
    children.set(number, child);
    send(child, { serve: taskOf(number) });
    for (const news of hearing.values()) send(child, news);
    child.on('message', (message: FromWorker) => {
      if ('ask' in message) void answerTo(message, answering).then(answer => { send(child, answer); });
    });
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

  function pass(news: News): void {
    if ('hears' in news) hearing.set(news.channel, news);
    for (const child of children.values()) send(child, news);
  }

  /** Resolves when every worker of now has said that it knows, or is gone. */
  async function tellAll(heard: Heard): Promise<void> {
    const number = ++told;
    await Promise.all([...children.values()].filter(child => child.connected).map(child => {
      const known = knows(child, number);
      send(child, { tell: heard, number });
      return known;
    }));
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

function knows(child: ChildProcess, number: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const known = () => { resolve(undefined); };
  const hear = (message: FromWorker) => { if ('knows' in message && message.knows === number) known(); };
  child.on('message', hear);
  child.once('disconnect', known);
  return promise.finally(() => { child.off('message', hear).off('disconnect', known); });
}

/** One that has just ended is told nothing: whoever replaces it looks for itself. */
function send(child: ChildProcess, message: ToWorker<object>): void {
  if (child.connected) child.send(message, () => undefined);
}
